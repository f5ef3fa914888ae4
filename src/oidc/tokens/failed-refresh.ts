import { ApiError } from '../../errors/api-errors.ts'
import { InvalidParamsError } from '../../errors/call-errors.ts'
import { ConfigurationError, type SdkError } from '../../errors/sdk-error.ts'
import { TokenManagerError, TokenValidationError } from '../../errors/sign-in-errors.ts'
import { isUnsent } from '../../http/retry.ts'
import type { TokenRecord } from './token-encryption.ts'
import type { TokenSet } from './token-set.ts'

/** What a caller is told of a refresh that failed, and what is kept from then on. */
export interface FailedRefresh {
  readonly error: unknown
  /** Missing where nobody can know what became of the refresh token. */
  readonly next?: TokenRecord
}

/** Judges what a refresh threw: is the refresh token still good, spent, or can nobody know? */
export function failedRefresh(thrown: unknown, tokens: TokenSet): FailedRefresh {
  if (isRefusedGrant(thrown) || isDisbelieved(thrown)) {
    const error = new TokenManagerError('refresh_rejected', rejectionOf(thrown), thrown)
    return { error, next: { state: 'rejected' } }
  }
  if (isUntouched(thrown)) return { error: thrown, next: { state: 'held', tokens } }
  const message = 'the refresh token may be spent, and what came for it is lost: sign in again'
  return { error: new TokenManagerError('refresh_outcome_unknown', message, thrown) }
}

const rejectionOf = (thrown: SdkError) =>
  thrown instanceof ApiError
    ? 'the service refused the refresh token: sign in again'
    : `the new tokens must not be believed (${(thrown as TokenValidationError).reason}): sign in again`

const isRefusedGrant = (thrown: unknown): thrown is ApiError =>
  thrown instanceof ApiError && thrown.code === 'invalid_grant'

/** New tokens came, and one of them is wrong. Without keys to check it with, it is merely unchecked. */
const isDisbelieved = (thrown: unknown): thrown is TokenValidationError =>
  thrown instanceof TokenValidationError && thrown.reason !== 'keys_unavailable'

/** The service refused before it looked at the token, or never heard of it. */
function isUntouched(thrown: unknown): boolean {
  if (thrown instanceof ApiError) return thrown.status >= 400 && thrown.status < 500 && thrown.status !== 408
  if (thrown instanceof ConfigurationError || thrown instanceof InvalidParamsError) return true
  return isUnsent(thrown)
}
