import { ApiError } from '../../errors/api-errors.ts'
import { InvalidParamsError, UnansweredError } from '../../errors/call-errors.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { TokenValidationError } from '../../errors/sign-in-errors.ts'
import { hasNoCode } from '../../http/exchange/doubt.ts'
import { noAccessToken, type TokenRecord } from './token-record-store.ts'

/** What follows from a refresh that failed. */
export interface FailedRefresh {
  /** What the caller gets. */
  readonly error: unknown
  /** The record to store. Missing if it is unknown whether the refresh token was used. */
  readonly next?: TokenRecord
}

/**
 * Decides from an error of a refresh whether the refresh token is unused, was rejected, or neither is certain.
 *
 * @param restored the record to store if the refresh token is unused
 */
export function failedRefresh(error: unknown, restored: TokenRecord): FailedRefresh {
  if (isInvalidGrant(error)) {
    return rejected('the service rejected the refresh token', error)
  }
  if (isRejectedTokenSet(error)) {
    return rejected(`the new tokens were rejected (${error.reason})`, error)
  }
  if (isUnused(error)) return { error, next: restored }
  const why = 'the refresh token may have been used, and its response is lost'
  return { error: noAccessToken('refresh_outcome_unknown', why, error) }
}

const rejected = (why: string, cause: unknown): FailedRefresh => ({
  error: noAccessToken('refresh_rejected', why, cause),
  next: { state: 'rejected' },
})

const isInvalidGrant = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'invalid_grant'

/** Whether new tokens were received and one of them is wrong. Without the issuer's keys that is unknown. */
const isRejectedTokenSet = (error: unknown): error is TokenValidationError =>
  error instanceof TokenValidationError && error.reason !== 'keys_unavailable'

/** Whether the refresh token is unused: the request was not sent, or the service rejected it for another reason. */
function isUnused(error: unknown): boolean {
  if (error instanceof ApiError) {
    // A proxy may send a page of its own after it has passed on the request.
    return error.status >= 400 && error.status < 500 && error.status !== 408 && !hasNoCode(error)
  }
  if (error instanceof ConfigurationError || error instanceof InvalidParamsError) return true
  return error instanceof UnansweredError && !error.mayHaveArrived
}
