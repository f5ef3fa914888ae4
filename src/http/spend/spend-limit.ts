import { ConfigurationError } from '../../errors/sdk-error.ts'
import { checkOptions, joinRules, milliseconds, notBlank, positiveWholeNumber, required } from '../../options/rules.ts'
import type { Store } from '../../stores/store.ts'

/** How many calls that may be charged a client may send. */
export interface SpendLimit {
  /** Maximum number of calls in each window of `perMs`: a whole number, 1 or more. */
  readonly calls: number
  /**
   * The length of a window, in milliseconds: a whole number, 1 or more. Windows follow each other without a gap and
   * count from the epoch, so one of a day begins at midnight UTC. A span of `perMs` that touches two windows can contain
   * twice the `calls`.
   */
  readonly perMs: number
  /** Counts the calls of all processes that share it. @default the memory of this client */
  readonly store?: Store | undefined
  /** The name of the limit in the store. Clients with the same name and `perMs` share one limit. @default 'default' */
  readonly name?: string | undefined
  /**
   * A limit for each `spendKey` of a call, in addition: for example 5 checks a day for each of your users. A call that
   * it stops does not count toward the limit of all.
   *
   * @default none
   */
  readonly perKey?: Pick<SpendLimit, 'calls' | 'perMs'> | undefined
}

const keyOptionRules = {
  calls: /* @__PURE__ */ required(positiveWholeNumber),
  // No timer waits for its end, so it may be a month.
  perMs: /* @__PURE__ */ required(/* @__PURE__ */ milliseconds({ from: 1 })),
}

const optionRules = /* @__PURE__ */ joinRules(keyOptionRules, {
  perKey: true,
  store: true,
  name: notBlank,
})

/** A valid limit, with its default filled in. */
export interface CheckedSpendLimit extends SpendLimit {
  readonly name: string
}

/**
 * @param owner what takes the limit: a class or a function
 * @throws {ConfigurationError} a setting is invalid
 */
export function checkSpendLimit(owner: string, limit: SpendLimit): CheckedSpendLimit {
  checkOptions(owner, limit, optionRules, 'spendLimit.')
  if (limit.perKey !== undefined) checkOptions(owner, limit.perKey, keyOptionRules, 'spendLimit.perKey.')
  const { store, name = 'default' } = limit
  if (store !== undefined && typeof store?.compareAndSet !== 'function')
    throw new ConfigurationError({ message: `${owner}: spendLimit.store must be a Store` })
  return { ...limit, name }
}
