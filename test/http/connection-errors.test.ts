import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type ConfigurationError, ConnectionError } from '../../src/index.ts'
import { unusedUrl } from '../support/loopback-server.ts'
import { breakConnection, fail, refuseConnection, scriptedFetch } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { clientOver, forEachTransport, transports } from '../support/transports.ts'
import { testClient } from '../support/verification-client.ts'

const advice = /MSW, nock.*set SVC_TRANSPORT=fetch\. For a MockAgent of undici, pass dispatcher: 'global'/

/** A dispatcher that cannot connect. */
const refusing = {
  dispatch(_: unknown, handler: { onError(error: Error): void }) {
    handler.onError(Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' }))
    return true
  },
}

/** Removes every sign of a test runner. */
function outsideOfTests() {
  for (const name of ['NODE_ENV', 'VITEST', 'JEST_WORKER_ID', 'NODE_TEST_CONTEXT']) vi.stubEnv(name, '')
}

forEachTransport('$name: names the operation and the origin if it cannot connect', async (transport) => {
  outsideOfTests()
  const { client } = clientOver(transport, `${unusedUrl}/base`)

  const error = await thrownBy(client.sessions.create({}, { maxRetries: 0 }))

  expect(String(error)).toBe(
    `ConnectionError: sessions.create: could not connect to ${unusedUrl} (ECONNREFUSED). Check baseUrl. Nothing was sent, so you can call again.`,
  )
})

it('names the origin of a connection that broke, without advice', async () => {
  const { client } = testClient({ fetch: scriptedFetch(breakConnection).fetch, maxRetries: 0 })

  const error = await thrownBy(client.sessions.retrieve('sess_1'))

  expect(String(error)).toBe(
    'ConnectionError: sessions.retrieve: the connection to https://id.example.test broke before the response was complete (UND_ERR_SOCKET)',
  )
})

it('a connection that broke during a write says that the service may have executed the call', async () => {
  const { client } = testClient({ fetch: scriptedFetch(breakConnection).fetch, maxRetries: 0 })

  const error = await thrownBy(client.sessions.create())

  expect(String(error)).toBe(
    'ConnectionError: sessions.create: the connection to https://id.example.test broke before the response was complete (UND_ERR_SOCKET)' +
      '. The service may have executed the call: check before you call again.',
  )
})

it.each([
  ['429', fail(429, 'rate_limited', { 'retry-after': '0' })],
  ['500 internal_error', fail(500, 'internal_error')],
])('a refused connection after a response of %s does not say that nothing was sent', async (_, first) => {
  const { fetch } = scriptedFetch(first, refuseConnection)
  const { client } = testClient({ fetch, maxRetries: 1, sleep: async () => {} })

  const error = await thrownBy(client.sessions.create())

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false })
  expect(String(error)).toBe(
    'ConnectionError: sessions.create: could not connect to https://id.example.test again (ECONNREFUSED), after an earlier attempt had reached it. The service has not executed an earlier attempt, so you can call again.',
  )
})

it.each([
  ['NODE_ENV', 'test'],
  ['VITEST', 'true'],
  ['JEST_WORKER_ID', '1'],
  ['NODE_TEST_CONTEXT', 'child-v8'],
])('in a test (%s=%s), a request that reaches the network names the way to mock it', async (name, value) => {
  outsideOfTests()
  vi.stubEnv(name, value)
  const client = clientOver(transports[0], unusedUrl).client

  const error = await thrownBy(client.sessions.retrieve('sess_1', { maxRetries: 0 }))

  expect(error).toBeInstanceOf(ConnectionError)
  expect((error as Error).message).toMatch(advice)
})

it('outside of tests, and with a fetch or a dispatcher, the advice about mocks is left out', async () => {
  for (const options of [{ fetch: globalThis.fetch }, { fetch: undefined, dispatcher: refusing }]) {
    const { client } = testClient({ baseUrl: unusedUrl, maxRetries: 0, ...options })

    expect(String(await thrownBy(client.sessions.retrieve('sess_1')))).not.toMatch(advice)
  }
  outsideOfTests()
  const { client } = clientOver(transports[0], unusedUrl)
  expect(String(await thrownBy(client.sessions.retrieve('sess_1', { maxRetries: 0 })))).not.toMatch(advice)
})

it('also outside of tests, a replaced fetch has the advice about mocks', async () => {
  outsideOfTests()
  vi.stubGlobal('fetch', async () => new Response())
  const { client } = clientOver(transports[0], unusedUrl, { maxRetries: 0 })

  expect(String(await thrownBy(client.sessions.retrieve('sess_1')))).toMatch(advice)
})

/** Removes every proxy of this machine's environment. */
function withoutProxies() {
  for (const name of ['https_proxy', 'http_proxy', 'all_proxy', 'no_proxy'])
    for (const variable of [name, name.toUpperCase()]) vi.stubEnv(variable, undefined)
  vi.stubEnv('NODE_USE_ENV_PROXY', undefined)
}

it.each([
  ...['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].map((name) => [name, '']),
  ...['ALL_PROXY', 'all_proxy'].map((name) => [name, ' and HTTPS_PROXY']),
])('a failed connection with %s set says that the client does not use it, and what to set', async (name, more) => {
  outsideOfTests()
  withoutProxies()
  vi.stubEnv(name, 'http://user:canary@proxy.test:3128')
  const { client } = clientOver(transports[0], 'https://nowhere.invalid', { maxRetries: 0 })

  const error = String(await thrownBy(client.sessions.retrieve('sess_1')))

  expect(error).toMatch(
    `Check baseUrl. The environment variable ${name} is set, and the client does not use it. Set NODE_USE_ENV_PROXY=1${more}, or pass a dispatcher: see docs/guides/proxies-and-tls.md in the package.`,
  )
  expect(error).not.toMatch(/canary|proxy\.test/)
})

it('without a proxy for the host, on loopback, with a fetch or a dispatcher, and after sending, proxies are not mentioned', async () => {
  withoutProxies()
  const failureOf = async ({ client }: ReturnType<typeof testClient>) =>
    String(await thrownBy(client.sessions.retrieve('sess_1', { maxRetries: 0 })))
  expect(await failureOf(clientOver(transports[0], 'https://nowhere.invalid'))).not.toMatch(/_PROXY/)
  vi.stubEnv('HTTPS_PROXY', 'http://proxy.test:3128')
  vi.stubEnv('NO_PROXY', '.invalid')
  expect(await failureOf(clientOver(transports[0], 'https://nowhere.invalid'))).not.toMatch(/_PROXY/)
  vi.stubEnv('NO_PROXY', undefined)

  for (const failing of [
    clientOver(transports[0], unusedUrl),
    testClient({ fetch: scriptedFetch(refuseConnection).fetch }),
    testClient({ fetch: undefined, dispatcher: refusing }),
    testClient({ fetch: scriptedFetch(breakConnection).fetch }),
  ])
    expect(await failureOf(failing)).not.toMatch(/_PROXY/)
})

it("a connection that Node's permission model forbids is a ConfigurationError, and is not retried", async () => {
  const denied = Object.assign(new Error('Access to this API has been restricted'), {
    code: 'ERR_ACCESS_DENIED',
    permission: 'Net',
  })
  const { fetch, requests } = scriptedFetch(() => Promise.reject(new TypeError('fetch failed', { cause: denied })))
  const { client } = testClient({ fetch })

  const error = (await thrownBy(client.sessions.retrieve('sess_1'))) as ConfigurationError

  expect(error.name).toBe('ConfigurationError')
  expect(error.message).toBe(
    "sessions.retrieve: Node's permission model forbids the connection to https://id.example.test (ERR_ACCESS_DENIED). Start node with --allow-net.",
  )
  expect(requests).toHaveLength(1)
})

it('a port that fetch blocks is a ConfigurationError, and is not retried', async () => {
  const { client } = testClient({ baseUrl: 'http://127.0.0.1:6000', fetch: globalThis.fetch })

  const error = (await thrownBy(client.checks.age({ dob: '1990-01-01', bands: [18] }))) as ConfigurationError

  expect([error.name, error.message]).toEqual([
    'ConfigurationError',
    'checks.age: fetch blocks the port of http://127.0.0.1:6000, as browsers do, so nothing was sent. Use another port.',
  ])
})

it.each([
  [
    '220 mail.example.test ESMTP\r\n',
    'responded with something that is not valid HTTP/1.1: check baseUrl, and the proxies before it',
  ],
  [
    `HTTP/1.1 200 OK\r\nx-trace: ${'a'.repeat(20_000)}\r\n\r\n`,
    'responded with more headers than maxHeaderSize of Node or of your dispatcher (UND_ERR_HEADERS_OVERFLOW)',
  ],
])('a response that cannot be read is not called a broken connection: %j', async (text, what) => {
  const server = createServer((socket) => socket.on('error', () => {}).write(text)).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${Object(server.address()).port}`

  for (const transport of transports)
    await expect(clientOver(transport, url, { maxRetries: 0 }).client.sessions.retrieve('sess_1')).rejects.toThrow(
      `sessions.retrieve: ${url} ${what}`,
    )
})

it('a fetch that is a method without its object is a ConfigurationError, and is not retried', async () => {
  const { client } = testClient({
    fetch: () => {
      throw new TypeError('Illegal invocation: function called with incorrect `this` reference.')
    },
  })

  const error = (await thrownBy(client.checks.age({ dob: '1990-01-01', bands: [18] }))) as ConfigurationError

  expect([error.name, error.message]).toEqual([
    'ConfigurationError',
    'checks.age: the option fetch is a method without its object, so nothing was sent. Pass (url, init) => env.SERVICE.fetch(url, init).',
  ])
})
