import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { EmulatorError } from '../../src/emulator.ts'
import {
  AbortedError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  CallbackError,
  CheckNotPassedError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  GoneError,
  ImageReadError,
  InvalidParamsError,
  InvalidResponseError,
  isErrorCode,
  isSdkError,
  LockedError,
  NotFoundError,
  OutcomeUnknownError,
  PayloadTooLargeError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  SdkError,
  ServerError,
  SessionEndedError,
  SpendLimitError,
  StoreError,
  TimeoutError,
  TokenManagerError,
  TokenValidationError,
  UnprocessableError,
  VerificationClient,
  WaitTimeoutError,
  WebhookVerificationError,
} from '../../src/index.ts'

const message = 'Rejected.'
const code = 'not_found'
const call = { operation: 'request', attempts: 1 }

const byStatus = [
  [BadRequestError, 400],
  [AuthenticationError, 401],
  [PaymentRequiredError, 402],
  [PermissionDeniedError, 403],
  [NotFoundError, 404],
  [ConflictError, 409],
  [GoneError, 410],
  [PayloadTooLargeError, 413],
  [UnprocessableError, 422],
  [LockedError, 423],
  [RateLimitError, 429],
  [ServerError, 500],
] as const

it.each(byStatus)('%o is constructed from a code and a message', (ErrorClass, status) => {
  const error = new ErrorClass({ code, message })

  expect(error).toBeInstanceOf(ApiError)
  expect(isErrorCode(error, code)).toBe(true)
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: ErrorClass.name,
    message: `request: ${status} ${code}: ${message}`,
    ...call,
    status,
    code,
    retryable: status === 429 || status === 500,
  })
})

it('an error of the service that is constructed without more facts has none', () => {
  const error = new NotFoundError({ code, message })

  expect([error.details, error.data, error.fieldErrors, [...error.headers]]).toEqual([{}, {}, {}, []])
  expect('requestId' in error || 'retryAfterMs' in error || 'idempotencyKey' in error).toBe(false)
  expect('cause' in error).toBe(false)
})

it('an error of the service is constructed with all its facts', () => {
  const facts = { operation: 'checks.age', attempts: 3, idempotencyKey: 'key-1', requestId: 'req_1' }
  const error = new RateLimitError({
    ...facts,
    code: 'rate_limited',
    message,
    retryable: false,
    retryAfterMs: 2_000,
    details: { limit: 5 },
    data: { seats: 5 },
    fieldErrors: { email: 'is taken' },
    headers: { 'Retry-After': '2' },
    cause: 'the proxy',
  })

  expect(error).toMatchObject({ ...facts, retryable: false, retryAfterMs: 2_000, cause: 'the proxy' })
  expect([error.details, error.data, error.fieldErrors]).toEqual([{ limit: 5 }, { seats: 5 }, { email: 'is taken' }])
  expect(error.headers.get('retry-after')).toBe('2')
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    ...facts,
    name: 'RateLimitError',
    message: 'checks.age: 429 rate_limited: Rejected. (request req_1)',
    status: 429,
    code: 'rate_limited',
    retryable: false,
    retryAfterMs: 2_000,
  })
})

it('the headers of a constructed error may be a Headers object', () => {
  const error = new ServerError({ code, message, headers: new Headers({ 'x-request-id': 'req_1' }) })

  expect(error.headers.get('X-Request-Id')).toBe('req_1')
})

it('the class gives the status, except for 5xx and for statuses without a class', () => {
  expect(new ServerError({ code, message, status: 503 }).status).toBe(503)
  expect(new ApiError({ code, message, status: 418 })).toMatchObject({ name: 'ApiError', status: 418 })
  expect(new NotFoundError({ code, message, ...{ status: 500 } }).status).toBe(404)
})

it('an error of the service is retryable by default if a thrown one would be', () => {
  const locked = new LockedError({ code: 'verification_soft_locked', message })
  const attempts = new RateLimitError({ code: 'too_many_attempts', message })
  const limited = new RateLimitError({ code: 'rate_limited', message })
  const inProgress = new ConflictError({ code: 'idempotency_in_progress', message })

  expect([locked, attempts, limited, inProgress].map(({ retryable }) => retryable)).toEqual([false, false, true, true])
})

const notSent = { operation: 'request', attempts: 0 }
const issues = [{ path: 'dob', message: 'must be a date' }]

/** With what is serialized next to the name and the message. */
const minimal: readonly (readonly [error: SdkError, json: object])[] = [
  [new ConfigurationError({ message }), { code: 'configuration' }],
  [new StoreError({ message }), { code: 'store_failed', mayHaveHappened: false }],
  [new EmulatorError({ message }), { code: 'emulator_misused' }],
  [new InvalidParamsError({ issues }), { ...notSent, code: 'invalid_params', issues }],
  [new ImageReadError({ field: 'image' }), { ...call, code: 'image_read_failed', field: 'image' }],
  [new ConnectionError({ message }), { ...call, code: 'connection_failed', mayHaveArrived: true }],
  [new TimeoutError({}), { ...call, code: 'timeout', limit: 'timeoutMs', limitMs: 30_000, mayHaveArrived: true }],
  [new AbortedError({}), { ...call, code: 'aborted', mayHaveArrived: true }],
  [new InvalidResponseError({ message }), { ...call, code: 'invalid_response', status: 200 }],
  [new OutcomeUnknownError({ idempotencyKey: 'k' }), { ...call, idempotencyKey: 'k', code: 'outcome_unknown' }],
  [new SpendLimitError({ spendKey: 'ada' }), { ...notSent, code: 'spend_limit' }],
  [
    new WebhookVerificationError({ reason: 'signature_mismatch', message }),
    { code: 'webhook_refused', reason: 'signature_mismatch' },
  ],
  [
    new CallbackError({ reason: 'state_mismatch', message }),
    { code: 'callback_refused', status: 400, reason: 'state_mismatch' },
  ],
  [new TokenValidationError({ reason: 'expired', message }), { code: 'token_refused', reason: 'expired' }],
  [new TokenManagerError({ reason: 'not_found', message }), { code: 'token_manager', reason: 'not_found' }],
  [new WaitTimeoutError({ sessionId: 's' }), { code: 'wait_timeout', sessionId: 's', timeoutMs: 600_000 }],
  [
    new SessionEndedError({ sessionId: 's', status: 'EXPIRED' }),
    { code: 'session_ended', sessionId: 's', status: 'EXPIRED' },
  ],
  [new CheckNotPassedError({ checks: [], message }), { code: 'check_not_passed', failed: [] }],
]

it.each(minimal)('%s has a default for every fact that is not required', (error, json) => {
  expect(isSdkError(error)).toBe(true)
  expect(error).toBeInstanceOf(SdkError)
  expect(error.name).toBe(error.constructor.name)
  expect(JSON.parse(JSON.stringify(error))).toEqual({ name: error.name, message: error.message, ...json })
  expect('cause' in error).toBe(false)
  expect(String(error)).toBe(`${error.name}: ${error.message}`)
  expect(error.stack).toMatch(new RegExp(`^${error.name}: `))
  expect(error.stack).not.toMatch(/at new \w*Error/)
})

it.each([
  new InvalidParamsError({ issues: [], message }),
  new ImageReadError({ field: 'image', message }),
  new TimeoutError({ message }),
  new AbortedError({ message }),
  new OutcomeUnknownError({ idempotencyKey: 'key-1', message }),
  new SpendLimitError({ message }),
  new WaitTimeoutError({ sessionId: 'sess_1', message }),
  new SessionEndedError({ sessionId: 'sess_1', status: 'EXPIRED', message }),
])('a message that is passed replaces the default one: %s', (error) => {
  expect(error.message).toBe(message)
})

it.each([
  new WebhookVerificationError({ reason: 'invalid_payload', message, cause: 'why' }),
  new CallbackError({ reason: 'missing_code', message, cause: 'why' }),
  new TokenValidationError({ reason: 'expired', message, cause: 'why' }),
  new TokenManagerError({ reason: 'not_found', message, cause: 'why' }),
  new WaitTimeoutError({ sessionId: 'sess_1', cause: 'why' }),
  new SessionEndedError({ sessionId: 'sess_1', status: 'EXPIRED', cause: 'why' }),
  new CheckNotPassedError({ checks: [], message, cause: 'why' }),
  new SpendLimitError({ cause: 'why' }),
  new ConfigurationError({ message, cause: 'why' }),
  new StoreError({ message, cause: 'why' }),
  new InvalidParamsError({ issues: [], cause: 'why' }),
  new ImageReadError({ field: 'image', cause: 'why' }),
  new ConnectionError({ message, cause: 'why' }),
  new TimeoutError({ cause: 'why' }),
  new AbortedError({ cause: 'why' }),
  new InvalidResponseError({ message, cause: 'why' }),
  new OutcomeUnknownError({ idempotencyKey: 'key-1', cause: 'why' }),
])('an error that is constructed with a cause keeps it: %s', (error) => {
  expect(error.cause).toBe('why')
  expect(JSON.stringify({ ...error }) + JSON.stringify(error)).not.toContain('why')
})

it('a constructed CheckNotPassedError never prints the data of its checks', () => {
  const data = { dob: 'canary' }
  const error = new CheckNotPassedError({
    checks: [{ type: 'id_verification', status: 'failed', data }],
    message,
  })

  expect(error.failed).toEqual([{ type: 'id_verification', status: 'failed' }])
  expect(error.checks).toEqual([{ type: 'id_verification', status: 'failed', data }])
  expect(inspect(error, { showHidden: true, depth: null })).not.toContain('canary')
})

it('a constructed error equals the one that a client throws for the same response', async () => {
  const body = { success: false, error: { code, message, entity: 'session' } }
  const client = new VerificationClient({
    apiKey: 'key',
    baseUrl: 'https://api.example.com',
    fetch: async () => Response.json(body, { status: 404, headers: { 'x-request-id': 'req_1' } }),
  })

  const thrown: unknown = await client.sessions.retrieve('sess_1').catch((error: unknown) => error)

  const made = new NotFoundError({
    code,
    message: `${message} Correct the call.`,
    operation: 'sessions.retrieve',
    requestId: 'req_1',
    details: { entity: 'session' },
  })
  expect(JSON.stringify(thrown)).toBe(JSON.stringify(made))
  expect(thrown).toBeInstanceOf(NotFoundError)
  expect(thrown).toMatchObject({ details: made.details, fieldErrors: made.fieldErrors })
})
