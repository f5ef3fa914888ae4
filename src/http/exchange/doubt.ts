import type { Endpoint } from '../../contract/endpoint.ts'
import { isSafeServerError } from '../../contract/errors/codes.ts'
import { ApiError, inProgressCode, isOpenStatus } from '../../errors/api-errors.ts'
import { UnansweredError } from '../../errors/call-errors.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { UnusableResponse } from '../transport/fetch-transport.ts'

/**
 * Whether the failure of an attempt leaves open if the service executed it.
 *
 * Whether a call was executed is one doubt, with three words. {@link isAmbiguous} is said of one attempt. Of a call,
 * `mayHaveArrived` is true if an attempt is ambiguous: the state of the call has it, and the error that the caller gets.
 * {@link isDefinite} ends the doubt about all attempts with the same key. A failure may be neither: a 401 says that its
 * own attempt was not executed, and nothing of an earlier one.
 */
export const isAmbiguous = (failure: unknown, { path }: Pick<Endpoint, 'path'>) =>
  failure instanceof UnansweredError
    ? failure.mayHaveArrived
    : failure instanceof ApiError
      ? isOpenStatus(failure.status) && !isSafeServerError(path, failure)
      : failure instanceof ConfigurationError && failure.original instanceof UnusableResponse

/**
 * Statuses that say nothing of an earlier attempt with the same key: a request that was rejected before its key was
 * checked, and 408 and 429, which are about the request alone.
 */
const notDefinite: readonly number[] = [401, 403, 408, 429]

/** Whether a response ends the doubt about a call: its result, or a rejection that an executed attempt cannot get. */
export function isDefinite(failure: unknown): boolean {
  if (!(failure instanceof ApiError)) return false
  const { status } = failure
  if (status < 300) return true
  // A page of a proxy has no code.
  return status >= 400 && status < 500 && !notDefinite.includes(status) && !isInProgress(failure) && !hasNoCode(failure)
}

/** Whether a response has no error code, so that a proxy may have sent it. */
export const hasNoCode = ({ code, status }: ApiError) => code === `http_${status}`

export const isInProgress = (failure: unknown) =>
  failure instanceof ApiError && failure.status === 409 && failure.code === inProgressCode
