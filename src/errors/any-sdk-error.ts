import type { ErrorCode, ErrorDetailsByCode } from '../contract/errors/codes.ts'
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
  InvalidParamsError,
  InvalidResponseError,
  OutcomeUnknownError,
  SpendLimitError,
  TimeoutError,
} from './call-errors.ts'
import type { EmulatorError } from './emulator-error.ts'
import type { ConfigurationError, StoreError } from './sdk-error.ts'
import type { SdkErrorCode } from './sdk-error-codes.ts'
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
export type OwnError =
  | AbortedError
  | CallbackError
  | CheckNotPassedError
  | ConfigurationError
  | ConnectionError
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
