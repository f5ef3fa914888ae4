import type { Replay } from '../contract/endpoint.ts'
import type { ErrorCode } from '../contract/errors/codes.ts'
import { ApiError } from '../errors/api-errors.ts'
import { AbortedError, ConnectionError, TimeoutError } from '../errors/call-errors.ts'

const baseDelayMs = 500
const longestDelayMs = 8_000

/** A service that asks for more than this is not waited for: the caller can plan that better. */
export const longestRetryAfterMs = 60_000

/** Answers of a service that may have done the work all the same. */
const unclearStatuses: ReadonlySet<number> = new Set([408, 500, 502, 503, 504])

/** Codes for which no repeat helps: somebody has to mend a setting, or the lock is the point. */
const finalCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_config',
  'misconfigured',
  'sso_not_configured',
  'too_many_attempts',
  'verification_soft_locked',
])

/** The one 500 that the contract calls safe to retry (section 7). */
const safeServerCode: ErrorCode = 'internal_error'

/** An earlier request under the same key is still at work. */
const inProgressCode: ErrorCode = 'idempotency_in_progress'

/** Whether the same call, sent later with nothing changed, can succeed. */
export function isRetryable(status: number, code: ErrorCode): boolean {
  if (finalCodes.has(code)) return false
  return status === 429 || unclearStatuses.has(status) || code === inProgressCode
}

export const isInProgress = (failure: unknown) =>
  failure instanceof ApiError && failure.status === 409 && failure.code === inProgressCode

/** Whether a call ended before any byte of it was sent. */
export const isUnsent = (failure: unknown) => isUnanswered(failure) && !failure.mayHaveArrived

/** Whether bytes were sent and nothing tells what became of them. */
export const mayHaveArrived = (failure: unknown) => isUnanswered(failure) && failure.mayHaveArrived

const isUnanswered = (failure: unknown) =>
  failure instanceof ConnectionError || failure instanceof TimeoutError || failure instanceof AbortedError

/** Whether the failure leaves open if the request was carried out. */
export function isAmbiguous(failure: unknown): boolean {
  if (!(failure instanceof ApiError)) return mayHaveArrived(failure)
  return unclearStatuses.has(failure.status) && failure.code !== safeServerCode
}

/** Whether the service has said what became of a call: a repeat that was only put off has not. */
export function isDefinite(failure: unknown): boolean {
  if (!(failure instanceof ApiError)) return false
  const { status } = failure
  const isOutcome = status < 300 || (status >= 400 && status < 500)
  return (
    isOutcome &&
    status !== 408 &&
    status !== 429 &&
    !isInProgress(failure) &&
    !isRejectedBeforeKeyCheck(failure)
  )
}

/**
 * Whether a request was sent back before anybody looked at its key: by a proxy, whose page has no code, or for
 * want of leave. An attempt before it may have been carried out all the same.
 */
export function isRejectedBeforeKeyCheck(failure: unknown): boolean {
  if (!(failure instanceof ApiError) || failure.status < 400 || failure.status > 499) return false
  const { status, code } = failure
  return status === 401 || status === 403 || code === `http_${status}`
}

/** Whether a failed attempt may be followed by another one, the number of attempts aside. */
export function allowsRetry(failure: unknown, replay: Replay): boolean {
  if (failure instanceof ApiError) {
    if (replay === 'never' || !failure.retryable) return false
    if (failure.status === 429) return true
    if (replay !== 'if-not-executed') return unclearStatuses.has(failure.status)
    return failure.status === 500 && failure.code === safeServerCode
  }
  if (failure instanceof TimeoutError && failure.limit === 'deadlineMs') return false
  if (!(failure instanceof ConnectionError || failure instanceof TimeoutError)) return false
  return !failure.mayHaveArrived || replay === 'safe' || replay === 'with-key'
}

/**
 * How long to wait before the next attempt.
 *
 * @param retry counts from 1
 * @param random from 0 to 1
 */
export function backoffMs(retry: number, random: number): number {
  // Full jitter: callers that failed together do not come back together.
  return Math.round(random * Math.min(longestDelayMs, baseDelayMs * 2 ** (retry - 1)))
}

/**
 * Reads `Retry-After`: seconds, or a date.
 *
 * @returns milliseconds from now, 0 for a date that has passed; `undefined` where it says nothing usable
 */
export function retryAfterMs(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  const text = value.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  // `Date.parse` takes "5" or "-1" for dates; an HTTP date starts with the day of the week.
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/**
 * Retries that a client has left, so that an outage does not multiply its load: each retry takes one, each
 * call that succeeds at once puts one back.
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
