import type { Endpoint } from '../../contract/endpoint.ts'
import { isSafeServerError } from '../../contract/errors/codes.ts'
import { ApiError, isOpenStatus } from '../../errors/api-errors.ts'
import { ConnectionError, TimeoutError } from '../../errors/call-errors.ts'
import { backoffMs, type Timing } from '../../runtime/timing.ts'
import type { Call } from '../exchange/call.ts'
import { isInProgress } from '../exchange/doubt.ts'
import type { ClientOptions } from '../params/options.ts'
import type { Deadline } from './attempt.ts'
import type { CallState } from './call-state.ts'
import { deadlineError } from './final-error.ts'

/** The number of attempts after the first. */
export const defaultMaxRetries = 2

/** A longer `Retry-After` is not waited for, because the caller can plan such a wait better. */
export const longestRetryAfterMs = 60_000

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
    // The error of the service says when to come back, which that of a deadline would hide.
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
    if (delayMs >= leftMs) throw deadlineError(state, deadline.deadlineMs, failure)
    // Last, because a retry that another limit forbids takes nothing from the budget.
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

/** Whether another attempt may follow a failed one, apart from the number of attempts. */
function allowsRetry(failure: unknown, { replay, path }: Pick<Endpoint, 'replay' | 'path'>): boolean {
  if (failure instanceof ApiError) {
    if (replay === 'never' || !failure.retryable) return false
    // The service rejected it unread, so that every kind of call may be sent again.
    if (failure.status === 429) return true
    if (replay !== 'if-not-executed') return isOpenStatus(failure.status)
    return isSafeServerError(path, failure)
  }
  // The deadline is of the whole call, and no time is left for another attempt.
  if (failure instanceof TimeoutError && failure.limit === 'deadlineMs') return false
  if (!(failure instanceof ConnectionError || failure instanceof TimeoutError)) return false
  return !failure.mayHaveArrived || replay === 'safe' || replay === 'with-key'
}

/**
 * The retries that a client has left, so that an outage does not multiply its load. Each retry takes one. Each call
 * that succeeds at its first attempt adds one back.
 */
export class RetryBudget {
  static readonly size = 50
  #left = RetryBudget.size

  take(): boolean {
    if (this.#left === 0) return false
    this.#left--
    return true
  }

  refill(): void {
    if (this.#left < RetryBudget.size) this.#left++
  }
}
