// Decides what to do about every error of the package: a switch on `name` or `code` that the compiler checks.
import {
  type ApiError,
  describeErrorCode,
  isErrorCode,
  isSdkError,
  NotFoundError,
  OutcomeUnknownError,
} from 'identity-service-sdk'

export function adviceFor(error: unknown): string {
  if (!isSdkError(error)) throw error
  switch (error.name) {
    case 'ConfigurationError':
    case 'InvalidParamsError':
    case 'BadRequestError':
    case 'AuthenticationError':
    case 'PermissionDeniedError':
    case 'GoneError':
    case 'PayloadTooLargeError':
    case 'UnprocessableError':
      return `fix: ${error.message}`
    case 'RateLimitError':
    case 'LockedError':
    case 'ServerError':
      return `retry after ${error.retryAfterMs ?? 1000} ms, request ${error.requestId}`
    case 'ConnectionError':
    case 'TimeoutError':
    case 'AbortedError':
      return error.mayHaveArrived ? 'read the state first' : 'retry'
    case 'ImageReadError':
      return `upload ${error.field} again`
    case 'OutcomeUnknownError':
      return `retry with ${error.idempotencyKey}`
    case 'PaymentRequiredError':
    case 'SpendLimitError':
      return 'add money'
    case 'NotFoundError':
    case 'ConflictError':
    case 'ApiError':
      return describeErrorCode(error.code)?.meaning ?? error.code
    case 'CheckNotPassedError':
      return error.failed.map(({ type }) => type).join()
    case 'WaitTimeoutError':
    case 'SessionEndedError':
      return `session ${error.sessionId}`
    case 'CallbackError':
    case 'TokenManagerError':
    case 'TokenValidationError':
    case 'WebhookVerificationError':
    case 'NotVerifiedError':
      return error.reason
    case 'VerificationLimitError':
      return `start again in ${error.retryAfterMs} ms`
    case 'InvalidResponseError':
      return `${error.status} ${error.body}`
    case 'StoreError':
      return error.code
    default: {
      const missing: never = error
      return missing
    }
  }
}

export function isDecided(error: unknown): boolean {
  if (isErrorCode(error, 'already_decided', 'review_not_pending')) {
    const { status, code, details }: ApiError = error
    console.log(status, code, details.status)
    return error.code === 'already_decided'
  }
  if (isErrorCode(error, 'invalid_response')) console.log(error.body)
  return error instanceof NotFoundError && error.status === 404
}

export const simulated: Error[] = [
  new NotFoundError({ code: 'not_found', message: 'The session does not exist', requestId: 'req_1' }),
]
export const isUnknown = (error: unknown): error is OutcomeUnknownError => error instanceof OutcomeUnknownError
