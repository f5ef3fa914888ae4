import {
  ApiError,
  CallbackError,
  CheckNotPassedError,
  describeErrorCode,
  type ErrorCode,
  errorCatalog,
  isErrorCode,
  isSdkError,
  NotFoundError,
  OutcomeUnknownError,
  RateLimitError,
  TokenValidationError,
} from 'identity-service-sdk'
import { ConnectionError, SdkError, TimeoutError } from 'identity-service-sdk/errors'

export function describeError(error: unknown): string | number {
  if (isErrorCode(error, 'already_decided')) {
    const code: 'already_decided' = error.code
    return `${code} ${error.details.status} ${error.operation}`
  }
  if (error instanceof RateLimitError) return error.retryAfterMs ?? 0
  if (error instanceof OutcomeUnknownError) return error.idempotencyKey
  if (error instanceof CheckNotPassedError) return error.failed.length
  if (error instanceof ConnectionError || error instanceof TimeoutError) return String(error.mayHaveArrived)
  if (error instanceof TokenValidationError)
    return error.reason === 'expired' ? 'sign in again' : error.reason
  if (error instanceof CallbackError) return error.status
  if (!isSdkError(error)) throw error
  const known: SdkError = error
  const advice = describeErrorCode(error.code)?.advice.retry
  return `${known.name} ${known.code} ${known.message} ${JSON.stringify(known.toJSON())} ${advice}`
}

// Narrowing to one class keeps the others.
export function category(error: ApiError): string {
  if (error instanceof NotFoundError) {
    const name: 'NotFoundError' = error.name
    return name
  }
  const code: ErrorCode = error.code
  return `${error.status} ${code} ${error.headers.get('retry-after')}`
}

export const meaning: string = errorCatalog.already_decided.meaning
export const isOurs = (error: Error): boolean => error instanceof SdkError && !(error instanceof ApiError)

// @ts-expect-error: the class is abstract, because each error has a class of its own
export const made = new SdkError({ message: 'no' })
