import { ApiError } from '../../errors/api-errors.ts'
import { InvalidParamsError, UnansweredError } from '../../errors/call-errors.ts'
import { ConfigurationError, type SdkError } from '../../errors/sdk-error.ts'
import { TokenValidationError, type TokenValidationReason } from '../../errors/sign-in-errors.ts'
import { hasNoCode } from '../../http/exchange/doubt.ts'
import { type HeldRecord, noAccessToken, type TokenRecord } from './token-record-store.ts'

/** What follows from a refresh that failed. */
export interface FailedRefresh {
  /** What the caller gets. */
  readonly error: unknown
  /** The record to store. Missing if it is unknown whether the refresh token was used. */
  readonly next?: TokenRecord
  /** Why the id_token could not be checked. The record then has the new refresh token, which is lost if it is not stored. */
  readonly unchecked?: TokenValidationError
}

/** By the error of a refresh. They are not in the error, because it is logged. */
const receivedTokens = /* @__PURE__ */ new WeakMap<object, string>()

/**
 * Keeps the new refresh token of a response whose id_token was rejected, for `failedRefresh`.
 *
 * @param refreshToken missing if the response had none, so that the one before it is still in use
 */
export function keepReceived(error: unknown, refreshToken: string | undefined): void {
  if (error instanceof TokenValidationError) receivedTokens.set(error, refreshToken ?? '')
}

/**
 * Decides from an error of a refresh whether the refresh token is unused, was rejected or replaced, or nothing is
 * certain.
 *
 * @param restored the record to store if the refresh token is unused
 */
export function failedRefresh(error: unknown, restored: HeldRecord): FailedRefresh {
  if (isInvalidGrant(error)) {
    return rejected('the service rejected the refresh token', error)
  }
  if (isOfThisProcess(error)) {
    const received = receivedTokens.get(error)
    if (received !== undefined) return replaced(error, received, restored)
  }
  if (isRejectedTokenSet(error)) {
    return rejected(`the new tokens were rejected (${error.reason})`, error)
  }
  if (isUnused(error)) return { error, next: restored }
  const why = 'the refresh token may have been used, and its response is lost'
  return { error: noAccessToken('refresh_outcome_unknown', why, error) }
}

/** The person stays signed in. Whose tokens these are was not compared, so the next refresh must do that. */
function replaced(unchecked: TokenValidationError, received: string, restored: HeldRecord): FailedRefresh {
  const { tokens } = restored
  return {
    error: notChecked(unchecked),
    next: { ...restored, tokens: received === '' ? tokens : { ...tokens, refresh_token: received }, isUnchecked: true },
    unchecked,
  }
}

/** The error of a caller whose tokens cannot be checked by this process. */
export function notChecked(cause: TokenValidationError): SdkError {
  const rest = 'The new refresh token is stored, so the person stays signed in: call again when that is repaired'
  const isOfClock = clockReasons.includes(cause.reason)
  const what = isOfClock
    ? `the clock of this machine is wrong, because a new id_token is rejected (${cause.reason}): correct it`
    : `a new id_token could not be checked, because the issuer's key is not available (${cause.reason})`
  const message = `tokenManager.getAccessToken: ${what}. ${rest}`
  return isOfClock
    ? new ConfigurationError({ message, cause })
    : new TokenValidationError({ reason: 'keys_unavailable', message, cause })
}

const rejected = (why: string, cause: unknown): FailedRefresh => ({
  error: noAccessToken('refresh_rejected', why, cause),
  next: { state: 'rejected' },
})

const isInvalidGrant = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'invalid_grant'

/** Whether a token was rejected because this process has a wrong clock, or does not have the issuer's key. */
const isOfThisProcess = (error: unknown): error is TokenValidationError =>
  error instanceof TokenValidationError && [...clockReasons, ...keyReasons].includes(error.reason)

const clockReasons: readonly TokenValidationReason[] = ['expired', 'issued_in_future', 'not_yet_valid']
/** `key_not_found` is the reason after a rotation, until the new key is published, or may be fetched. */
const keyReasons: readonly TokenValidationReason[] = ['keys_unavailable', 'key_not_found']

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
