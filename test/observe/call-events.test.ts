import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type RequestEvent, ServerError } from '../../src/index.ts'
import { ageCheck, aSession, standalone } from '../support/fixtures.ts'
import { loopbackServer, respondWith } from '../support/loopback-server.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import { breakConnection, fail, hangThen, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { clientOver, forEachTransport } from '../support/transports.ts'
import { testClient } from '../support/verification-client.ts'

const born = { dob: '2001-05-17', bands: [18] }
const unavailable = fail(503, 'engine_unreachable')
const aged = succeed(standalone(ageCheck()))

/** Options with hooks, and what the hooks received. */
function recorder() {
  const events: RequestEvent[] = []
  const { logger, records } = recordingLogger()
  return { events, records, options: { logger, onEvent: (event: RequestEvent) => void events.push(event) } }
}

it('reports every attempt, its response and the wait before the next attempt', async () => {
  const { events, options } = recorder()
  const { fetch } = scriptedFetch(breakConnection, unavailable, aged)
  const { client } = testClient({ fetch, ...options })

  await client.checks.age(born, { idempotencyKey: 'mine' })

  const call = {
    callId: events[0]?.callId,
    operation: 'checks.age',
    method: 'POST',
    path: '/api/v2/age-verification',
    idempotencyKey: 'mine',
  }
  const responded = { requestId: 'req_1', durationMs: 0 }
  expect(events).toEqual([
    { ...call, type: 'request', attempt: 1 },
    {
      ...call,
      type: 'retry',
      attempt: 1,
      delayMs: 500,
      error: expect.objectContaining({ code: 'connection_failed' }),
    },
    { ...call, type: 'request', attempt: 2 },
    { ...call, type: 'response', attempt: 2, status: 503, ...responded },
    { ...call, type: 'retry', attempt: 2, delayMs: 1000, error: expect.any(ServerError) },
    { ...call, type: 'request', attempt: 3 },
    { ...call, type: 'response', attempt: 3, status: 200, ...responded },
  ])
})

it('gives all events of a call the same id, and concurrent calls with one key different ids', async () => {
  const { events, options } = recorder()
  const { fetch } = scriptedFetch(unavailable, unavailable, aged, aged)
  const { client } = testClient({ fetch, ...options })
  const key = { idempotencyKey: 'mine' }

  await Promise.all([client.checks.age(born, key), client.checks.age(born, key)])

  const ids = events.map(({ callId }) => callId)
  const [one, other] = [...new Set(ids)]
  expect(ids).toEqual([one, other, one, other, one, other, one, other, one, other])
  expect(one).toMatch(/^[0-9a-f-]{36}$/)
})

it('leaves unknown facts out of an event, such as a request id that was not sent', async () => {
  const { events, options } = recorder()
  const { fetch } = scriptedFetch(
    () => new Response('', { status: 503 }),
    (signal) => {
      test.passTime(70)
      return fail(404, 'not_found')(signal)
    },
  )
  const test = testClient({ fetch, ...options })
  test.passTime(1_000)

  const error = await thrownBy(test.client.sessions.retrieve('s'))

  const common = {
    callId: events[0]?.callId,
    operation: 'sessions.retrieve',
    method: 'GET',
    path: '/api/v2/session/{id}',
  }
  expect(events).toStrictEqual([
    { ...common, type: 'request', attempt: 1 },
    { ...common, type: 'response', attempt: 1, status: 503, durationMs: 0 },
    { ...common, type: 'retry', attempt: 1, delayMs: 500, error: expect.any(Error) },
    { ...common, type: 'request', attempt: 2 },
    { ...common, type: 'response', attempt: 2, status: 404, durationMs: 70, requestId: 'req_1' },
    { ...common, type: 'error', attempt: 2, durationMs: 570, error },
  ])
  expect(events.at(-1)).toHaveProperty('error', error)
})

it('reports the path template, never an id', async () => {
  const { events, records, options } = recorder()
  const { fetch } = scriptedFetch(succeed())
  const { client } = testClient({ fetch, ...options })

  await client.sessions.retrieve('ada@example.test')

  // Not `ada` alone, which the random id of a call may contain.
  expect(JSON.stringify([events, records])).not.toMatch(/ada(?:@|%40)/)
})

forEachTransport('$name: reports status and request id of a response whose body cannot be read', async (transport) => {
  const { events, options } = recorder()
  const server = await loopbackServer(respondWith(200, 'no gzip', { 'content-encoding': 'gzip' }))
  const { client } = clientOver(transport, server.url, { ...options, maxRetries: 0 })

  await thrownBy(client.sessions.retrieve('s'))

  expect(events).toMatchObject([
    { type: 'request' },
    { type: 'response', status: 200, requestId: 'req_1', durationMs: 0 },
    { type: 'error', error: { code: 'invalid_response' } },
  ])
})

it('reports no response for an attempt that timed out', async () => {
  const { events, options } = recorder()
  const { fetch } = scriptedFetch(hangThen(() => test.advance(5)))
  const test = testClient({ fetch, timeoutMs: 5, maxRetries: 0, ...options })

  await thrownBy(test.client.sessions.create())

  expect(events.map(({ type }) => type)).toEqual(['request', 'error'])
})

it('logs attempts at debug level, and retries and failures as warnings', async () => {
  const { events, records, options } = recorder()
  const { fetch } = scriptedFetch(unavailable, fail(404, 'not_found'))
  const { client } = testClient({ fetch, ...options })

  await thrownBy(client.sessions.retrieve('s'))

  expect(records.map(([level, message]) => `${level}: ${message}`)).toEqual([
    'debug: sessions.retrieve request',
    'debug: sessions.retrieve response',
    'warn: sessions.retrieve retry',
    'debug: sessions.retrieve request',
    'debug: sessions.retrieve response',
    'warn: sessions.retrieve error',
  ])
  expect(records.map(([, , fields]) => fields)).toEqual(events)
})

const throwing = () => {
  throw new Error('a hook failed')
}
const rejecting = () => Promise.reject(new Error('a hook failed'))

it.each([
  ['throw', throwing],
  ['reject', rejecting],
])('returns the same results if the hooks %s', async (_, hook) => {
  const logger = { debug: hook, info: hook, warn: hook, error: hook }
  const { fetch } = scriptedFetch(unavailable, aged, succeed(aSession({ features: 1 })), fail(404, 'not_found'))
  const { client } = testClient({ fetch, logger, onEvent: hook })
  const image = Uint8Array.of(1)

  await expect(client.checks.liveness({ image }, { onUploadProgress: hook })).resolves.toBeDefined()
  await expect(client.sessions.retrieve('s')).resolves.toBeDefined()
  await expect(client.sessions.retrieve('s')).rejects.toMatchObject({ code: 'not_found' })
  await setImmediate()
})
