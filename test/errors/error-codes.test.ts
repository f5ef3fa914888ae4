// Misspelled on purpose: cspell:ignore alredy

import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { errorCatalog } from '../../src/contract/errors/catalog.ts'
import { ownReasons } from '../../src/errors/catalog.ts'
import { sdkErrorCodes } from '../../src/errors/sdk-error.ts'
import {
  AbortedError,
  ApiError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  describeErrorCode,
  type ErrorCode,
  InvalidResponseError,
  isErrorCode,
  isSdkError,
  type KnownErrorCode,
  ServerError,
  SessionEndedError,
  TimeoutError,
} from '../../src/index.ts'

const decided = new ConflictError({
  code: 'already_decided',
  message: 'Decided before.',
  details: { status: 'APPROVED' },
})

it('isErrorCode is true for the code of the service that an error has', () => {
  expect(isErrorCode(decided, 'already_decided')).toBe(true)
  expect(isErrorCode(decided, 'not_found')).toBe(false)
})

it('isErrorCode is true if an error has one of several codes', () => {
  expect(isErrorCode(decided, 'not_found', 'already_decided')).toBe(true)
  expect(isErrorCode(decided, 'not_found', 'timeout')).toBe(false)
})

it.each([
  [new ConfigurationError({ message: 'no' }), 'configuration'],
  [new InvalidResponseError({ message: 'no' }), 'invalid_response'],
  [new TimeoutError({}), 'timeout'],
  [new AbortedError({}), 'aborted'],
  [new ConnectionError({ message: 'no' }), 'connection_failed'],
  [new SessionEndedError({ sessionId: 'sess_1', status: 'EXPIRED' }), 'session_ended'],
] as const)("isErrorCode is true for the package's own errors: %s", (error, code) => {
  expect(isErrorCode(error, code)).toBe(true)
  expect(isErrorCode(error, 'already_decided')).toBe(false)
})

it('retryable of an error of the service is true exactly if the catalog advises to retry later', () => {
  const differing = Object.entries(errorCatalog()).flatMap(([code, { statuses, advice }]) =>
    statuses
      .map((status) => new ApiError({ code: code as KnownErrorCode, message: 'no', status }))
      .filter(({ retryable }) => retryable !== (advice.retry === 'later')),
  )

  expect(differing.map(({ code }) => code)).toEqual([])
})

it('isErrorCode is true for a response without a code, by its status', () => {
  const error = new ServerError({ code: 'http_502', message: 'no', status: 502 })

  expect(isErrorCode(error, 'http_502')).toBe(true)
  expect(isErrorCode(error, 'http_503')).toBe(false)
})

it('isErrorCode is false if the service uses a code that is spelled like one of this package', () => {
  const error = new ApiError({ code: 'timeout' as string as ErrorCode, message: 'no', status: 418 })

  expect(isErrorCode(error, 'timeout')).toBe(false)
})

it.each([null, undefined, 'timeout', new Error('no'), { status: 409, code: 'already_decided' }])(
  'isErrorCode is false for %j, which is not from this package',
  (value) => {
    expect(isErrorCode(value, 'already_decided', 'timeout')).toBe(false)
  },
)

it.each([null, undefined, 'error', 7, {}, new Error('no'), { code: 'configuration' }])(
  'isSdkError is false for %j',
  (value) => {
    expect(isSdkError(value)).toBe(false)
  },
)

it("describeErrorCode returns the catalog's entry for every code of the service", () => {
  for (const [code, entry] of Object.entries(errorCatalog())) expect(describeErrorCode(code)).toBe(entry)
})

const folder = new URL('../../src/errors/', import.meta.url)
const sources = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'))
const codesOfClasses = sources.flatMap((source) =>
  [...source.matchAll(/ readonly code = '(\w+)'/g)].map(([, code]) => String(code)),
)

it('the codes of the classes are those that the package lists', () => {
  expect(codesOfClasses.sort()).toEqual([...sdkErrorCodes].sort())
})

it.each(sdkErrorCodes)('describeErrorCode describes %s, a code of this package, without a status', (code) => {
  const entry = describeErrorCode(code)

  expect(entry?.statuses).toEqual([])
  expect(entry?.meaning).toMatch(/^[A-Z].*\.$/)
  expect(Object.keys(errorCatalog())).not.toContain(code)
})

it.each(['body_not_raw', 'state_mismatch', 'nonce_mismatch', 'refresh_outcome_unknown'])(
  'describeErrorCode describes %s, a reason of an error of this package',
  (reason) => {
    expect(describeErrorCode(reason)).toEqual({
      statuses: [],
      meaning: expect.stringMatching(/^[A-Z].*\.$/),
      advice: { actor: expect.any(String), retry: expect.any(String) },
    })
  },
)

it('describeErrorCode describes the code of the service if a reason has the same name', () => {
  for (const name of ['expired', 'not_found', 'limit_reached'] as const)
    expect(describeErrorCode(name)).toBe(errorCatalog()[name])
})

it('every reason has a meaning in one or two sentences', () => {
  for (const { meaning } of Object.values(ownReasons)) expect(meaning).toMatch(/^[A-Z][^\n]*\.$/)
})

it.each([
  ['http_404', 404, { actor: 'caller', retry: 'after_change' }],
  ['http_408', 408, { actor: 'wait', retry: 'later' }],
  ['http_429', 429, { actor: 'wait', retry: 'later' }],
  ['http_501', 501, { actor: 'caller', retry: 'after_change' }],
  ['http_502', 502, { actor: 'wait', retry: 'later' }],
  ['http_599', 599, { actor: 'wait', retry: 'later' }],
])('describeErrorCode describes %s, which the service never sends', (code, status, advice) => {
  expect(describeErrorCode(code)).toEqual({
    statuses: [status],
    meaning: expect.stringContaining(String(status)),
    advice,
  })
})

it.each(['alredy_decided', '', 'toString', '__proto__', 'http_', 'http_99', 'http_600', 'http_5020'])(
  'describeErrorCode returns undefined for the unknown code %j',
  (code) => {
    expect(describeErrorCode(code)).toBeUndefined()
  },
)
