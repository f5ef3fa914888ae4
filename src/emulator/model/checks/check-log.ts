import type { Clock } from '../clock.ts'
import type { Saved } from '../saved.ts'

/** The part of a check that the log keeps. */
export interface LoggedCheck {
  readonly type: string
  readonly status: string
  readonly data?: unknown
  readonly error?: unknown
}

/** One standalone check, or all checks of one combined call. */
export interface CheckLogEntry {
  readonly at: Date
  readonly sessionId: string
  readonly checks: readonly LoggedCheck[]
}

/** Older entries are dropped. */
const maxEntries = 10_000

/** The standalone checks that were performed, oldest first. */
export class CheckLog {
  readonly entries: CheckLogEntry[]
  readonly #clock: Clock

  constructor(clock: Clock, saved: Saved<CheckLog> = []) {
    this.#clock = clock
    this.entries = [...saved]
  }

  save(): readonly CheckLogEntry[] {
    return this.entries
  }

  /** Adds an entry. Returns `result` unchanged. */
  record<Result extends { readonly session_id: string }>(result: Result, checks: readonly LoggedCheck[]): Result {
    this.entries.push({ at: this.#clock.now(), sessionId: result.session_id, checks })
    if (this.entries.length > maxEntries) this.entries.shift()
    return result
  }
}
