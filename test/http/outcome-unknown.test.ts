import { expect, it } from 'vitest'
import { OutcomeUnknownError } from '../../src/errors.ts'
import { ageCheck, standalone } from '../support/fixtures.ts'
import { loopbackServer, reset, silence, success } from '../support/loopback-server.ts'
import {
  breakConnection,
  fail,
  hang,
  refuseConnection,
  respond,
  type Step,
  scriptedFetch,
  succeed,
} from '../support/scripted-fetch.ts'
import { clientOver, forEachTransport } from '../support/transports.ts'
import { testClient } from '../support/verification-client.ts'

const born = { dob: '2001-05-17', bands: [18] }
const page = respond(200, '<html>')
const down = fail(503, 'engine_unreachable')
const working = fail(409, 'idempotency_in_progress', { 'retry-after': '61' })

async function comesTo(steps: Step[], options: Parameters<typeof testClient>[0] = {}) {
  const { fetch, requests: given } = scriptedFetch(...steps)
  const { client } = testClient({ fetch, ...(steps.includes(hang) ? { timeoutMs: 50 } : {}), ...options })
  const error: unknown = await client.checks.age(born, { idempotencyKey: 'mine' }).then(
    () => expect.fail('the call succeeded'),
    (thrown: unknown) => thrown,
  )
  return { error, attempts: given.length }
}

it.each<[what: string, steps: Step[], cause: string]>([
  ['resets', [breakConnection], 'ConnectionError'],
  ['timeouts', [hang], 'TimeoutError'],
  ['a reset before a 503', [breakConnection, down], 'ServerError'],
  ['a reset before a refused connection', [breakConnection, refuseConnection], 'ConnectionError'],
  ['a reset between two 503', [down, breakConnection, down], 'ServerError'],
  ['a timeout before a 429', [hang, fail(429, 'rate_limited')], 'RateLimitError'],
  ['a reset before a request still at work', [breakConnection, working], 'ConflictError'],
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
])('the outcome of a billable call is unknown after %s', async (_, steps, cause) => {
  const { error } = await comesTo(steps)

  expect(error).toBeInstanceOf(OutcomeUnknownError)
  expect(error).toMatchObject({ code: 'outcome_unknown', operation: 'checks.age', idempotencyKey: 'mine' })
  expect((error as Error).cause).toMatchObject({ name: cause })
})

it.each<[what: string, steps: Step[], name: string]>([
  ['503', [down], 'ServerError'],
  ['429', [fail(429, 'rate_limited')], 'RateLimitError'],
  ['a refused connection', [refuseConnection], 'ConnectionError'],
  ['a page', [page], 'InvalidResponseError'],
  ['a request still at work', [working], 'ConflictError'],
  ['a reset before a 402', [breakConnection, fail(402, 'balance_exhausted')], 'PaymentRequiredError'],
  ['a reset before a 422', [breakConnection, fail(422, 'idempotency_key_reused')], 'UnprocessableError'],
  ['a reset before success: false', [breakConnection, fail(200, 'liveness_failed')], 'ApiError'],
  ['a reset before a 400', [breakConnection, fail(400, 'validation_error')], 'BadRequestError'],
  [
    'a reset before success: false in words that are no code',
    [breakConnection, respond(200, { success: false, error: 'No face was found' })],
    'ApiError',
  ],
  ['a reset before a 499', [breakConnection, fail(499, 'gone_away')], 'ApiError'],
  ['400', [fail(400, 'validation_error')], 'BadRequestError'],
  ['the 403 of a proxy', [respond(403, '<html>')], 'PermissionDeniedError'],
  ['a 429 before a 401', [fail(429, 'rate_limited'), fail(401, 'invalid_api_key')], 'AuthenticationError'],
])('%s is told as it is, with the key', async (_, steps, name) => {
  const { error } = await comesTo(steps)

  expect(error).toMatchObject({ name, idempotencyKey: 'mine' })
})

it('a deadline during the waits for an answered call is a TimeoutError with the key', async () => {
  const { error } = await comesTo([down], { deadlineMs: 600 })

  expect(error).toMatchObject({ name: 'TimeoutError', idempotencyKey: 'mine', mayHaveArrived: true })
})

it('a deadline during the waits for a call that was only put off knows that nothing was done', async () => {
  const { error } = await comesTo([fail(429, 'rate_limited')], { deadlineMs: 600 })

  expect(error).toMatchObject({ name: 'TimeoutError', idempotencyKey: 'mine', mayHaveArrived: false })
})

it.each([
  ['internal_error', false],
  ['token_error', true],
])('a deadline during the waits after a 500 %s: mayHaveArrived is %s', async (code, mayHaveArrived) => {
  const { error } = await comesTo([fail(500, code)], { deadlineMs: 600 })

  expect(error).toMatchObject({ name: 'TimeoutError', mayHaveArrived })
})

it('a deadline after a reset leaves the outcome unknown', async () => {
  const { error } = await comesTo([breakConnection], { deadlineMs: 600 })

  expect(error).toBeInstanceOf(OutcomeUnknownError)
  expect((error as Error).cause).toMatchObject({ name: 'TimeoutError', mayHaveArrived: true })
})

it('an abort is an AbortedError with the key, and tells whether the request may have arrived', async () => {
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

it('an abort during a later attempt remembers that an earlier one may have arrived', async () => {
  const controller = new AbortController()
  const later: Step = (signal) => {
    queueMicrotask(() => controller.abort())
    return hang(signal)
  }
  const { fetch } = scriptedFetch(breakConnection, later)
  const { client } = testClient({ fetch })

  const call = client.checks.age(born, { signal: controller.signal })

  await expect(call).rejects.toMatchObject({ name: 'AbortedError', mayHaveArrived: true, attempts: 2 })
})

it('an abort before a repeat is sent remembers that an earlier attempt may have arrived', async () => {
  const controller = new AbortController()
  const keys = [() => 'key_1', () => new Promise<string>(() => {})]
  const stuckAtSecond = () => {
    const [key] = keys.splice(0, 1)
    if (keys.length === 0) queueMicrotask(() => controller.abort())
    return key?.() ?? ''
  }
  const { fetch, requests: given } = scriptedFetch(breakConnection)
  const { client } = testClient({ fetch, apiKey: stuckAtSecond })

  const call = client.checks.age(born, { signal: controller.signal })

  await expect(call).rejects.toMatchObject({ name: 'AbortedError', mayHaveArrived: true, attempts: 2 })
  expect(given).toHaveLength(1)
})

it('bad params and a key that cannot be had carry the key as well', async () => {
  const { client } = testClient({ fetch: () => expect.fail('something was sent') })
  const keyless = testClient({ apiKey: () => '' })

  const badParams = client.checks.age({ dob: '', bands: [] }, { idempotencyKey: 'mine' })
  const noKey = keyless.client.checks.age(born)

  await expect(badParams).rejects.toMatchObject({ name: 'InvalidParamsError', idempotencyKey: 'mine' })
  await expect(noKey).rejects.toMatchObject({
    name: 'ConfigurationError',
    idempotencyKey: expect.any(String),
  })
})

forEachTransport('$name: a repeat with the key of the error is the same request', async (transport) => {
  const server = await loopbackServer(reset, success(standalone(ageCheck())))
  const { client } = clientOver(transport, server.url, { maxRetries: 0 })
  const error: unknown = await client.checks.age(born).catch((thrown: unknown) => thrown)
  const { idempotencyKey } = error as OutcomeUnknownError

  await client.checks.age({ bands: [18], dob: '2001-05-17' }, { idempotencyKey })

  const [first, second] = server.requests
  expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
  expect(second?.body.equals(first?.body ?? Buffer.of())).toBe(true)
})

forEachTransport('$name: a call that is not billable has no unknown outcome', async (transport) => {
  const server = await loopbackServer(silence)
  const { client } = clientOver(transport, server.url, { timeoutMs: 150 })

  await expect(client.sessions.create()).rejects.toMatchObject({ name: 'TimeoutError', mayHaveArrived: true })
})

it('a billable call that succeeds after a reset is a success', async () => {
  const { fetch } = scriptedFetch(breakConnection, succeed(standalone(ageCheck())))
  const { client } = testClient({ fetch })

  await expect(client.checks.age(born)).resolves.toMatchObject({ status: 'passed' })
})
