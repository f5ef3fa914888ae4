import { ConfigurationError } from '../../errors/sdk-error.ts'
import type { Store } from '../../stores/store.ts'
import { isDuration } from '../params/check-options.ts'

/** How many billable calls may be made. */
export interface SpendLimit {
  /** At most so many in any span of `perMs`: a whole number, 1 or more. */
  readonly calls: number
  /** The span, in milliseconds. */
  readonly perMs: number
  /** Counts for all processes that share it. @default the memory of this client */
  readonly store?: Store | undefined
  /** Tells limits in one store apart: clients of one name share one limit. @default 'default' */
  readonly name?: string | undefined
  /**
   * How long billable calls are held back after a 402, before one is let through to see whether the wallet was
   * filled; twice as long after each that fails, up to ten minutes. In milliseconds, 1 to 600,000.
   *
   * @default 30_000
   */
  readonly probeAfterMs?: number | undefined
}

/** A limit that can work, its defaults filled in. */
export interface CheckedSpendLimit extends SpendLimit {
  readonly name: string
  readonly probeAfterMs: number
}

/** What lets one call go. */
export interface SpendReservation {
  /** Takes note of how the call ended: without a failure, well. */
  release(failure?: unknown): void
}

const defaultProbeAfterMs = 30_000
export const longestProbeMs = 600_000

/** @throws {ConfigurationError} a limit that cannot work */
export function checkSpendLimit(limit: SpendLimit): CheckedSpendLimit {
  const { calls, perMs, store, name = 'default', probeAfterMs = defaultProbeAfterMs } = limit
  if (!(Number.isSafeInteger(calls) && calls > 0)) throw faulty('calls must be a positive whole number')
  if (!isDuration(perMs)) throw faulty('perMs must be a positive whole number')
  if (!(isDuration(probeAfterMs) && probeAfterMs <= longestProbeMs))
    throw faulty(`probeAfterMs must be a whole number from 1 to ${longestProbeMs}`)
  if (typeof name !== 'string' || name === '') throw faulty('name must be a non-empty string')
  if (store !== undefined && typeof store?.compareAndSet !== 'function') throw faulty('store must be a Store')
  return { ...limit, name, probeAfterMs }
}

const faulty = (what: string) => new ConfigurationError(`spendLimit.${what}`)
