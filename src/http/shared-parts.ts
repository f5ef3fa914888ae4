import type { Lazy } from '../runtime/lazy.ts'
import type { BaseUrl } from './params/base-url.ts'
import type { RetryBudget } from './retry.ts'
import type { SpendGuard } from './spend/spend-guard.ts'
import type { Transport } from './transport/transport.ts'

/** What a client shares with those that `withOptions` derives from it. */
export interface SharedParts {
  readonly base: BaseUrl
  readonly transport: Lazy<Transport>
  readonly guard: Lazy<SpendGuard> | undefined
  readonly budget: RetryBudget
  /** The operations whose responses were reported as not documented. */
  readonly warned: Set<string>
  isClosed: boolean
}
