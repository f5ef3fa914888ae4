// Misspelled on purpose: cspell:ignore alredy fuond mismach

import {
  AbortedError,
  type AnyApiError,
  type AnySdkError,
  ApiError,
  CallbackError,
  CheckNotPassedError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  describeErrorCode,
  type ErrorCatalogEntry,
  type ErrorCode,
  type GoneError,
  ImageReadError,
  InvalidParamsError,
  InvalidResponseError,
  isErrorCode,
  isSdkError,
  NotFoundError,
  OutcomeUnknownError,
  SdkError,
  type SdkErrorCode,
  ServerError,
  SessionEndedError,
  type SessionStatus,
  SpendLimitError,
  StoreError,
  TimeoutError,
  TokenManagerError,
  TokenValidationError,
  WaitTimeoutError,
  WebhookVerificationError,
} from 'identity-service-sdk'
import { EmulatorError } from 'identity-service-sdk/emulator'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <Rule extends true>(): Rule | undefined => undefined

// isErrorCode: a code of the service gives an ApiError, a code of the package gives its class.
export function byCode(error: unknown): string {
  if (isErrorCode(error, 'already_decided')) {
    holds<Equal<typeof error.code, 'already_decided'>>()
    const status: SessionStatus = error.details.status
    const others: Readonly<Record<string, unknown>> = error.details
    return `${error.status} ${status} ${others.reviewer}`
  }
  if (isErrorCode(error, 'invalid_response')) {
    holds<Equal<typeof error, InvalidResponseError>>()
    return error.body
  }
  if (isErrorCode(error, 'connection_failed', 'timeout')) {
    holds<Equal<typeof error, ConnectionError | TimeoutError>>()
    return error.code === 'timeout' ? error.limit : String(error.mayHaveArrived)
  }
  if (isErrorCode(error, 'rate_limited', 'too_many_attempts')) {
    holds<Equal<typeof error.code, 'rate_limited' | 'too_many_attempts'>>()
    return String(error.retryAfterMs)
  }
  if (isErrorCode(error, 'not_found', 'session_ended')) {
    if (error.code === 'session_ended') return error.sessionId
    holds<Equal<typeof error, ApiError & { readonly code: 'not_found' }>>()
    return String(error.requestId)
  }
  if (isErrorCode(error, 'emulator_misused')) holds<Equal<typeof error, EmulatorError>>()
  if (isErrorCode(error, 'http_502')) return error.code
  const codes = ['invalid_grant', 'invalid_token'] as const
  if (isErrorCode(error, ...codes)) return error.code

  // @ts-expect-error: the code is misspelled
  if (isErrorCode(error, 'alredy_decided')) return ''
  // @ts-expect-error: one of the codes is misspelled
  if (isErrorCode(error, 'already_decided', 'time_out')) return ''
  // @ts-expect-error: a code is missing
  if (isErrorCode(error)) return ''
  return ''
}

// isErrorCode narrows an error that is already narrowed.
export function afterIsSdkError(error: AnySdkError): string {
  if (isErrorCode(error, 'timeout')) return error.limit
  holds<Equal<Extract<typeof error, TimeoutError>, never>>()
  if (isErrorCode(error, 'already_decided')) {
    const code: 'already_decided' = error.code
    return `${code} ${error.details.status === 'APPROVED'}`
  }
  return error.code
}

export const isOurs = (error: unknown) => isSdkError(error) && holds<Equal<typeof error, AnySdkError>>()

// Narrowing to one class keeps the others.
export function category(error: ApiError): string {
  if (error instanceof NotFoundError) {
    const name: 'NotFoundError' = error.name
    return name
  }
  const code: ErrorCode = error.code
  return `${error.status} ${code} ${error.headers.get('retry-after')}`
}

// @ts-expect-error: the class is abstract, because each error has a class of its own
export const made = new SdkError({ message: 'no' })

// isSdkError: `code` narrows too.
export function byOwnCode(error: AnySdkError): string {
  switch (error.code) {
    case 'timeout':
      holds<Equal<typeof error, TimeoutError>>()
      return error.limit
    case 'token_refused':
      return error.claim ?? error.reason
    case 'already_decided':
      holds<Equal<Exclude<typeof error, AnyApiError>, never>>()
      return String(error.details.status)
    // @ts-expect-error: the code is misspelled
    case 'time_out':
      return ''
  }
  // @ts-expect-error: the code is misspelled
  if (error.code === 'alredy_decided') return ''
  // A code that this version does not list is a string.
  const code: string = error.code
  return code === 'a_future_code' ? 'future' : ''
}

holds<Equal<NotFoundError['status'], 404>>()
holds<Equal<GoneError['status'], 410>>()
holds<Equal<ApiError['status'], number>>()
holds<Equal<NotFoundError['name'], 'NotFoundError'>>()
holds<Equal<TimeoutError['code'], 'timeout'>>()
holds<Equal<ApiError['code'], ErrorCode>>()
holds<Equal<ApiError['headers'], Headers>>()
holds<Equal<Extract<SdkErrorCode, ErrorCode>, never>>()

// describeErrorCode accepts any code.
export const described = (error: ApiError): ErrorCatalogEntry | undefined => describeErrorCode(error.code)
// @ts-expect-error: the code may not be listed
export const unlisted = (error: ApiError): ErrorCatalogEntry => describeErrorCode(error.code)

// Errors can be constructed in tests, from the facts that matter there.
const message = 'The session does not exist.'
const facts = { code: 'not_found', message, requestId: undefined } as const
export const constructed: readonly AnySdkError[] = [
  new NotFoundError({ code: 'not_found', message, requestId: 'req_1' }),
  new NotFoundError({ code: 'http_404', message, headers: { 'retry-after': '1' } }),
  // @ts-expect-error: a misspelled code
  new NotFoundError({ code: 'not_fuond', message }),
  new NotFoundError({ code: 'not_found', message, headers: new Headers() }),
  new ConflictError({ ...facts, details: { status: 'APPROVED' }, cause: new Error('no') }),
  new ServerError({ ...facts, status: 503 }),
  new ConfigurationError({ message }),
  new StoreError({ message, cause: new Error('no') }),
  new InvalidParamsError({ issues: [{ path: 'dob', message: 'must be a date' }] }),
  new ImageReadError({ field: 'image', cause: new Error('aborted') }),
  new ConnectionError({ message, mayHaveArrived: false }),
  new TimeoutError({}),
  new TimeoutError({ message, limit: 'deadlineMs', limitMs: 5, attempts: undefined }),
  new AbortedError({ operation: 'sessions.create' }),
  new InvalidResponseError({ message, status: 502 }),
  new OutcomeUnknownError({ idempotencyKey: 'key-1' }),
  new SpendLimitError({ spendKey: 'ada' }),
  new WebhookVerificationError({ reason: 'signature_mismatch', message }),
  new CallbackError({ reason: 'authorization_error', message, error: 'access_denied' }),
  new TokenValidationError({ reason: 'expired', message, claim: undefined }),
  new TokenManagerError({ reason: 'refresh_rejected', message }),
  new WaitTimeoutError({ sessionId: 'sess_1', lastStatus: 'IN_PROGRESS' }),
  new SessionEndedError({ sessionId: 'sess_1', status: 'EXPIRED' }),
  new CheckNotPassedError({ checks: [], message }),
]
// @ts-expect-error: an error of a test is none of them
export const ofTest: AnySdkError = new EmulatorError({ message })
export const teapot: ApiError = new ApiError({ code: 'http_418', message, status: 418 })

export const wrong = () => [
  // @ts-expect-error: an error is constructed from facts, not from a message
  new NotFoundError('x'),
  // @ts-expect-error: the code is missing
  new NotFoundError({ message }),
  // @ts-expect-error: the message is missing
  new NotFoundError({ code: 'not_found' }),
  // @ts-expect-error: the class gives the status
  new NotFoundError({ code: 'not_found', message, status: 500 }),
  // @ts-expect-error: a status without a class must be given
  new ApiError({ code: 'http_418', message }),
  // @ts-expect-error: the reason is misspelled
  new WebhookVerificationError({ reason: 'signature_mismach', message }),
  // @ts-expect-error: the session has not ended
  new SessionEndedError({ sessionId: 'sess_1', status: 'APPROVED' }),
  // @ts-expect-error: a call whose outcome is unknown has a key
  new OutcomeUnknownError({}),
]
