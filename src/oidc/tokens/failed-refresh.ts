import { ApiError } from '../../errors/api-errors.ts'
import { InvalidParamsError, UnansweredError } from '../../errors/call-errors.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { TokenValidationError, type TokenValidationReason } from '../../errors/sign-in-errors.ts'
import { hasNoCode } from '../../http/exchange/doubt.ts'
import { type HeldRecord, noAccessToken, type TokenRecord } from './token-record-store.ts'

/** What follows from a refresh that failed. */
export interface FailedRefresh {
  /** What the caller gets. */
  readonly error: unknown
  /** The record to store. Missing if it is unknown whether the refresh token was used. */
  readonly next?: TokenRecord
  /** Whether the record has the new refresh token, so that the sign-in is lost if it is not stored. */
  readonly isReplaced?: boolean
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
  const received = isOfThisProcess(error) ? receivedTokens.get(error) : undefined
  if (received !== undefined) return replaced(error as TokenValidationError, received, restored)
  if (isRejectedTokenSet(error)) {
    return rejected(`the new tokens were rejected (${error.reason})`, error)
  }
  if (isUnused(error)) return { error, next: restored }
  const why = 'the refresh token may have been used, and its response is lost'
  return { error: noAccessToken('refresh_outcome_unknown', why, error) }
}

/** The person stays signed in. Whose tokens these are was not compared, so the next refresh must do that. */
function replaced(cause: TokenValidationError, received: string, restored: HeldRecord): FailedRefresh {
  const { tokens } = restored
  const { reason, claim } = cause
  const message = `tokenManager.getAccessToken: the new id_token could not be checked (${reason}): see cause. The new refresh token is stored, so the person stays signed in. Check the clock of this machine and whether the issuer's keys can be fetched, then call again`
  return {
    error: new TokenValidationError({ reason, claim, message, cause }),
    next: {
      ...restored,
      tokens: received === '' ? tokens : { ...tokens, refresh_token: received },
      isUnchecked: true,
    },
    isReplaced: true,
  }
}

const rejected = (why: string, cause: unknown): FailedRefresh => ({
  error: noAccessToken('refresh_rejected', why, cause),
  next: { state: 'rejected' },
})

const isInvalidGrant = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'invalid_grant'

/** Whether a token was rejected because this process has a wrong clock, or does not have the issuer's key. */
const isOfThisProcess = (error: unknown): error is TokenValidationError =>
  error instanceof TokenValidationError && reasonsOfThisProcess.includes(error.reason)

const reasonsOfThisProcess: readonly TokenValidationReason[] = [
  'expired',
  'issued_in_future',
  'not_yet_valid',
  'keys_unavailable',
  // After a rotation, until the new key is published, or may be fetched.
  'key_not_found',
]

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
