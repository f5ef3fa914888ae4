import { ApiError } from '../errors/api-errors.ts'
import type { Timing } from '../runtime/timing.ts'
import type { Deadline } from './attempt.ts'
import type { Call } from './call.ts'
import { deadlineError } from './final-error.ts'
import type { ClientOptions } from './params/options.ts'
import { allowsRetry, backoffMs, isInProgress, longestRetryAfterMs, RetryBudget } from './retry.ts'

const defaultTimeoutMs = 30_000
const slowTimeoutMs = 90_000
const defaultMaxRetries = 2

/** How long the calls of a client may take, and what follows an attempt that failed. */
export class RetryPolicy {
  readonly #options: ClientOptions
  readonly #timing: Timing
  readonly #budget = new RetryBudget()

  constructor(options: ClientOptions, timing: Timing) {
    this.#options = options
    this.#timing = timing
  }

  /** Of one attempt. */
  timeoutMs({ options, endpoint }: Call): number {
    return options.timeoutMs ?? this.#options.timeoutMs ?? (endpoint.slow ? slowTimeoutMs : defaultTimeoutMs)
  }

  /** Of one logical call. */
  maxRetries(options: ClientOptions): number {
    return options.maxRetries ?? this.#options.maxRetries ?? defaultMaxRetries
  }

  /** Takes note of an attempt that was answered well. */
  succeeded({ attempts }: Call): void {
    if (attempts === 1) this.#budget.refill()
  }

  /**
   * Decides what follows a failure: the wait before another attempt, or none.
   *
   * @throws {TimeoutError} the deadline would pass during the wait
   */
  delayBefore(call: Call, failure: unknown, deadline: Deadline): number | undefined {
    const asked = failure instanceof ApiError ? failure.retryAfterMs : undefined
    const leftMs = deadline.leftMs
    if (asked !== undefined && (asked > longestRetryAfterMs || asked >= leftMs)) return undefined
    const isWait = isInProgress(failure) && call.idempotencyKey !== undefined && call.body.replayable
    if (!isWait) {
      if (!allowsRetry(failure, call.replay) || !call.body.replayable) return undefined
      if (call.retries >= this.maxRetries(call.options)) return undefined
    }
    const random = this.#timing.random()
    // A request at work is not asked for in a tight loop, whatever chance or the service says.
    const delayMs = isWait
      ? asked || backoffMs(call.attempts, 0.5 + random / 2)
      : (asked ?? backoffMs(call.retries + 1, random))
    if (isWait && deadline.deadlineMs === undefined) {
      const now = this.#timing.now()
      call.inProgressUntil ??= now + this.timeoutMs(call)
      if (now + delayMs > call.inProgressUntil) return undefined
    }
    if (delayMs >= leftMs) throw deadlineError(call, deadline, failure)
    if (!isWait) {
      if (!this.#budget.take()) return undefined
      call.retries++
    }
    return delayMs
  }
}
