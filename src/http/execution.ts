import type { Endpoint } from '../contract/endpoint.ts'
import { isSafeServerError } from '../contract/service.ts'
import { ApiError, inProgressCode, isOpenStatus } from '../errors/api-errors.ts'
import { AbortedError, ConnectionError, TimeoutError } from '../errors/call-errors.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { UnusableResponse } from './transport/fetch-transport.ts'

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

/** Whether an attempt that the service may have executed got no response that can be read, or a 408. */
export const isResponseLost = (failure: unknown) =>
  noResponse(failure)
    ? failure.mayHaveArrived
    : (failure instanceof ApiError && failure.status === 408) ||
      (failure instanceof ConfigurationError && failure.original instanceof UnusableResponse)

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
  // 408 and 429 are about the request. A key in progress, or one that was never compared, says nothing of an earlier
  // attempt with the same key.
  return isOutcome && status !== 408 && status !== 429 && !isInProgress(failure) && !isRejectedBeforeKeyCheck(failure)
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
