import { createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { replayClient } from '../../support/replay-endpoints.ts'
import { selfSigned } from '../../support/self-signed.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { forEachTransport, type Transport, transports } from '../../support/transports.ts'

function clientOver(transport: Transport, baseUrl: string, options: object = {}) {
  const client = replayClient({ baseUrl, ...transport.options, ...options })
  onTestFinished(() => client.http.close())
  return client
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const brokenTls = {
  'a server that does not speak TLS': () =>
    createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  'a server that hangs up': () => createServer((socket) => socket.destroy()),
  'a self-signed certificate': () => createTlsServer(selfSigned),
} as const

it.each(
  transports.flatMap((transport) =>
    Object.entries(brokenTls).map(([what, create]) => ({ name: transport.name, transport, what, create })),
  ),
)('$name: retries even a write after $what, because nothing was sent', async ({ transport, create }) => {
  let connections = 0
  const server = create().on('connection', (socket) => {
    connections++
    socket.on('error', () => {})
  })
  const { send } = clientOver(transport, `https://127.0.0.1:${await portOf(server)}`)

  const error = await thrownBy(send('if-not-executed'))

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false, attempts: 3 })
  expect(connections).toBe(3)
})

forEachTransport('$name: reports an unknown host as a failure before sending', async (transport) => {
  const { send } = clientOver(transport, 'https://nowhere.invalid', { maxRetries: 0 })

  const error = await thrownBy(send('never'))

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false })
})

const coded = (code: string, more: object = {}) => Object.assign(new Error('it failed'), { code, ...more })

const fetchFailsWith = (cause: unknown) => {
  const error = new TypeError('fetch failed', { cause: new Error('wrapped', { cause }) })
  return replayClient({ baseUrl: 'https://id.example.test', fetch: () => Promise.reject(error) })
}

it.each<[what: string, cause: unknown]>([
  ['an unknown name', coded('ENOTFOUND')],
  ['a name server that does not respond', coded('EAI_AGAIN')],
  ['a refused connection', coded('ECONNREFUSED')],
  ['an unreachable host', coded('EHOSTUNREACH')],
  ['an unreachable network', coded('ENETUNREACH')],
  ['a local address that is not available', coded('EADDRNOTAVAIL')],
  ['a connect timeout of undici', coded('UND_ERR_CONNECT_TIMEOUT')],
  ['a connect timeout of the system', coded('ETIMEDOUT', { syscall: 'connect' })],
  ['a reset during the connect', coded('ECONNRESET', { syscall: 'connect' })],
  ['a certificate that has expired', coded('CERT_HAS_EXPIRED')],
  ['a certificate for another name', coded('ERR_TLS_CERT_ALTNAME_INVALID')],
  ['a certificate without its issuer', coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
  ['a certificate of an unknown issuer', coded('UNABLE_TO_GET_ISSUER_CERT_LOCALLY')],
  ['a self-signed certificate', coded('DEPTH_ZERO_SELF_SIGNED_CERT')],
  ['a self-signed issuer', coded('SELF_SIGNED_CERT_IN_CHAIN')],
  ['a server that does not speak TLS', coded('ERR_SSL_WRONG_VERSION_NUMBER')],
  ['another version of TLS', coded('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')],
  ['a failed handshake', coded('ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE')],
  [
    "a connection that closed during the handshake, in Node's words",
    new Error('Client network socket disconnected before secure TLS connection was established'),
  ],
  ["a failed connection, in Deno's words", new Error('client error (Connect): tcp connect error')],
  [
    'failed connections to every address of the host',
    new AggregateError([coded('ETIMEDOUT', { syscall: 'connect' }), coded('ENETUNREACH')]),
  ],
])('fetch: retries a write after %s, because nothing was sent', async (_, cause) => {
  const error = await thrownBy(fetchFailsWith(cause).send('if-not-executed'))

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false, attempts: 3 })
})

it.each<[what: string, cause: unknown]>([
  ['a code that starts like one of a failed connect', coded('ECONNREFUSED_LATER')],
  ['a code that ends like one of a failed connect', coded('PROXY_ECONNREFUSED')],
  ['an error without a code', new Error('it failed')],
  [
    'a refused connection to one address and a broken connection to another',
    new AggregateError([coded('ECONNREFUSED'), coded('EPIPE')]),
  ],
  ['an aggregate of no errors', new AggregateError([])],
  ['a reset', coded('ECONNRESET', { syscall: 'read' })],
  ['a broken pipe', coded('EPIPE', { syscall: 'write' })],
  ['a closed socket', coded('UND_ERR_SOCKET')],
  ['a read that timed out', coded('ETIMEDOUT', { syscall: 'read' })],
  ['a bad TLS record', coded('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC')],
  ['a cause that is a string', 'a string'],
])('fetch: does not retry a write after %s, because it may have arrived', async (_, cause) => {
  const error = await thrownBy(fetchFailsWith(cause).send('if-not-executed'))

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: true, attempts: 1 })
})

it.each([
  ['that is its own cause', (error: Error) => Object.assign(error, { cause: error })],
  [
    'that contains itself',
    (error: Error) => Object.assign(new AggregateError([], error.message), { errors: [error] }),
  ],
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
