import { createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import type { Replay } from '../../src/contract/endpoint.ts'
import { operations, pipeline } from '../support/replay-endpoints.ts'
import {
  respondWith,
  unusedUrl,
  failure,
  loopbackServer,
  type Responder,
  reset,
  silence,
  success,
} from '../support/loopback-server.ts'
import { selfSigned } from '../support/self-signed.ts'
import { forEachTransport, type Transport, transports } from '../support/transports.ts'

/** How often a server is asked, of at most three times, by the kind of replay. */
type Attempts = Readonly<Record<Replay, number>>

const everywhere: Attempts = { safe: 3, 'with-key': 3, 'if-not-executed': 3, never: 3 }
const nowhere: Attempts = { safe: 1, 'with-key': 1, 'if-not-executed': 1, never: 1 }
const whereHarmless: Attempts = { ...nowhere, safe: 3, 'with-key': 3 }
const notForTokens: Attempts = { ...everywhere, never: 1 }

const failures: readonly [what: string, reply: Responder, attempts: Attempts, error: string][] = [
  ['a reset', reset, whereHarmless, 'ConnectionError'],
  ['a timeout', silence, whereHarmless, 'TimeoutError'],
  ['408', failure(408, 'request_timeout'), whereHarmless, 'ApiError'],
  ['429', failure(429, 'rate_limited'), notForTokens, 'RateLimitError'],
  ['500', failure(500, 'token_error'), whereHarmless, 'ServerError'],
  ['500 from a proxy', respondWith(500, '<html>'), whereHarmless, 'ServerError'],
  ['500 internal_error', failure(500, 'internal_error'), notForTokens, 'ServerError'],
  ['502', respondWith(502, '<html>'), whereHarmless, 'ServerError'],
  ['503', failure(503, 'engine_unreachable'), whereHarmless, 'ServerError'],
  ['503 internal_error', failure(503, 'internal_error'), whereHarmless, 'ServerError'],
  ['504', respondWith(504, ''), whereHarmless, 'ServerError'],
  ['501', respondWith(501, ''), nowhere, 'ServerError'],
  ['505', respondWith(505, ''), nowhere, 'ServerError'],
  ['302', respondWith(302, '', { location: '/' }), nowhere, 'ApiError'],
  ['400', failure(400, 'validation_error'), nowhere, 'BadRequestError'],
  ['401', failure(401, 'invalid_api_key'), nowhere, 'AuthenticationError'],
  ['402', failure(402, 'balance_exhausted'), nowhere, 'PaymentRequiredError'],
  ['404', failure(404, 'not_found'), nowhere, 'NotFoundError'],
  ['409', failure(409, 'already_decided'), nowhere, 'ConflictError'],
  ['422 idempotency_key_reused', failure(422, 'idempotency_key_reused'), nowhere, 'UnprocessableError'],
  ['a page with 200', respondWith(200, '<html>'), nowhere, 'InvalidResponseError'],
  ['429 too_many_attempts', failure(429, 'too_many_attempts'), nowhere, 'RateLimitError'],
  ['423 verification_soft_locked', failure(423, 'verification_soft_locked'), nowhere, 'LockedError'],
  ['429 verification_soft_locked', failure(429, 'verification_soft_locked'), nowhere, 'RateLimitError'],
  ['500 invalid_config', failure(500, 'invalid_config'), nowhere, 'ServerError'],
  ['500 misconfigured', failure(500, 'misconfigured'), nowhere, 'ServerError'],
  ['503 misconfigured', failure(503, 'misconfigured'), nowhere, 'ServerError'],
  ['500 sso_not_configured', failure(500, 'sso_not_configured'), nowhere, 'ServerError'],
]

const matrix = transports.flatMap((transport) =>
  failures.flatMap(([what, reply, attempts, error]) =>
    (Object.keys(attempts) as Replay[]).map((replay) => ({
      name: transport.name,
      transport,
      what,
      reply,
      replay,
      attempts: attempts[replay],
      error,
    })),
  ),
)

function over(transport: Transport, baseUrl: string, options: object = {}) {
  const made = pipeline({ baseUrl, ...transport.options, ...options })
  onTestFinished(() => made.http.close())
  return made
}

const thrownBy = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  )

it.each(matrix)('$name: $what, replay $replay: $attempts attempts', async (row) => {
  const server = await loopbackServer(row.reply)
  const { send } = over(row.transport, server.url, row.reply === silence ? { timeoutMs: 100 } : {})

  const error = await thrownBy(send(row.replay))

  expect(server.requests).toHaveLength(row.attempts)
  const isUnknown = row.replay === 'with-key' && (row.reply === reset || row.reply === silence)
  expect(error).toMatchObject({ name: isUnknown ? 'OutcomeUnknownError' : row.error, attempts: row.attempts })
  const sent = server.requests.map(({ method, target, headers, body }) => ({
    method,
    target,
    body: body.toString('latin1'),
    key: headers['idempotency-key'],
  }))
  expect(new Set(sent.map((request) => JSON.stringify(request))).size).toBe(1)
  expect(typeof sent[0]?.key).toBe(row.replay === 'with-key' ? 'string' : 'undefined')
})

it.each(
  transports.flatMap((transport) =>
    (Object.keys(operations) as Replay[]).map((replay) => ({ name: transport.name, transport, replay })),
  ),
)('$name: a refused connection is tried again, replay $replay', async ({ transport, replay }) => {
  const { send, waits } = over(transport, await unusedUrl())

  const error = await thrownBy(send(replay))

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false, attempts: 3 })
  expect((error as Error).cause).toMatchObject({ name: transport.name === 'fetch' ? 'TypeError' : 'Error' })
  expect(waits).toEqual([500, 1000])
})

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const brokenTls = {
  'a server that does not speak TLS': () =>
    createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  'a server that hangs up': () => createServer((socket) => socket.destroy()),
  'a certificate that nobody vouches for': () => createTlsServer(selfSigned),
} as const

it.each(
  transports.flatMap((transport) =>
    Object.entries(brokenTls).map(([what, make]) => ({ name: transport.name, transport, what, make })),
  ),
)('$name: nothing was sent to $what, so even a write is tried again', async ({ transport, make }) => {
  let connections = 0
  const server = make().on('connection', (socket) => {
    connections++
    socket.on('error', () => {})
  })
  const { send } = over(transport, `https://127.0.0.1:${await listening(server)}`)

  const error = await thrownBy(send('if-not-executed'))

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false, attempts: 3 })
  expect(connections).toBe(3)
})

forEachTransport('$name: an unknown host is a failure before sending', async (transport) => {
  const { send } = over(transport, 'https://nowhere.invalid', { maxRetries: 0 })

  const error = await thrownBy(send('never'))

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false })
})

forEachTransport('$name: maxRetries of the call wins over that of the client', async (transport) => {
  const server = await loopbackServer(failure(503, 'engine_unreachable'))
  const { send } = over(transport, server.url, { maxRetries: 1 })

  await thrownBy(send('safe'))
  await thrownBy(send('safe', { maxRetries: 0 }))
  await thrownBy(send('safe', { maxRetries: 4 }))

  expect(server.requests).toHaveLength(2 + 1 + 5)
})

forEachTransport('$name: a success after failures is a success', async (transport) => {
  const server = await loopbackServer(reset, respondWith(503), success({ id: 1 }))
  const { send } = over(transport, server.url)

  const { data, response } = await send('with-key').withResponse()

  expect(data).toEqual({ id: 1 })
  expect(response.attempts).toBe(3)
})

forEachTransport('$name: the key of the caller is sent as it is, with every attempt', async (transport) => {
  const server = await loopbackServer(respondWith(503), reset, success({}))
  const { send } = over(transport, server.url)

  await send('with-key', { idempotencyKey: 'order-42/a' })

  expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(3).fill('order-42/a'))
})

forEachTransport(
  '$name: a key of the caller goes with a write, and makes it no safer to repeat',
  async (transport) => {
    const server = await loopbackServer(reset)
    const { send } = over(transport, server.url)

    const error = await thrownBy(send('if-not-executed', { idempotencyKey: 'mine' }))

    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine'])
    expect(error).toMatchObject({ name: 'ConnectionError', idempotencyKey: 'mine' })
  },
)

forEachTransport('$name: a read carries no key', async (transport) => {
  const server = await loopbackServer()
  const { send } = over(transport, server.url)

  await send('safe', { idempotencyKey: 'mine' })

  expect(server.requests[0]?.headers).not.toHaveProperty('idempotency-key')
})

it('two calls have two keys', async () => {
  const server = await loopbackServer()
  const { send } = over(transports[0], server.url)

  await Promise.all([send('with-key'), send('with-key')])

  const keys = server.requests.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(2)
})

it('the members of a body are in one order, whatever order the caller wrote them in', async () => {
  const server = await loopbackServer()
  const { http } = over(transports[0], server.url)
  const inAnotherOrder = { z: [{ b: 1, a: 2 }], a: { d: 1, c: null } }

  await http.send(operations['with-key'], { body: { a: { c: null, d: 1 }, z: [{ a: 2, b: 1 }] } })
  await http.send(operations['with-key'], { body: inAnotherOrder })

  const [first, second] = server.requests.map(({ body }) => body.toString())
  expect(first).toBe('{"a":{"c":null,"d":1},"z":[{"a":2,"b":1}]}')
  expect(second).toBe(first)
})

it.each([
  ['an error that is its own cause', (error: Error) => Object.assign(error, { cause: error })],
  [
    'an error among its own errors',
    (error: Error) => Object.assign(new AggregateError([], error.message), { errors: [error] }),
  ],
])('a fetch may throw %s', async (_, turn) => {
  const error = new AggregateError([], 'it goes round')
  error.errors.push(error)
  const fetch = () => Promise.reject(turn(error))
  const { send } = pipeline({ baseUrl: 'https://id.example.test', fetch })

  await expect(send('if-not-executed')).rejects.toMatchObject({
    name: 'ConnectionError',
    mayHaveArrived: true,
    cause: { message: 'it goes round' },
  })
})

const coded = (code: string, more: object = {}) => Object.assign(new Error('it failed'), { code, ...more })

it.each<[what: string, cause: unknown, mayHaveArrived: boolean]>([
  ['DNS', coded('ENOTFOUND'), false],
  ['DNS for now', coded('EAI_AGAIN'), false],
  ['a refused connection', coded('ECONNREFUSED'), false],
  ['an unreachable host', coded('EHOSTUNREACH'), false],
  ['an unreachable network', coded('ENETUNREACH'), false],
  ['an address that is not ours', coded('EADDRNOTAVAIL'), false],
  ['a connect timeout', coded('UND_ERR_CONNECT_TIMEOUT'), false],
  ['a connect timeout of the system', coded('ETIMEDOUT', { syscall: 'connect' }), false],
  ['a reset while connecting', coded('ECONNRESET', { syscall: 'connect' }), false],
  ['a certificate that has expired', coded('CERT_HAS_EXPIRED'), false],
  ['a certificate for another name', coded('ERR_TLS_CERT_ALTNAME_INVALID'), false],
  ['an unknown authority', coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), false],
  ['an authority that is not known here', coded('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), false],
  ['a self-signed certificate', coded('DEPTH_ZERO_SELF_SIGNED_CERT'), false],
  ['a self-signed authority', coded('SELF_SIGNED_CERT_IN_CHAIN'), false],
  ['a server that does not speak TLS', coded('ERR_SSL_WRONG_VERSION_NUMBER'), false],
  ['another version of TLS', coded('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'), false],
  [
    'a server that hangs up, in the words of Node',
    new Error('Client network socket disconnected before secure TLS connection was established'),
    false,
  ],
  ['no connection, in the words of Deno', new Error('client error (Connect): tcp connect error'), false],
  ['a code that only begins as one of these', coded('ECONNREFUSED_LATER'), true],
  ['a code that only ends as one of these', coded('PROXY_ECONNREFUSED'), true],
  ['no code', new Error('it failed'), true],
  ['a failed handshake', coded('ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE'), false],
  [
    'every address of a host in vain',
    new AggregateError([coded('ETIMEDOUT', { syscall: 'connect' }), coded('ENETUNREACH')]),
    false,
  ],
  [
    'one address in vain, and another broken',
    new AggregateError([coded('ECONNREFUSED'), coded('EPIPE')]),
    true,
  ],
  ['no address at all', new AggregateError([]), true],
  ['a reset', coded('ECONNRESET', { syscall: 'read' }), true],
  ['a broken pipe', coded('EPIPE', { syscall: 'write' }), true],
  ['a closed socket', coded('UND_ERR_SOCKET'), true],
  ['a timeout in mid-flight', coded('ETIMEDOUT', { syscall: 'read' }), true],
  ['a bad record', coded('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC'), true],
  ['something else', 'a string', true],
])(
  'a fetch that tells of %s tells whether the request may have arrived',
  async (_, cause, mayHaveArrived) => {
    const fetch = () =>
      Promise.reject(new TypeError('fetch failed', { cause: new Error('wrapped', { cause }) }))
    const { send } = pipeline({ baseUrl: 'https://id.example.test', fetch })

    const error = await thrownBy(send('if-not-executed'))

    expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived, attempts: mayHaveArrived ? 1 : 3 })
  },
)
