import 'reflect-metadata'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Controller, type ExceptionFilter, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { errorCatalog } from '../../src/contract/errors/catalog.ts'
import * as exported from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'
import { blockOf, columnOf } from './reading.ts'

const page = 'docs/guides/handle-errors.md'
const guide = documentedCode('docs/guides/handle-errors.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

interface ErrorResponse {
  status: number
  headers: Record<string, string>
  body: { message: string }
}

const facts = { code: 'not_found', message: 'internal' } as const
const failures: readonly [status: number, retryAfter: string | undefined, error: unknown][] = [
  [429, '2', new exported.VerificationLimitError({ retryAfterMs: 1001 })],
  [429, '60', new exported.RateLimitError({ ...facts, code: 'too_many_attempts', retryAfterMs: 60_000 })],
  [403, undefined, new exported.NotVerifiedError({ reason: 'declined' })],
  [401, undefined, new exported.TokenManagerError({ ...facts, reason: 'not_signed_in' as never })],
  [401, undefined, new exported.TokenValidationError({ ...facts, reason: 'expired' })],
  [403, undefined, new exported.CheckNotPassedError({ failed: [], checks: [] } as never)],
  [400, undefined, new exported.UnprocessableError({ ...facts, code: 'unprocessable' })],
  [400, undefined, new exported.PayloadTooLargeError({ ...facts, code: 'image_too_large' })],
  [503, undefined, new exported.TokenValidationError({ ...facts, reason: 'keys_unavailable' })],
  [400, undefined, new exported.WebhookVerificationError({ ...facts, reason: 'signature_mismatch' })],
  [400, undefined, new exported.InvalidParamsError({ issues: [{ path: 'internal', message: 'internal' }] })],
  [503, undefined, new exported.StoreError({ ...facts, mayHaveHappened: true } as never)],
  [503, undefined, new exported.SpendLimitError({ message: 'internal' })],
  [503, undefined, new exported.OutcomeUnknownError({ message: 'internal', idempotencyKey: 'internal' })],
  [503, undefined, new exported.TimeoutError({ mayHaveArrived: true })],
  [503, '7', new exported.ServerError({ ...facts, code: 'internal_error', status: 503, retryAfterMs: 7000 })],
  [400, undefined, new exported.UnprocessableError({ ...facts, code: 'no_face' })],
  [400, undefined, new exported.BadRequestError({ ...facts, code: 'invalid_request' })],
  [404, undefined, new exported.NotFoundError(facts)],
  [502, undefined, new exported.NotFoundError({ ...facts, code: 'workflow_not_found' })],
  [502, undefined, new exported.UnprocessableError({ ...facts, code: 'callback_not_allowed' })],
  [409, undefined, new exported.ConflictError({ ...facts, code: 'already_decided' })],
  [409, undefined, new exported.ConflictError({ ...facts, code: 'session_superseded' })],
  [409, undefined, new exported.GoneError({ ...facts, code: 'session_expired' })],
  [503, undefined, new exported.ConflictError({ ...facts, code: 'idempotency_in_progress', retryable: true })],
  [502, undefined, new exported.AuthenticationError({ ...facts, code: 'invalid_api_key' })],
  [400, undefined, Object.assign(new Error('internal'), { status: 400, expose: true })],
  [500, undefined, Object.assign(new Error('internal'), { status: 302, expose: true })],
  // A proxy, or a base URL that is wrong.
  [502, undefined, new exported.NotFoundError({ ...facts, code: 'http_404' as never })],
  [502, undefined, new exported.GoneError({ ...facts, code: 'http_410' as never })],
  [502, undefined, new exported.UnprocessableError({ ...facts, code: 'http_422' as never })],
  [400, undefined, new exported.PayloadTooLargeError({ ...facts, code: 'http_413' as never })],
  [502, undefined, new exported.NotFoundError({ ...facts, code: 'no_verification' })],
  [502, undefined, new exported.AuthenticationError({ ...facts, code: 'invalid_request' })],
  [502, undefined, new exported.GoneError({ ...facts, code: 'endpoint_removed' })],
  [500, undefined, new exported.ConfigurationError({ message: 'internal' })],
  [500, undefined, new Error('internal')],
]

it('a person gets a status and a text for each failure, and nothing of the error', async () => {
  const { errorResponse } = await guide.load<{ errorResponse(error: unknown): ErrorResponse }>('Respond to your users')
  const silent = vi.spyOn(console, 'error').mockReturnValue()

  const responses = failures.map(([, , error]) => errorResponse(error))

  expect(responses.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
    failures.map(([status, retryAfter]) => [status, retryAfter]),
  )
  expect(JSON.stringify(responses)).not.toMatch(/internal|declined/)
  const reported = failures.filter(
    ([status, , error]) =>
      status >= 500 || error instanceof exported.ApiError || error instanceof exported.WebhookVerificationError,
  )
  expect(silent).toHaveBeenCalledTimes(reported.length)
  silent.mockRestore()
})

it('the filter of NestJS responds to what a route throws', async () => {
  const modules = { './error-response.ts': await guide.load<object>('Respond to your users') } as never
  const { SdkErrorFilter } = await guide.load<{ SdkErrorFilter: new () => ExceptionFilter }>(
    'Respond to your users 2',
    { modules },
  )
  // The filter catches errors of the copy that it imports.
  const installed: typeof exported = await import(pathToFileURL(join(guide.installed.folder, 'dist/index.js')).href)
  class Controllers {
    limited() {
      throw new installed.VerificationLimitError({ retryAfterMs: 1001 })
    }
  }
  Controller()(Controllers)
  Get()(Controllers.prototype, 'limited', Object.getOwnPropertyDescriptor(Controllers.prototype, 'limited') ?? {})
  class App {}
  Module({ controllers: [Controllers] })(App)
  const app = await NestFactory.create(App, { logger: false })
  onTestFinished(() => app.close())
  await app.useGlobalFilters(new SdkErrorFilter()).listen(0, '127.0.0.1')

  const response = await fetch(await app.getUrl())

  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2'])
  expect(await response.json()).toEqual({ message: 'Too many attempts. Try again later.' })
})

it('the TypeScript example compiles and explains an error', async () => {
  const { explain } = await guide.load<{ explain(error: unknown): string }>('Narrow in TypeScript')
  const { ConflictError, NotFoundError, TimeoutError, InvalidParamsError } = exported
  const message = 'no'

  expect([
    explain(new ConflictError({ code: 'already_decided', message, details: { status: 'APPROVED' } })),
    explain(new TimeoutError({ mayHaveArrived: false })),
    explain(new InvalidParamsError({ issues: [{ path: 'dob', message: 'must be a date' }] })),
    explain(new NotFoundError({ code: 'not_found', message })),
    explain(new NotFoundError({ code: 'a_future_code' as string as exported.ErrorCode, message })),
  ]).toEqual([
    'already decided: APPROVED',
    'retry',
    'dob must be a date',
    errorCatalog().not_found.meaning,
    'request: 404 a_future_code: no',
  ])
  expect(() => explain(new Error('another'))).toThrow('another')
  const files = { 'narrow.mts': guide.code('Narrow in TypeScript') }
  expect(await guide.installed.compile(files, { module: 'nodenext', lib: 'es2022' })).toBe('')
})

it('an error is logged as the page shows it', async () => {
  const printed = await guide.run('Log errors')
  const expected = JSON.parse(blockOf(page, 'json', 'Log errors'))

  const logged = JSON.parse(printed)
  expect(logged.requestId).toMatch(/^req_/)
  expect(JSON.parse(printed.replaceAll(logged.requestId, expected.requestId))).toEqual(expected)
})

it('the table names only errors that exist', () => {
  const own = columnOf('docs/reference/errors.md', 'Properties by class', 1)
  const known = new Set([...Object.keys(errorCatalog()), ...Object.keys(exported), ...own])
  const listed = columnOf(page, 'Decide whether to call again').flatMap((cell) => cell.split(/, | with /))

  const unknown = listed.filter((name) => !known.has(name) && name !== '5xx')

  expect(unknown).toEqual(['signature_mismatch', 'keys_unavailable'])
})
