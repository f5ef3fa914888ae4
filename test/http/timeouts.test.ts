import { createServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Agent, buildConnector } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { type RequestEvent, TimeoutError } from '../../src/index.ts'
import { loopbackServer, type Responder, respondWith, trickleWith } from '../support/loopback-server.ts'
import { hangThen, scriptedFetch } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { clientOver, forEachTransport } from '../support/transports.ts'
import { apiKey, testClient } from '../support/verification-client.ts'

// No test waits for a real timeout: the attempt's timer fires when the test advances the clock of the client. Where a
// response may stop is in test/faults.

const noFetch = () => expect.fail('something was sent')

const advice = '. The service may have executed the call: check before you call again.'

it.each([
  ['a write, for timeoutMs', 'sessions.create', { timeoutMs: 150 }, `an attempt outlasted timeoutMs (150 ms)${advice}`],
  [
    'a write, for deadlineMs',
    'sessions.create',
    { deadlineMs: 150 },
    `the call outlasted deadlineMs (150 ms)${advice}`,
  ],
  ['a read', 'sessions.retrieve', { timeoutMs: 150 }, 'an attempt outlasted timeoutMs (150 ms)'],
] as const)(
  'a timeout after which a call must not be sent again unchecked says so: %s',
  async (_, operation, limit, message) => {
    const { fetch } = scriptedFetch(hangThen(() => test.advance(150)))
    const test = testClient({ fetch, maxRetries: 0, ...limit })
    const { sessions } = test.client

    const error = await thrownBy(operation === 'sessions.create' ? sessions.create() : sessions.retrieve('sess_1'))

    expect(String(error)).toBe(`TimeoutError: ${operation}: ${message}`)
  },
)

forEachTransport('$name: ends a call after deadlineMs while its body trickles', async (transport) => {
  const server = await loopbackServer(trickleWith(() => test.advance(10)))
  const test = clientOver(transport, server.url)

  const error = await thrownBy(test.client.sessions.retrieve('s', { deadlineMs: 40 }))

  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'deadlineMs', limitMs: 40, attempts: 1 })
})

forEachTransport('$name: gives each retry the full timeoutMs', async (transport) => {
  const late: Responder = async (response, request) => {
    await test.advance(99)
    respondWith(200, { data: {} })(response, request)
  }
  const server = await loopbackServer(() => test.advance(100), late)
  const test = clientOver(transport, server.url, { timeoutMs: 100 })

  await expect(test.client.sessions.retrieve('s')).resolves.toEqual({})
  expect(test.timers).toEqual([100, 100])
})

forEachTransport('$name: limits each attempt to what the deadline leaves', async (transport) => {
  const server = await loopbackServer(respondWith(503))
  const test = clientOver(transport, server.url, { timeoutMs: 1000 })

  await thrownBy(test.client.sessions.retrieve('s', { deadlineMs: 1200 }))

  expect(test.timers).toEqual([1000, 700])
})

forEachTransport('$name: closes the socket of an attempt that timed out', async (transport) => {
  let onClose = () => {}
  const closed = new Promise<void>((resolve) => {
    onClose = resolve
  })
  const server = await loopbackServer((response) => {
    response.once('close', onClose)
    return test.advance(150)
  })
  const test = clientOver(transport, server.url, { maxRetries: 0, timeoutMs: 150 })

  await thrownBy(test.client.sessions.retrieve('s'))

  await closed
})

it('retries a write that timed out before the connection was established', async () => {
  // Accepts connections, and never completes the TLS handshake.
  const stuck = createServer(() => test.advance(30))
  await new Promise<void>((resolve) => stuck.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void stuck.close())
  const address = stuck.address() as { port: number }
  // The pool still waits for the same connection at the second attempt.
  const onEvent = ({ type, attempt }: RequestEvent) => {
    if (type === 'request' && attempt === 2) void test.advance(30)
  }
  const test = testClient({
    baseUrl: `https://127.0.0.1:${address.port}`,
    fetch: undefined,
    timeoutMs: 30,
    maxRetries: 1,
    onEvent,
  })

  const error = await thrownBy(test.client.sessions.create())

  expect(error).toMatchObject({ name: 'TimeoutError', mayHaveArrived: false, attempts: 2 })
})

it('never sends a request that timed out before the connection was established', async () => {
  const server = await loopbackServer()
  const connect = buildConnector({})
  const dispatcher = new Agent({
    connect: async (options, done) => {
      await test.advance(10)
      connect(options, done)
    },
  })
  onTestFinished(() => dispatcher.destroy())
  const test = testClient({
    baseUrl: server.url,
    fetch: undefined,
    dispatcher,
    timeoutMs: 10,
    maxRetries: 0,
  })

  const error = await thrownBy(test.client.sessions.retrieve('timed-out'))
  await test.client.sessions.retrieve('next', { timeoutMs: 1000 })

  expect(error).toMatchObject({ name: 'TimeoutError', mayHaveArrived: false })
  expect(server.requests.map(({ target }) => target)).toEqual(['/api/v2/session/next'])
})

it('times out while the apiKey function is pending, and retries because nothing was sent', async () => {
  const test = testClient({
    fetch: noFetch,
    apiKey: () => {
      void test.advance(10)
      return new Promise<string>(() => {})
    },
    timeoutMs: 10,
  })

  const error = await thrownBy(test.client.sessions.create())

  expect(error).toMatchObject({ name: 'TimeoutError', mayHaveArrived: false, attempts: 3 })
})

it('ignores the result of an apiKey function whose attempt has timed out', async () => {
  let resolveKey = (_: string) => {}
  const key = new Promise<string>((resolve) => {
    resolveKey = resolve
  })
  const test = testClient({
    fetch: noFetch,
    apiKey: () => {
      void test.advance(5)
      return key
    },
    timeoutMs: 5,
    maxRetries: 0,
  })

  const error = await thrownBy(test.client.sessions.retrieve('s'))
  resolveKey(apiKey)
  await setImmediate()

  expect(error).toBeInstanceOf(TimeoutError)
})

it('reports timeoutMs as the limit if it equals what the deadline leaves', async () => {
  const { fetch } = scriptedFetch(hangThen(() => test.advance(10)))
  const test = testClient({ fetch, timeoutMs: 10, deadlineMs: 10, maxRetries: 0 })

  const error = await thrownBy(test.client.sessions.create())

  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'timeoutMs', limitMs: 10 })
})

it('times out while an image is pending, before anything is sent', async () => {
  const test = testClient({ fetch: noFetch, timeoutMs: 10, maxRetries: 0 })
  const image = () => {
    void test.advance(10)
    return new Promise<Uint8Array>(() => {})
  }

  const error = await thrownBy(test.client.checks.liveness({ image }))

  expect(error).toMatchObject({ name: 'TimeoutError', mayHaveArrived: false })
})

it('times out even if a fetch ignores its signal', async () => {
  const fetch = () => {
    void test.advance(10)
    return new Promise<Response>(() => {})
  }
  const test = testClient({ fetch, timeoutMs: 10, maxRetries: 0 })

  expect(await thrownBy(test.client.sessions.retrieve('s'))).toBeInstanceOf(TimeoutError)
})

it('ignores the failure of a fetch whose attempt has timed out', async () => {
  let failLate = (_: Error) => {}
  const fetch = () => {
    void test.advance(5)
    return new Promise<Response>((_, reject) => {
      failLate = reject
    })
  }
  const test = testClient({ fetch, timeoutMs: 5, maxRetries: 0 })

  const error = await thrownBy(test.client.sessions.retrieve('s'))
  failLate(new Error('late'))
  // An unhandled rejection would fail the run.
  await setImmediate()

  expect(error).toBeInstanceOf(TimeoutError)
})
