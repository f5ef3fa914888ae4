import { ApiError } from '../../errors/api-errors.ts'
import { backoffMs, type Timing } from '../../runtime/timing.ts'
import type { Call } from '../call.ts'
import type { Deadline } from '../deadline.ts'
import type { ClientOptions } from '../params/options.ts'
import {
  allowsRetry,
  defaultMaxRetries,
  isInProgress,
  longestRetryAfterMs,
  type RetryBudget,
} from '../retry.ts'
import type { CallState } from './call-state.ts'
import { deadlineError } from './final-error.ts'

const defaultTimeoutMs = 30_000
const slowTimeoutMs = 90_000

/** How long a client's calls may take, and what follows a failed attempt. */
export class RetryPolicy {
  readonly #options: ClientOptions
  readonly #timing: Timing
  readonly #budget: RetryBudget

  constructor(options: ClientOptions, timing: Timing, budget: RetryBudget) {
    this.#options = options
    this.#timing = timing
    this.#budget = budget
  }

  /** The time limit of one attempt, in milliseconds. */
  timeoutMs({ options, endpoint }: Call): number {
    return options.timeoutMs ?? this.#options.timeoutMs ?? (endpoint.slow ? slowTimeoutMs : defaultTimeoutMs)
  }

  /** Records a call that succeeded. */
  succeeded({ attempts }: CallState): void {
    if (attempts === 1) this.#budget.refill()
  }

  /**
   * Returns the wait before another attempt, in milliseconds, or undefined if none may follow.
   *
   * @throws {TimeoutError} the deadline would end during the wait
   */
  delayBefore(state: CallState, failure: unknown, deadline: Deadline): number | undefined {
    const requested = failure instanceof ApiError ? failure.retryAfterMs : undefined
    const { leftMs } = deadline
    if (requested !== undefined && (requested > longestRetryAfterMs || requested >= leftMs)) return undefined
    // An earlier request under the same key is still in progress: waiting for it is not a retry.
    const isWait = isInProgress(failure) && state.idempotencyKey !== undefined && state.call.body.replayable
    if (!isWait && !this.#mayRetry(state, failure)) return undefined
    const random = this.#timing.random()
    const delayMs = isWait
      ? // At least half of the backoff, because polling in a tight loop helps no one.
        requested || backoffMs(state.attempts, 0.5 + random / 2)
      : (requested ?? backoffMs(state.retries + 1, random))
    if (isWait && this.#waitedTooLong(state, delayMs, deadline)) return undefined
    if (delayMs >= leftMs) throw deadlineError(state, deadline, failure)
    if (!isWait) {
      if (!this.#budget.take()) return undefined
      state.retries++
    }
    return delayMs
  }

  #mayRetry({ call, retries }: CallState, failure: unknown): boolean {
    return (
      allowsRetry(failure, call.endpoint) &&
      call.body.replayable &&
      retries < (call.options.maxRetries ?? this.#options.maxRetries ?? defaultMaxRetries)
    )
  }

  /** Without a deadline, a call waits for a request in progress for one timeout in all. */
  #waitedTooLong(state: CallState, delayMs: number, { deadlineMs }: Deadline): boolean {
    if (deadlineMs !== undefined) return false
    const now = this.#timing.now()
    state.inProgressUntil ??= now + this.timeoutMs(state.call)
    return now + delayMs > state.inProgressUntil
  }
}
