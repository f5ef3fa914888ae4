import type { Clock } from './clock.ts'

/** As much of a check as is needed to tell how it went. */
export interface MadeCheck {
  readonly type: string
  readonly status: string
  readonly data?: unknown
  readonly error?: unknown
}

/** One standalone check, or the checks of one combined call. */
export interface MadeChecks {
  readonly at: Date
  readonly sessionId: string
  readonly checks: readonly MadeCheck[]
}

/** Older ones are forgotten. */
const remembered = 10_000

/** The standalone checks that were made, oldest first. */
export class CheckLog {
  readonly made: MadeChecks[] = []
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @returns the result, as the service gives it */
  note<Result extends { readonly session_id: string }>(result: Result, checks: readonly MadeCheck[]): Result {
    this.made.push({ at: this.#clock.now(), sessionId: result.session_id, checks })
    if (this.made.length > remembered) this.made.shift()
    return result
  }
}
