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

/** Whether a failed call leaves open if the service executed it. */
export const isAmbiguous = (failure: unknown, endpoint: Pick<Endpoint, 'path'>) =>
  noResponse(failure) ? failure.mayHaveArrived : leavesOutcomeOpen(failure, endpoint)

/**
 * Statuses that say nothing of an earlier attempt with the same key: a request that was rejected before its key was
 * checked, and 408 and 429, which are about the request alone.
 */
const notDefinite: readonly number[] = [401, 403, 408, 429]

/** Whether a response determines the outcome of a call: a definite result, or a definite error. */
export function isDefinite(failure: unknown): boolean {
  if (!(failure instanceof ApiError)) return false
  const { status } = failure
  if (status < 300) return true
  // A page of a proxy has no code.
  return status >= 400 && status < 500 && !notDefinite.includes(status) && !isInProgress(failure) && !hasNoCode(failure)
}

/** Whether a response has no error code, so that a proxy may have sent it. */
export const hasNoCode = ({ code, status }: ApiError) => code === `http_${status}`
