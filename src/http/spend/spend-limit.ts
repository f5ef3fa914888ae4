import {
  checkOptions,
  joinRules,
  milliseconds,
  notBlank,
  positiveWholeNumber,
  required,
  timeSpan,
} from '../../errors/options.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import type { Store } from '../../stores/store.ts'

/** How many billable calls a client may send. */
export interface SpendLimit {
  /** Maximum number of calls in any span of `perMs`: a whole number, 1 or more. */
  readonly calls: number
  /**
   * The length of the span, in milliseconds, by the clock of the store. A call counts for a sixtieth longer, at least
   * 250 ms and at most 1 s. Above 60 `calls`, calls are counted in 60 groups, and a group counts until its last call
   * has left the span.
   */
  readonly perMs: number
  /** Counts the calls of all processes that share it. @default the memory of this client */
  readonly store?: Store | undefined
  /** The name of the limit in the store. Clients with the same name and `perMs` share one limit. @default 'default' */
  readonly name?: string | undefined
  /**
   * A limit for each `spendKey` of a call, in addition: for example 5 checks a day for each of your users. A call that it
   * stops does not count toward the limit of all. `perMs` is measured like that of all.
   *
   * @default none
   */
  readonly perKey?: Pick<SpendLimit, 'calls' | 'perMs'> | undefined
  /**
   * How long billable calls are stopped after a 402, in milliseconds, 1 to 600,000. Then a single call, the probe, is
   * sent to see if the wallet was filled. No other probe starts until it ends. After each probe that gets a 402 the time
   * doubles, up to ten minutes. Without a probe for 20 minutes, a 402 is forgotten.
   *
   * @default 30_000
   */
  readonly probeAfterMs?: number | undefined
}

const defaultProbeAfterMs = 30_000
export const longestProbeMs = 600_000

const keyOptionRules = {
  calls: /* @__PURE__ */ required(positiveWholeNumber),
  perMs: /* @__PURE__ */ required(timeSpan),
}

const optionRules = /* @__PURE__ */ joinRules(keyOptionRules, {
  perKey: true,
  store: true,
  name: notBlank,
  probeAfterMs: /* @__PURE__ */ milliseconds({ from: 1, to: longestProbeMs }),
})

/** A valid limit, with its defaults filled in. */
export interface CheckedSpendLimit extends SpendLimit {
  readonly name: string
  readonly probeAfterMs: number
}

/** The permission to send one call, counted by the limit. */
export interface SpendReservation {
  /**
   * Counts an attempt that is about to be sent. A retry keeps the slot of the call, and counts from now on.
   *
   * @throws {SpendLimitError} the attempt must not be sent
   * @throws {StoreError} the store failed, so the attempt must not be sent either
   */
  reserve(): Promise<void>
  /** Called right before the attempt is sent. Counts it again if it was counted too long ago. */
  confirm(): Promise<void> | undefined
  /** Records how the call ended. Without a failure, it succeeded. */
  end(failure?: unknown): void
}

/**
 * @param owner what takes the limit: a class or a function
 * @throws {ConfigurationError} a setting is invalid
 */
export function checkSpendLimit(owner: string, limit: SpendLimit): CheckedSpendLimit {
  checkOptions(owner, limit, optionRules, 'spendLimit.')
  if (limit.perKey !== undefined) checkOptions(owner, limit.perKey, keyOptionRules, 'spendLimit.perKey.')
  const { store, name = 'default', probeAfterMs = defaultProbeAfterMs } = limit
  if (store !== undefined && typeof store?.compareAndSet !== 'function')
    throw new ConfigurationError({ message: `${owner}: spendLimit.store must be a Store` })
  return { ...limit, name, probeAfterMs }
}
