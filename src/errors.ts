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
} from './contract/errors/catalog.ts'
export type { ErrorCode, KnownErrorCode } from './contract/errors/codes.ts'
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  GoneError,
  isErrorCode,
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
  ConnectionError,
  InvalidParamsError,
  InvalidResponseError,
  OutcomeUnknownError,
  type ParamIssue,
  SpendLimitError,
  TimeoutError,
} from './errors/call-errors.ts'
export { ConfigurationError, isSdkError, SdkError, StoreError } from './errors/sdk-error.ts'
export { CheckNotPassedError, SessionEndedError, WaitTimeoutError } from './errors/verification-errors.ts'
export { type WebhookRefusal, WebhookVerificationError } from './errors/webhook-error.ts'
