import { inspect } from 'node:util'
import { expect, it, vi } from 'vitest'
import { type ApiErrorFacts, apiErrorFor } from '../../src/errors/api-errors.ts'
import {
  AbortedError,
  ConfigurationError,
  ConnectionError,
  InvalidParamsError,
  InvalidResponseError,
  isSdkError,
  OutcomeUnknownError,
  SdkError,
  StoreError,
  TimeoutError,
} from '../../src/errors.ts'

const call = { operation: 'things.do', attempts: 2, idempotencyKey: 'key-1' }
const cause = new Error('the cause')

const facts = (over: Partial<ApiErrorFacts> = {}): ApiErrorFacts & { status: number } => ({
  ...call,
  status: 409,
  code: 'already_decided',
  message: 'Decided before.',
  requestId: 'req_1',
  retryable: false,
  retryAfterMs: undefined,
  details: { status: 'APPROVED' },
  fieldErrors: {},
  headers: () => new Headers({ 'x-more': 'canary' }),
  ...over,
})

const samples: readonly (readonly [SdkError, name: string, code: string])[] = [
  [new ConfigurationError({ message: 'no', cause }), 'ConfigurationError', 'configuration'],
  [new StoreError({ message: 'no', cause }), 'StoreError', 'store_failed'],
  [
    new InvalidParamsError({ ...call, issues: [{ path: 'id', message: 'is required' }], cause }),
    'InvalidParamsError',
    'invalid_params',
  ],
  [
    new ConnectionError({ ...call, message: 'no', mayHaveArrived: true, cause }),
    'ConnectionError',
    'connection_failed',
  ],
  [
    new TimeoutError({ ...call, limit: 'timeoutMs', limitMs: 5, mayHaveArrived: true, cause }),
    'TimeoutError',
    'timeout',
  ],
  [new AbortedError({ ...call, mayHaveArrived: false, cause }), 'AbortedError', 'aborted'],
  [
    new InvalidResponseError({
      ...call,
      message: 'no',
      status: 200,
      requestId: 'req_1',
      body: '<html>',
      cause,
    }),
    'InvalidResponseError',
    'invalid_response',
  ],
  [new OutcomeUnknownError({ ...call, cause }), 'OutcomeUnknownError', 'outcome_unknown'],
  [apiErrorFor(facts()), 'ConflictError', 'already_decided'],
]

it.each(samples)('%s has its class name, a stable code and a stack', (error, name, code) => {
  expect(error).toBeInstanceOf(Error)
  expect(error).toBeInstanceOf(SdkError)
  expect(error.name).toBe(name)
  expect(error.code).toBe(code)
  expect(String(error)).toBe(`${name}: ${error.message}`)
  expect(error.stack).toMatch(new RegExp(`^${name}: `))
  expect(error.stack).not.toMatch(/at new \w*Error/)
  expect(isSdkError(error)).toBe(true)
})

it.each(samples.filter(([, name]) => name !== 'ConflictError'))(
  '%s keeps the original failure as its cause',
  (error) => {
    expect(error.cause).toBe(cause)
    expect(Object.keys(error)).not.toContain('cause')
  },
)

it.each(samples)(
  '%s serializes with name, message and facts, without stack and cause',
  (error, name, code) => {
    const json = JSON.parse(JSON.stringify(error))

    expect(json).toMatchObject({ name, message: error.message, code })
    expect(json).not.toHaveProperty('stack')
    expect(json).not.toHaveProperty('cause')
  },
)

it('serializes an error of a call with its operation, attempts and idempotency key', () => {
  expect(JSON.parse(JSON.stringify(apiErrorFor(facts({ retryAfterMs: 5 }))))).toEqual({
    name: 'ConflictError',
    message: 'things.do: 409 already_decided: Decided before. (request req_1)',
    operation: 'things.do',
    attempts: 2,
    idempotencyKey: 'key-1',
    status: 409,
    code: 'already_decided',
    requestId: 'req_1',
    retryable: false,
    retryAfterMs: 5,
  })
})

it('has no members for facts that are unknown', () => {
  const error = apiErrorFor(facts({ requestId: undefined, idempotencyKey: undefined }))

  expect(Object.keys(error)).not.toEqual(expect.arrayContaining(['requestId']))
  expect('idempotencyKey' in error).toBe(false)
  expect('retryAfterMs' in error).toBe(false)
})

it('never prints details, fieldErrors and headers, which can be read', () => {
  const error = apiErrorFor(facts({ details: { a: 'canary' }, fieldErrors: { b: 'canary' } }))

  expect([error.details, error.fieldErrors, error.headers.get('x-more')]).toEqual([
    { a: 'canary' },
    { b: 'canary' },
    'canary',
  ])
  expect(inspect(error, { showHidden: true, depth: null })).not.toContain('canary')
  expect(JSON.stringify({ ...error })).not.toContain('canary')
})

it('isSdkError recognizes errors of another copy of the package', async () => {
  vi.resetModules()
  const copy = await import('../../src/errors.ts')
  const error = new copy.ConfigurationError({ message: 'no' })

  expect(error).not.toBeInstanceOf(ConfigurationError)
  expect(isSdkError(error)).toBe(true)
})

it.each([null, undefined, 'error', 7, {}, new Error('no'), { code: 'configuration' }])(
  'isSdkError is false for %j',
  (value) => {
    expect(isSdkError(value)).toBe(false)
  },
)
