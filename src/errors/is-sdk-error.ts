import type { ErrorCode } from '../contract/errors/codes.ts'
import type { AnySdkError, ErrorWithCode } from './any-sdk-error.ts'
import { hasBrand } from './sdk-error.ts'
import { type SdkErrorCode, sdkErrorCodes } from './sdk-error-codes.ts'

/**
 * Returns whether an error comes from this package, and narrows it to {@link AnySdkError}. Also works across bundles
 * and realms.
 *
 * @example
 * try {
 *   await client.sessions.retrieve(id)
 * } catch (error) {
 *   if (!isSdkError(error)) throw error
 *   if (error.name === 'NotFoundError') console.log('the session does not exist')
 *   else logger.warn({ code: error.code })
 * }
 */
export function isSdkError(error: unknown): error is AnySdkError {
  return hasBrand(error)
}

const ownCodes: readonly string[] = sdkErrorCodes

/**
 * Returns whether an error has one of these codes, and narrows it: to its class for a code of this package, and to an
 * `ApiError` for a code of the service. Also works across bundles and realms.
 *
 * @see service contract, section 7
 *
 * @example
 * if (isErrorCode(error, 'already_decided')) console.log(error.details.status)
 * if (isErrorCode(error, 'timeout', 'connection_failed')) console.log(error.mayHaveArrived)
 */
export function isErrorCode<const Code extends SdkErrorCode | ErrorCode>(
  error: unknown,
  ...codes: readonly [Code, ...Code[]]
): error is ErrorWithCode<Code> {
  if (!isSdkError(error)) return false
  // A code that the contract does not list may be spelled like one of ours. Only service errors have `retryable`.
  const isOwn = !('retryable' in error)
  return codes.some((code) => error.code === code && ownCodes.includes(code) === isOwn)
}
