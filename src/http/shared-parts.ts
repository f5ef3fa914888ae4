import type { BaseUrl } from './params/base-url.ts'
import type { RetryBudget } from './retry.ts'
import type { SpendGuard } from './spend/spend-guard.ts'
import type { Transport } from './transport/transport.ts'

/** What a client shares with those that `withOptions` derives from it. */
export interface SharedParts {
  readonly base: BaseUrl
  readonly transport: Transport
  readonly guard: SpendGuard | undefined
  readonly budget: RetryBudget
  /** The operations whose responses were reported as not documented. */
  readonly warned: Set<string>
  isClosed: boolean
}
