import type { Endpoint } from '../contract/endpoint.ts'
import { isSafeServerError } from '../contract/service.ts'
import { ApiError } from '../errors/api-errors.ts'
import { AbortedError, ConnectionError, TimeoutError } from '../errors/call-errors.ts'
import { inProgressCode, isOpenStatus } from '../errors/retryable.ts'

/** The number of attempts after the first. */
export const defaultMaxRetries = 2

/** A longer `Retry-After` is not waited for, because the caller can plan such a wait better. */
export const longestRetryAfterMs = 60_000

export const isInProgress = (failure: unknown) =>
  failure instanceof ApiError && failure.status === 409 && failure.code === inProgressCode

/** Whether an attempt ended without a response. */
const noResponse = (failure: unknown) =>
  failure instanceof ConnectionError || failure instanceof TimeoutError || failure instanceof AbortedError

/** Whether a call ended before any byte of it was sent. */
export const isUnsent = (failure: unknown) => noResponse(failure) && !failure.mayHaveArrived

/** Whether a response does not say if the service executed the request. */
export const leavesOutcomeOpen = (failure: unknown, { path }: Pick<Endpoint, 'path'>) =>
  failure instanceof ApiError && isOpenStatus(failure.status) && !isSafeServerError(path, failure)

/** Whether an attempt that the service may have executed got no response, or a 408. */
export const isResponseLost = (failure: unknown) =>
  noResponse(failure) ? failure.mayHaveArrived : failure instanceof ApiError && failure.status === 408

/** Whether a response reports a failure of the service itself. */
export const isServerError = (failure: unknown) => failure instanceof ApiError && failure.status >= 500

/** Whether a failed call leaves open if the service executed it. */
export const isAmbiguous = (failure: unknown, endpoint: Pick<Endpoint, 'path'>) =>
  noResponse(failure) ? failure.mayHaveArrived : leavesOutcomeOpen(failure, endpoint)

/** Whether a response determines the outcome of a call: a definite result, or a definite error. */
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
 * Whether a request was rejected before its idempotency key was checked: by a proxy, whose page has no code, or because
 * it was not authorized. An earlier attempt may have been executed all the same.
 */
function isRejectedBeforeKeyCheck(failure: unknown): boolean {
  if (!(failure instanceof ApiError) || failure.status < 400 || failure.status > 499) return false
  const { status } = failure
  return status === 401 || status === 403 || hasNoCode(failure)
}

/** Whether a response has no error code, so that a proxy may have sent it. */
export const hasNoCode = ({ code, status }: ApiError) => code === `http_${status}`

/** Whether another attempt may follow a failed one, apart from the number of attempts. */
export function allowsRetry(failure: unknown, { replay, path }: Pick<Endpoint, 'replay' | 'path'>): boolean {
  if (failure instanceof ApiError) {
    if (replay === 'never' || !failure.retryable) return false
    if (failure.status === 429) return true
    if (replay !== 'if-not-executed') return isOpenStatus(failure.status)
    return isSafeServerError(path, failure)
  }
  if (failure instanceof TimeoutError && failure.limit === 'deadlineMs') return false
  if (!(failure instanceof ConnectionError || failure instanceof TimeoutError)) return false
  return !failure.mayHaveArrived || replay === 'safe' || replay === 'with-key'
}

/** An HTTP date, and the form of RFC 850. */
const httpDate =
  /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?, (\d\d?)[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/

/**
 * Reads `Retry-After`: seconds, or a date in the future.
 *
 * @returns milliseconds from now; `undefined` if the value cannot be read or is over, so that the backoff applies
 */
export function retryAfterMs(value: string | null, now: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const day = httpDate.exec(text)?.[1]
  const date = day === undefined ? Number.NaN : Date.parse(text)
  // `Date.parse` reads 30 February as 2 March.
  return date > now && new Date(date).getUTCDate() === Number(day) ? date - now : undefined
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
