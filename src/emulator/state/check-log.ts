import type { Clock } from './clock.ts'

/** As much of a check as is needed to tell how it went. */
export interface LoggedCheck {
  readonly type: string
  readonly status: string
  readonly data?: unknown
  readonly error?: unknown
}

/** One standalone check, or the checks of one combined call. */
export interface CheckLogEntry {
  readonly at: Date
  readonly sessionId: string
  readonly checks: readonly LoggedCheck[]
}

/** Older ones are forgotten. */
const remembered = 10_000

/** The standalone checks that were made, oldest first. */
export class CheckLog {
  readonly entries: CheckLogEntry[] = []
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @returns the result, as the service gives it */
  record<Result extends { readonly session_id: string }>(
    result: Result,
    checks: readonly LoggedCheck[],
  ): Result {
    this.entries.push({ at: this.#clock.now(), sessionId: result.session_id, checks })
    if (this.entries.length > remembered) this.entries.shift()
    return result
  }
}
