import net, { createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { runInNewContext } from 'node:vm'
import type { Dispatcher } from 'undici'
import { expect, it, onTestFinished, vi } from 'vitest'
import { replayClient, replayClientOver } from '../../support/replay-endpoints.ts'
import { makeSelfSigned } from '../../support/self-signed.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { forEachTransport, transports } from '../../support/transports.ts'

const [pooled, fetched] = transports

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const withoutTls = () => createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))

forEachTransport(
  '$name: retries even a write after a server that hangs up, because nothing was sent',
  async (transport) => {
    let connections = 0
    const server = createServer((socket) => socket.destroy()).on('connection', (socket) => {
      connections++
      socket.on('error', () => {})
    })
    const { send } = replayClientOver(transport, `https://127.0.0.1:${await portOf(server)}`)

    const error = await thrownBy(send('if-not-executed'))

    expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false, attempts: 3 })
    expect(connections).toBe(3)
  },
)

it('fetch: does not retry a write after a server that does not speak TLS, because a broken record of an open connection has the same error', async () => {
  const { send } = replayClientOver(fetched, `https://127.0.0.1:${await portOf(withoutTls())}`)

  const error = await thrownBy(send('if-not-executed'))

  expect(error).toMatchObject({
    name: 'ConnectionError',
    mayHaveArrived: true,
    attempts: 1,
    cause: { cause: { code: 'ERR_SSL_WRONG_VERSION_NUMBER' } },
  })
})

it('undici: retries even a write after a server that does not speak TLS, because nothing was sent', async () => {
  const { send } = replayClientOver(pooled, `https://127.0.0.1:${await portOf(withoutTls())}`)

  const error = await thrownBy(send('if-not-executed'))

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false, attempts: 3 })
})

forEachTransport(
  '$name: retries even a write after a certificate of an unknown authority, because nothing was sent',
  async (transport) => {
    // Not the one that tests of proxies accept.
    const server = createTlsServer(makeSelfSigned())
    server.on('connection', (socket) => socket.on('error', () => {}))
    const { send } = replayClientOver(transport, `https://127.0.0.1:${await portOf(server)}`)

    const error = await thrownBy(send('if-not-executed'))

    expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false, attempts: 3 })
  },
)

const coded = (code: string, more: object = {}) => Object.assign(new Error('it failed'), { code, ...more })

const fetchFailsWith = (cause: unknown) => {
  const error = new TypeError('fetch failed', { cause: new Error('wrapped', { cause }) })
  return replayClient({ baseUrl: 'https://id.example.test', fetch: () => Promise.reject(error) })
}

const dispatcherFailsWith = (cause: unknown) => {
  const dispatcher = {
    dispatch(_: unknown, handler: Dispatcher.DispatchHandler) {
      handler.onError?.(cause as Error)
      return true
    },
  }
  return replayClient({ baseUrl: 'https://id.example.test', fetch: undefined, dispatcher })
}

const codes = [
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'ECONNRESET',
  'EPIPE',
]

it.each(
  ['getaddrinfo', 'queryA', 'queryAaaa', 'connect', 'read', 'write', 'shutdown'].flatMap((syscall) =>
    codes.map((code) => ({ code, syscall, isSent: ['read', 'write', 'shutdown'].includes(syscall) })),
  ),
)('after "$syscall $code", a request may have arrived: $isSent', async ({ code, syscall, isSent }) => {
  const cause = coded(code, { syscall })

  for (const client of [fetchFailsWith(cause), dispatcherFailsWith(cause)]) {
    const error = await thrownBy(client.send('if-not-executed'))

    expect(error).toMatchObject({
      name: 'ConnectionError',
      mayHaveArrived: isSent,
      attempts: isSent ? 1 : 3,
    })
  }
})

/** Patches sockets as MSW 3 and nock 15 do: they take the bytes of a request before they connect to its host. */
function patchSockets(failure: Error) {
  vi.spyOn(net, 'connect').mockImplementation(() => {
    const socket = new net.Socket()
    socket.write = () => {
      process.nextTick(() => socket.destroy(failure))
      return true
    }
    process.nextTick(() => socket.emit('connect'))
    return socket
  })
}

it.each([
  ['getaddrinfo', 'ENOTFOUND', false],
  ['connect', 'ECONNREFUSED', false],
  ['read', 'EHOSTUNREACH', true],
  [undefined, 'ENOTFOUND', true],
])('undici: after "%s %s" behind a patched socket, a request may have arrived: %s', async (syscall, code, isSent) => {
  patchSockets(coded(code, syscall === undefined ? {} : { syscall }))
  vi.stubGlobal('fetch', async () => new Response())
  const { send } = replayClientOver(pooled, 'http://localhost:9')

  const error = await thrownBy(send('if-not-executed'))

  expect(error).toMatchObject({
    name: 'ConnectionError',
    mayHaveArrived: isSent,
    attempts: isSent ? 1 : 3,
    message: expect.stringMatching(isSent ? /broke before/ : /could not connect.*set SVC_TRANSPORT=fetch/),
  })
})

it('undici: with HTTP/2, a failed connect may follow a request that was sent, because undici sends it again', async () => {
  patchSockets(coded('ECONNREFUSED', { syscall: 'connect' }))
  const { send } = replayClientOver(pooled, 'http://localhost:9', { http2: true })

  const error = await thrownBy(send('if-not-executed'))

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: true, attempts: 1 })
})

const connectFails = (code: string) => coded(code, { syscall: 'connect' })

it.each<[what: string, cause: unknown]>([
  ['a connect timeout of undici', coded('UND_ERR_CONNECT_TIMEOUT')],
  ['a proxy that refuses the tunnel of Bun', coded('ERR_PROXY_TUNNEL')],
  ['a proxy that refuses the tunnel of Node 26', coded('UND_ERR_PRX_CONN')],
  ['a certificate that has expired', coded('CERT_HAS_EXPIRED')],
  ['a certificate for another name', coded('ERR_TLS_CERT_ALTNAME_INVALID')],
  ['a certificate without its issuer', coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
  ['a certificate of an unknown issuer', coded('UNABLE_TO_GET_ISSUER_CERT_LOCALLY')],
  ['a self-signed certificate', coded('DEPTH_ZERO_SELF_SIGNED_CERT')],
  ['a self-signed issuer', coded('SELF_SIGNED_CERT_IN_CHAIN')],
  [
    "a connection that closed during the handshake, in Node's words",
    new Error('Client network socket disconnected before secure TLS connection was established'),
  ],
  ["a failed connection, in Deno's words", new Error('client error (Connect): tcp connect error')],
  [
    "a refused connection, in Bun's words",
    coded('ECONNREFUSED', {
      message: 'ECONNREFUSED: Unable to connect. Is the computer able to access the url?',
    }),
  ],
  [
    'failed connections to every address of the host',
    new AggregateError([connectFails('ETIMEDOUT'), connectFails('ENETUNREACH')]),
  ],
])('fetch: retries a write after %s, because nothing was sent', async (_, cause) => {
  const error = await thrownBy(fetchFailsWith(cause).send('if-not-executed'))

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false, attempts: 3 })
})

it.each([
  `Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' })`,
  `new AggregateError([Object.assign(new Error('x'), { syscall: 'connect' })])`,
])('fetch: retries a write after %s of another realm, as Jest gives each test file', async (source) => {
  const cause = runInNewContext(source)
  const fetch = () => Promise.reject(runInNewContext('new TypeError("fetch failed", { cause })', { cause }))
  const { send } = replayClient({ baseUrl: 'https://id.example.test', fetch })

  const error = await thrownBy(send('if-not-executed'))

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false, attempts: 3 })
})

it.each<[what: string, cause: unknown]>([
  ...codes.map((code): [string, unknown] => [`${code} of an unknown call`, coded(code)]),
  ['a call that starts like connect', coded('ECONNREFUSED', { syscall: 'connected' })],
  ['an error without a code', new Error('it failed')],
  [
    'a refused connection to one address and a broken connection to another',
    new AggregateError([connectFails('ECONNREFUSED'), coded('EPIPE', { syscall: 'write' })]),
  ],
  ['an aggregate of no errors', new AggregateError([])],
  ['a closed socket', coded('UND_ERR_SOCKET')],
  ['a bad TLS record', coded('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC')],
  ['a record that is not TLS', coded('ERR_SSL_WRONG_VERSION_NUMBER')],
  ['an alert of TLS', coded('ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE')],
  ['a renegotiation of TLS', coded('ERR_TLS_RENEGOTIATION_DISABLED')],
  ['a cause that is a string', 'a string'],
])('fetch: does not retry a write after %s, because it may have arrived', async (_, cause) => {
  const error = await thrownBy(fetchFailsWith(cause).send('if-not-executed'))

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: true, attempts: 1 })
})

it.each([
  ['that is its own cause', (error: Error) => Object.assign(error, { cause: error })],
  ['that contains itself', (error: Error) => Object.assign(new AggregateError([], error.message), { errors: [error] })],
])('fetch: reports an error %s as a ConnectionError', async (_, wrap) => {
  const error = new AggregateError([], 'it is circular')
  error.errors.push(error)
  const fetch = () => Promise.reject(wrap(error))
  const { send } = replayClient({ baseUrl: 'https://id.example.test', fetch })

  await expect(send('if-not-executed')).rejects.toMatchObject({
    name: 'ConnectionError',
    mayHaveArrived: true,
    cause: { message: 'it is circular' },
  })
})
