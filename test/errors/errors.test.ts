import { expect, it } from 'vitest'
import { type ApiErrorFacts, apiErrorFor } from '../../src/errors/api-errors.ts'
import { isSdkError } from '../../src/index.ts'

const call = { operation: 'things.do', attempts: 2, idempotencyKey: 'key-1' }

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

it.each([null, undefined, 'error', 7, {}, new Error('no'), { code: 'configuration' }])(
  'isSdkError is false for %j',
  (value) => {
    expect(isSdkError(value)).toBe(false)
  },
)
