import type { ErrorCode } from '../contract/errors/codes.ts'
import type { ErrorDetailsByCode } from '../contract/verification/session-status.ts'
import type {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  GoneError,
  LockedError,
  NotFoundError,
  PayloadTooLargeError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  UnprocessableError,
} from './api-errors.ts'
import type {
  AbortedError,
  ConnectionError,
  ImageReadError,
  InvalidParamsError,
  InvalidResponseError,
  OutcomeUnknownError,
  SpendLimitError,
  TimeoutError,
} from './call-errors.ts'
import {
  type ConfigurationError,
  type EmulatorError,
  hasBrand,
  type SdkErrorCode,
  type StoreError,
  sdkErrorCodes,
} from './sdk-error.ts'
import type { CallbackError, TokenManagerError, TokenValidationError } from './sign-in-errors.ts'
import type {
  CheckNotPassedError,
  NotVerifiedError,
  SessionEndedError,
  VerificationLimitError,
  WaitTimeoutError,
} from './verification-errors.ts'
import type { WebhookVerificationError } from './webhook-error.ts'

/** Every error of the service, as a union that `name` discriminates. The last member is a status without a class. */
export type AnyApiError =
  | BadRequestError
  | AuthenticationError
  | PaymentRequiredError
  | PermissionDeniedError
  | NotFoundError
  | ConflictError
  | GoneError
  | PayloadTooLargeError
  | UnprocessableError
  | LockedError
  | RateLimitError
  | ServerError
  | (ApiError & { readonly name: 'ApiError' })

/**
 * Every error that is not a response of the service, as a closed union.
 *
 * @inline
 */
type OwnError =
  | AbortedError
  | CallbackError
  | CheckNotPassedError
  | ConfigurationError
  | ConnectionError
  | ImageReadError
  | InvalidParamsError
  | InvalidResponseError
  | NotVerifiedError
  | OutcomeUnknownError
  | SessionEndedError
  | SpendLimitError
  | StoreError
  | TimeoutError
  | TokenManagerError
  | TokenValidationError
  | VerificationLimitError
  | WaitTimeoutError
  | WebhookVerificationError

/**
 * Every error that this package throws on purpose, except the `EmulatorError` of wrong calls in a test. The union
 * discriminates by `name` and by `code`. A minor version may add members, so give a `switch` a default.
 */
export type AnySdkError = AnyApiError | OwnError

/**
 * The errors that have a code: the class of one of the package's own codes, or an `ApiError` with a code of the
 * service. Its `details` have the members that the contract lists for the code.
 */
export type ErrorWithCode<Code extends SdkErrorCode | ErrorCode> =
  | Extract<OwnError | EmulatorError, { readonly code: Code }>
  | (Code extends ErrorCode
      ? ApiError & { readonly code: Code } & (Code extends keyof ErrorDetailsByCode
            ? { readonly details: ErrorDetailsByCode[Code] }
            : unknown)
      : never)

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
 * @see docs/reference/error-codes.md
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
