import { expect, it } from 'vitest'
import { OutcomeUnknownError } from '../../src/index.ts'
import { ageCheck, standalone } from '../support/fixtures.ts'
import { loopbackServer, reset, success } from '../support/loopback-server.ts'
import {
  breakConnection,
  fail,
  hang,
  hangThen,
  refuseConnection,
  respond,
  type Step,
  scriptedFetch,
} from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { clientOver, forEachTransport } from '../support/transports.ts'
import { testClient } from '../support/verification-client.ts'

const born = { dob: '2001-05-17', bands: [18] }
const page = respond(200, '<html>')
const unavailable = fail(503, 'engine_unreachable')
const inProgress = fail(409, 'idempotency_in_progress', { 'retry-after': '61' })

/** The error of a billable call whose attempts take these steps. An attempt that hangs times out. */
function errorAfter(steps: readonly Step[], options: Parameters<typeof testClient>[0] = {}) {
  const timesOut = hangThen(() => test.advance(50))
  const { fetch } = scriptedFetch(...steps.map((step) => (step === hang ? timesOut : step)))
  const test = testClient({ fetch, timeoutMs: 50, ...options })
  return thrownBy(test.client.checks.age(born, { idempotencyKey: 'mine' }))
}

it.each<[what: string, steps: Step[], cause: string]>([
  ['resets', [breakConnection], 'ConnectionError'],
  ['timeouts', [hang], 'TimeoutError'],
  ['a reset before a 503', [breakConnection, unavailable], 'ServerError'],
  ['a reset before a refused connection', [breakConnection, refuseConnection], 'ConnectionError'],
  ['a reset between two 503', [unavailable, breakConnection, unavailable], 'ServerError'],
  ['a timeout before a 429', [hang, fail(429, 'rate_limited')], 'RateLimitError'],
  ['a reset before idempotency_in_progress', [breakConnection, inProgress], 'ConflictError'],
  ['a reset before a page', [breakConnection, page], 'InvalidResponseError'],
  ['a reset before the 403 of a proxy', [breakConnection, respond(403, '<html>')], 'PermissionDeniedError'],
  ['a reset before a 401', [breakConnection, fail(401, 'invalid_api_key')], 'AuthenticationError'],
  ['a reset before the 400 of a proxy', [breakConnection, respond(400, '<html>')], 'BadRequestError'],
  ['a reset before the 499 of a proxy', [breakConnection, respond(499, '')], 'ApiError'],
  ['a reset before a 403 of the service', [breakConnection, fail(403, 'forbidden')], 'PermissionDeniedError'],
  ['a reset before a 408', [breakConnection, fail(408, 'request_timeout')], 'ApiError'],
  ['a reset before a 300', [breakConnection, fail(300, 'moved')], 'ApiError'],
  ['a reset before a 399', [breakConnection, fail(399, 'moved')], 'ApiError'],
  ['a reset before a 500', [breakConnection, fail(500, 'invalid_config')], 'ServerError'],
  ['the 504 of a proxy before a refused connection', [respond(504, ''), refuseConnection], 'ConnectionError'],
  ['the 504 of a proxy before its 413', [respond(504, ''), respond(413, '')], 'PayloadTooLargeError'],
  ['a 503 before a 401', [unavailable, fail(401, 'invalid_api_key')], 'AuthenticationError'],
  ['a 503 before a 403', [unavailable, fail(403, 'forbidden')], 'PermissionDeniedError'],
  ['a 503 before a 429', [unavailable, fail(429, 'rate_limited')], 'RateLimitError'],
  ['a 503 before a 408', [unavailable, fail(408, 'request_timeout')], 'ApiError'],
  ['a 503 before a page', [unavailable, page], 'InvalidResponseError'],
  ['a 503 before the 400 of a proxy', [unavailable, respond(400, '<html>')], 'BadRequestError'],
  ['a 503 before idempotency_in_progress', [unavailable, inProgress], 'ConflictError'],
  ['a 520 before a 401', [respond(520, ''), fail(401, 'invalid_api_key')], 'AuthenticationError'],
  ['a 408', [fail(408, 'request_timeout')], 'ApiError'],
  ['a 408 before a 503', [fail(408, 'request_timeout'), unavailable], 'ServerError'],
])('throws OutcomeUnknownError from a billable call after %s', async (_, steps, cause) => {
  const error = await errorAfter(steps)

  expect(error).toBeInstanceOf(OutcomeUnknownError)
  expect(error).toMatchObject({ code: 'outcome_unknown', operation: 'checks.age', idempotencyKey: 'mine' })
  expect((error as Error).cause).toMatchObject({ name: cause })
})

it.each<[failure: string, steps: Step[], options: Parameters<typeof testClient>[0]]>([
  ['no response within timeoutMs 50 (3 attempts)', [hang], {}],
  ['no response within timeoutMs 50 (1 attempt)', [hang], { maxRetries: 0 }],
  ['no response within deadlineMs 600 (2 attempts)', [breakConnection], { deadlineMs: 600 }],
  [
    'no definite response within deadlineMs 600, the last one was 500 token_error (2 attempts)',
    [fail(500, 'token_error')],
    { deadlineMs: 600 },
  ],
  ['no response, because the connection failed with UND_ERR_SOCKET (3 attempts)', [breakConnection], {}],
  [
    'no response, because the connection failed with ECONNREFUSED (3 attempts)',
    [breakConnection, refuseConnection],
    {},
  ],
  [
    'no definite response; the last failure is 401 invalid_api_key (2 attempts)',
    [breakConnection, fail(401, 'invalid_api_key')],
    {},
  ],
  ['no definite response; the last failure is InvalidResponseError (2 attempts)', [breakConnection, page], {}],
])('names what the attempts failed with, their number, and what to do: %s', async (failure, steps, options) => {
  expect(String(await errorAfter(steps, options))).toBe(
    `OutcomeUnknownError: checks.age: ${failure}; the service may have executed the request. Retry with the same params and this error's idempotencyKey, so that the service can recognize the call.`,
  )
})

it.each<[what: string, steps: Step[], name: string]>([
  ['503', [unavailable], 'ServerError'],
  ['a 500, a 502 and a 503', [fail(500, 'token_error'), respond(502, '<html>'), unavailable], 'ServerError'],
  ['a 520', [respond(520, '<html>')], 'ServerError'],
  ['a 429 before a 503', [fail(429, 'rate_limited'), unavailable], 'ServerError'],
  ['a 503 before a 501', [unavailable, respond(501, '')], 'ServerError'],
  ['a 503 before a 400', [unavailable, fail(400, 'validation_error')], 'BadRequestError'],
  [
    'a 500 internal_error before a 401',
    [fail(500, 'internal_error'), fail(401, 'invalid_api_key')],
    'AuthenticationError',
  ],
  ['429', [fail(429, 'rate_limited')], 'RateLimitError'],
  ['a refused connection', [refuseConnection], 'ConnectionError'],
  ['a page', [page], 'InvalidResponseError'],
  ['idempotency_in_progress', [inProgress], 'ConflictError'],
  ['a reset before a 402', [breakConnection, fail(402, 'balance_exhausted')], 'PaymentRequiredError'],
  ['a reset before a 422', [breakConnection, fail(422, 'idempotency_key_reused')], 'UnprocessableError'],
  ['a reset before success: false', [breakConnection, fail(200, 'liveness_failed')], 'ApiError'],
  ['a reset before a 400', [breakConnection, fail(400, 'validation_error')], 'BadRequestError'],
  [
    'a reset before success: false with a sentence as the error',
    [breakConnection, respond(200, { success: false, error: 'No face was found' })],
    'ApiError',
  ],
  ['a reset before a 499', [breakConnection, fail(499, 'gone_away')], 'ApiError'],
  ['400', [fail(400, 'validation_error')], 'BadRequestError'],
  ['the 403 of a proxy', [respond(403, '<html>')], 'PermissionDeniedError'],
  ['a 429 before a 401', [fail(429, 'rate_limited'), fail(401, 'invalid_api_key')], 'AuthenticationError'],
])('throws the error of the last attempt, with the key, after %s', async (_, steps, name) => {
  expect(await errorAfter(steps)).toMatchObject({ name, idempotencyKey: 'mine' })
})

it.each([
  ['500 internal_error', fail(500, 'internal_error')],
  ['429', fail(429, 'rate_limited')],
  ['idempotency_in_progress', fail(409, 'idempotency_in_progress')],
])(
  'throws TimeoutError without mayHaveArrived if the deadline ends in the waits after %s, which was not executed',
  async (_, step) => {
    const error = await errorAfter([step], { deadlineMs: 600 })

    expect(error).toMatchObject({ name: 'TimeoutError', idempotencyKey: 'mine', mayHaveArrived: false })
  },
)

it.each([
  ['a reset', breakConnection],
  ['a 503', unavailable],
  ['the 504 of a proxy', respond(504, '')],
  ['a 500 token_error', fail(500, 'token_error')],
])('throws OutcomeUnknownError from a billable call whose deadline ends in the waits after %s', async (_, step) => {
  const error = await errorAfter([step], { deadlineMs: 600 })

  expect(error).toBeInstanceOf(OutcomeUnknownError)
  expect(error).toMatchObject({
    idempotencyKey: 'mine',
    cause: { name: 'TimeoutError', mayHaveArrived: true },
  })
})

it('throws OutcomeUnknownError if a wait after a 503 takes longer than planned and outlasts the deadline', async () => {
  const { fetch } = scriptedFetch(unavailable)
  const test = testClient({ fetch, random: () => 0, sleep: (): Promise<void> => test.advance(700) })

  const error = await thrownBy(test.client.checks.age(born, { deadlineMs: 600 }))

  expect(error).toMatchObject({ name: 'OutcomeUnknownError', cause: { name: 'TimeoutError' } })
})

it('throws AbortedError with the key, and with mayHaveArrived, if the signal aborts in a wait', async () => {
  const { fetch } = scriptedFetch(breakConnection)
  const controller = new AbortController()
  const { client } = testClient({ fetch, sleep: async () => controller.abort() })

  const call = client.checks.age(born, { signal: controller.signal, idempotencyKey: 'mine' })

  await expect(call).rejects.toMatchObject({
    name: 'AbortedError',
    idempotencyKey: 'mine',
    mayHaveArrived: true,
  })
})

it('sets mayHaveArrived if an earlier attempt than the aborted one may have arrived', async () => {
  const controller = new AbortController()
  const aborts = hangThen(() => queueMicrotask(() => controller.abort()))
  const { fetch } = scriptedFetch(breakConnection, aborts)
  const { client } = testClient({ fetch })

  const call = client.checks.age(born, { signal: controller.signal })

  await expect(call).rejects.toMatchObject({ name: 'AbortedError', mayHaveArrived: true, attempts: 2 })
})

it('sets mayHaveArrived for an earlier attempt if the signal aborts before a retry is sent', async () => {
  const controller = new AbortController()
  const keys = [() => 'key_1', () => new Promise<string>(() => {})]
  const pendingAtSecond = () => {
    const [key] = keys.splice(0, 1)
    if (keys.length === 0) queueMicrotask(() => controller.abort())
    return key?.() ?? ''
  }
  const { fetch, requests } = scriptedFetch(breakConnection)
  const { client } = testClient({ fetch, apiKey: pendingAtSecond })

  const call = client.checks.age(born, { signal: controller.signal })

  await expect(call).rejects.toMatchObject({ name: 'AbortedError', mayHaveArrived: true, attempts: 2 })
  expect(requests).toHaveLength(1)
})

it('sets the key on errors of invalid params and of an apiKey function too', async () => {
  const { client } = testClient({ fetch: () => expect.fail('something was sent') })
  const withoutKey = testClient({ apiKey: () => '' })

  const invalidParams = thrownBy(client.checks.age({ dob: '', bands: [] }, { idempotencyKey: 'mine' }))
  const noKey = thrownBy(withoutKey.client.checks.age(born))

  expect(await invalidParams).toMatchObject({ name: 'InvalidParamsError', idempotencyKey: 'mine' })
  expect(await noKey).toMatchObject({ name: 'ConfigurationError', idempotencyKey: expect.any(String) })
})

forEachTransport('$name: sends the same request again with the key of the error', async (transport) => {
  const server = await loopbackServer(reset, success(standalone(ageCheck())))
  const { client } = clientOver(transport, server.url, { maxRetries: 0 })
  const { idempotencyKey } = (await thrownBy(client.checks.age(born))) as OutcomeUnknownError

  await client.checks.age({ bands: [18], dob: '2001-05-17' }, { idempotencyKey })

  const [first, second] = server.requests
  expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
  expect(second?.body.equals(first?.body ?? Buffer.of())).toBe(true)
})
