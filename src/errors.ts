/**
 * All errors that the package throws on purpose, and the catalog of the service's error codes.
 *
 * @module identity-service-sdk/errors
 */

export {
  type ErrorActor,
  type ErrorAdvice,
  type ErrorCatalogEntry,
  errorCatalog,
  type KnownErrorCode,
} from './contract/errors/catalog.ts'
export type { ErrorCode } from './contract/errors/codes.ts'
export type { Unlisted } from './contract/schema/open-types.ts'
export type { AnyApiError, AnySdkError, ErrorWithCode, SdkErrorCode } from './errors/any-sdk-error.ts'
export { isErrorCode, isSdkError } from './errors/any-sdk-error.ts'
export {
  ApiError,
  type ApiErrorFacts,
  type ApiErrorName,
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
} from './errors/api-errors.ts'
export {
  AbortedError,
  CallError,
  type CallErrorFacts,
  ConnectionError,
  ImageReadError,
  InvalidParamsError,
  InvalidResponseError,
  OutcomeUnknownError,
  type ParamIssue,
  SpendLimitError,
  TimeoutError,
} from './errors/call-errors.ts'
export { describeErrorCode } from './errors/describe-error-code.ts'
export {
  ConfigurationError,
  type ErrorFacts,
  type OptionalFacts,
  SdkError,
  StoreError,
} from './errors/sdk-error.ts'
export {
  CheckNotPassedError,
  NotVerifiedError,
  type NotVerifiedReason,
  SessionEndedError,
  VerificationLimitError,
  WaitTimeoutError,
} from './errors/verification-errors.ts'
export { WebhookVerificationError, type WebhookVerificationReason } from './errors/webhook-error.ts'
