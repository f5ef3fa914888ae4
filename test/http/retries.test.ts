import { expect, it } from 'vitest'
import type { Replay } from '../../src/contract/endpoint.ts'
import { type ApiError, describeErrorCode } from '../../src/index.ts'
import { loopbackServer, reset, respondWith, success, unusedUrl } from '../support/loopback-server.ts'
import { endpointByReplay, replayClient, replayClientOver } from '../support/replay-endpoints.ts'
import { fail, respond, type Step, scriptedFetch } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { forEachTransport, transports } from '../support/transports.ts'
import { testClient } from '../support/verification-client.ts'

/** The number of attempts, of at most three, for each rule of replay. */
type Attempts = Readonly<Record<Replay, number>>

const always: Attempts = { safe: 3, 'with-key': 3, 'if-not-executed': 3, never: 3 }
const never: Attempts = { safe: 1, 'with-key': 1, 'if-not-executed': 1, never: 1 }
const ifHarmless: Attempts = { ...never, safe: 3, 'with-key': 3 }
const exceptTokens: Attempts = { ...always, never: 1 }

const failures: readonly [what: string, step: Step, attempts: Attempts, error: string][] = [
  ['408', fail(408, 'request_timeout'), ifHarmless, 'ApiError'],
  ['429', fail(429, 'rate_limited'), exceptTokens, 'RateLimitError'],
  ['500', fail(500, 'token_error'), ifHarmless, 'ServerError'],
  ['500 from a proxy', respond(500, '<html>'), ifHarmless, 'ServerError'],
  ['500 internal_error', fail(500, 'internal_error'), exceptTokens, 'ServerError'],
  ['502', respond(502, '<html>'), ifHarmless, 'ServerError'],
  ['503', fail(503, 'engine_unreachable'), ifHarmless, 'ServerError'],
  ['503 internal_error', fail(503, 'internal_error'), ifHarmless, 'ServerError'],
  ['504', respond(504, ''), ifHarmless, 'ServerError'],
  ['506', respond(506, ''), ifHarmless, 'ServerError'],
  ['507', fail(507, 'insufficient_storage'), ifHarmless, 'ServerError'],
  ['520 from a proxy', respond(520, '<html>'), ifHarmless, 'ServerError'],
  ['529', respond(529, '{}'), ifHarmless, 'ServerError'],
  ['599', respond(599, ''), ifHarmless, 'ServerError'],
  ['501', respond(501, ''), never, 'ServerError'],
  ['505', respond(505, ''), never, 'ServerError'],
  ['302', respond(302, '', { location: '/' }), never, 'ApiError'],
  ['400', fail(400, 'validation_error'), never, 'BadRequestError'],
  ['401', fail(401, 'invalid_api_key'), never, 'AuthenticationError'],
  ['402', fail(402, 'balance_exhausted'), never, 'PaymentRequiredError'],
  ['404', fail(404, 'not_found'), never, 'NotFoundError'],
  ['409', fail(409, 'already_decided'), never, 'ConflictError'],
  ['422 idempotency_key_reused', fail(422, 'idempotency_key_reused'), never, 'UnprocessableError'],
  ['a page with status 200', respond(200, '<html>'), never, 'InvalidResponseError'],
  ['429 too_many_attempts', fail(429, 'too_many_attempts'), never, 'RateLimitError'],
  ['423 verification_soft_locked', fail(423, 'verification_soft_locked'), never, 'LockedError'],
  ['429 verification_soft_locked', fail(429, 'verification_soft_locked'), never, 'RateLimitError'],
  ['500 invalid_config', fail(500, 'invalid_config'), never, 'ServerError'],
  ['500 misconfigured', fail(500, 'misconfigured'), never, 'ServerError'],
  ['503 misconfigured', fail(503, 'misconfigured'), never, 'ServerError'],
  ['500 sso_not_configured', fail(500, 'sso_not_configured'), never, 'ServerError'],
]

const matrix = failures.flatMap(([what, step, attempts, error]) =>
  (Object.keys(attempts) as Replay[]).map((replay) => ({
    what,
    step,
    replay,
    attempts: attempts[replay],
    error,
  })),
)

// A failure of the connection depends on the transport: test/faults.
it.each(matrix)(
  'makes $attempts attempts if each ends with $what and replay is $replay',
  async ({ what, step, replay, attempts, error: name }) => {
    const { fetch, requests } = scriptedFetch(step)
    const { send } = replayClient({ baseUrl: 'https://id.example.test', fetch })

    const error = await thrownBy(send(replay))

    expect(requests).toHaveLength(attempts)
    const isUnknown = replay === 'with-key' && what === '408'
    expect(error).toMatchObject({ name: isUnknown ? 'OutcomeUnknownError' : name, attempts })
    const sent = requests.map(({ method, url, headers, body }) =>
      JSON.stringify([method, url, headers.get('idempotency-key'), Buffer.from(body).toString('latin1')]),
    )
    expect(new Set(sent).size).toBe(1)
    expect(typeof requests[0]?.headers.get('idempotency-key')).toBe(replay === 'with-key' ? 'string' : 'object')
  },
)

it.each(
  transports.flatMap((transport) =>
    (Object.keys(endpointByReplay) as Replay[]).map((replay) => ({
      name: transport.name,
      transport,
      replay,
    })),
  ),
)('$name: retries after a refused connection if replay is $replay', async ({ transport, replay }) => {
  const { send, waits } = replayClientOver(transport, unusedUrl)

  const error = await thrownBy(send(replay))

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false, attempts: 3 })
  expect((error as Error).cause).toMatchObject({ name: transport.name === 'fetch' ? 'TypeError' : 'Error' })
  expect(waits).toEqual([500, 1000])
})

it.each([
  [{ maxRetries: 1 }, {}, 2],
  [{ maxRetries: 1 }, { maxRetries: 2 }, 3],
  [{ maxRetries: 1 }, { maxRetries: 0 }, 1],
  [{ deadlineMs: 600 }, {}, 2],
  [{ deadlineMs: 600 }, { deadlineMs: 10_000 }, 3],
])(
  'limits sessions.updateStatus by the options %j of the client and %j of the call: %i attempts',
  async (ofClient, ofCall, attempts) => {
    const { fetch, requests } = scriptedFetch(fail(429, 'rate_limited'))
    const { client } = testClient({ fetch, ...ofClient })

    await client.sessions.updateStatus('s', { status: 'DECLINED' }, ofCall).catch(() => {})

    expect(requests.filter(({ method }) => method === 'PATCH')).toHaveLength(attempts)
  },
)

forEachTransport('$name: returns the data of a success that follows failures', async (transport) => {
  const server = await loopbackServer(reset, respondWith(503), success({ id: 1 }))
  const { send } = replayClientOver(transport, server.url)

  const { data, response } = await send('with-key').withResponse()

  expect(data).toEqual({ id: 1 })
  expect(response.attempts).toBe(3)
})

forEachTransport('$name: sends the idempotency key of the caller with every attempt', async (transport) => {
  const server = await loopbackServer(respondWith(503), reset, success({}))
  const { send } = replayClientOver(transport, server.url)

  await send('with-key', { idempotencyKey: 'order-42/a' })

  const keys = server.requests.map(({ headers }) => headers['idempotency-key'])
  expect(keys).toEqual(Array(3).fill('order-42/a'))
})

forEachTransport(
  '$name: sends a key of the caller with a write, but does not retry the write because of it',
  async (transport) => {
    const server = await loopbackServer(reset)
    const { send } = replayClientOver(transport, server.url)

    const error = await thrownBy(send('if-not-executed', { idempotencyKey: 'mine' }))

    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine'])
    expect(error).toMatchObject({ name: 'ConnectionError', idempotencyKey: 'mine' })
  },
)

forEachTransport('$name: sends no idempotency key with a read', async (transport) => {
  const server = await loopbackServer()
  const { send } = replayClientOver(transport, server.url)

  await send('safe', { idempotencyKey: 'mine' })

  expect(server.requests[0]?.headers).not.toHaveProperty('idempotency-key')
})

it('generates a different key for each call', async () => {
  const server = await loopbackServer()
  const { send } = replayClientOver(transports[0], server.url)

  await Promise.all([send('with-key'), send('with-key')])

  const keys = server.requests.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(2)
})

it.each([408, 429, 500, 501, 502, 503, 504, 505, 506, 520, 599, 400, 404])(
  'describes http_%i as worth a retry exactly if errors of that status are retryable',
  async (status) => {
    const { client } = testClient({ fetch: scriptedFetch(respond(status, '')).fetch, maxRetries: 0 })

    const error = (await thrownBy(client.sessions.retrieve('s'))) as ApiError

    expect(error.code).toBe(`http_${status}`)
    expect(describeErrorCode(error.code)?.advice.retry === 'later').toBe(error.retryable)
  },
)
