import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import { inspect } from 'node:util'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { findEnvProxy } from '../../../src/http/transport/env-proxy.ts'
import { ConfigurationError, VerificationClient } from '../../../src/index.ts'
import { type ConnectProxyOptions, connectProxy } from '../../support/connect-proxy.ts'
import { aSession } from '../../support/fixtures.ts'
import { loopbackServer, success, unusedUrl } from '../../support/loopback-server.ts'
import { recordingLogger } from '../../support/recording-logger.ts'
import { makeSelfSigned, selfSigned } from '../../support/self-signed.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { testClient } from '../../support/verification-client.ts'

const host = 'id.example.test'
const proxyByName = makeSelfSigned(['localhost'], 'proxy by name')
const proxyByAddress = makeSelfSigned(['127.0.0.1'], 'proxy by address')
const serviceOnly = makeSelfSigned([host], 'service')
const trusted = [selfSigned, proxyByName, proxyByAddress, serviceOnly].map(({ cert }) => cert)
const names = ['https_proxy', 'http_proxy', 'no_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()])

beforeEach(() => {
  for (const name of [...names, 'NODE_OPTIONS']) vi.stubEnv(name, undefined)
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  // Stands for NODE_EXTRA_CA_CERTS, which Node reads when it starts.
  const connect = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket
  vi.spyOn(tls, 'connect').mockImplementation(((options: tls.ConnectionOptions) =>
    connect({ ...options, ca: trusted })) as typeof tls.connect)
})

/** Starts the service with TLS, and a proxy whose tunnels to `id.example.test` lead to it. */
async function proxied(options: ConnectProxyOptions = {}) {
  const requests: IncomingMessage['headers'][] = []
  const server = createTlsServer(selfSigned, (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request.headers)
    response.end(JSON.stringify({ success: true, data: aSession() }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const proxy = await connectProxy({ ports: { [`${host}:443`]: port, [`${host}:8443`]: port }, ...options })
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await proxy.close()
  })
  return { proxy, requests, proxyUrl: new URL(proxy.url) }
}

function aClient(options: Parameters<typeof testClient>[0] = {}) {
  const { client } = testClient({ fetch: undefined, maxRetries: 0, ...options })
  onTestFinished(() => client.close())
  return client
}

it.each(['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'])(
  'with NODE_USE_ENV_PROXY=1, calls use a tunnel through the proxy of %s, and reuse it',
  async (name) => {
    const { proxy, requests } = await proxied()
    vi.stubEnv(name, proxy.url)
    const client = aClient()

    for (let call = 0; call < 4; call++) expect(await client.sessions.retrieve('sess_1')).toEqual(aSession())

    // A pool opens a second connection for the second of two calls in a row.
    expect(proxy.tunnels).toEqual([`${host}:443`, `${host}:443`])
    expect(requests.map((headers) => headers.host)).toEqual([host, host, host, host])
    expect(requests[0]).not.toHaveProperty('proxy-authorization')
  },
)

it('a tunnel leads to the port of the base URL, and the proxy may require TLS', async () => {
  const { proxy } = await proxied({ tls: selfSigned })
  vi.stubEnv('HTTPS_PROXY', proxy.url)

  await aClient({ baseUrl: `https://${host}:8443` }).sessions.retrieve('sess_1')

  expect(proxy.tunnels).toEqual([`${host}:8443`])
})

it.each([
  ['localhost', proxyByName],
  ['127.0.0.1', proxyByAddress],
])('an https proxy at %s is accepted by a certificate of its own name alone', async (name, certificate) => {
  const { proxy, proxyUrl } = await proxied({ tls: certificate })
  vi.stubEnv('HTTPS_PROXY', `https://${name}:${proxyUrl.port}`)

  expect(await aClient().sessions.retrieve('sess_1')).toEqual(aSession())
  expect(proxy.tunnels).toEqual([`${host}:443`])
})

it.each([
  ['localhost', proxyByAddress],
  ['127.0.0.1', proxyByName],
  ['localhost', serviceOnly],
  ['127.0.0.1', serviceOnly],
])('an https proxy at %s with a certificate of another name gets no request', async (name, certificate) => {
  const { proxy, proxyUrl } = await proxied({ tls: certificate })
  vi.stubEnv('HTTPS_PROXY', `https://user:password@${name}:${proxyUrl.port}`)

  await expect(aClient().sessions.retrieve('sess_1')).rejects.toThrow(
    `the proxy ${name}:${proxyUrl.port} of HTTPS_PROXY failed (ERR_TLS_CERT_ALTNAME_INVALID)`,
  )
  expect(proxy.tunnels).toEqual([])
})

it.each([
  ['user:p%40ss', 'user:p@ss'],
  ['token', 'token:'],
  [':caf%C3%A9', ':café'],
])('the credentials %s of the URL are sent to the proxy', async (credentials, sent) => {
  const { proxy, proxyUrl } = await proxied()
  vi.stubEnv('HTTPS_PROXY', `http://${credentials}@${proxyUrl.host}`)

  await aClient().sessions.retrieve('sess_1')

  expect(proxy.authorizations).toEqual([`Basic ${Buffer.from(sent).toString('base64')}`])
})

it('the lower-case name wins, and an empty one hides the other', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://upper.test:1')
  vi.stubEnv('https_proxy', 'http://lower.test:2')
  const find = () => findEnvProxy('test', new URL(`https://${host}`))
  expect(find()).toMatchObject({ variable: 'https_proxy', host: 'lower.test:2' })
  vi.stubEnv('https_proxy', '')
  expect(find()).toBeUndefined()
})

it.each<[setting: string, flags: string[], options: string, isUsed: boolean]>([
  ['1', [], '', true],
  ['true', [], '', false],
  ['', [], '', false],
  ['', ['--use-env-proxy'], '', true],
  ['', [], '--no-warnings --use-env-proxy', true],
  ['1', ['--no-use-env-proxy'], '', false],
  ['', ['--use-env-proxy'], '--no-use-env-proxy', true],
  ['1', ['--no-use-env-proxy'], '--use-env-proxy', false],
])(
  'NODE_USE_ENV_PROXY=%s, the flags %j and NODE_OPTIONS=%s are read as Node reads them: %s',
  (setting, flags, options, isUsed) => {
    vi.stubEnv('HTTPS_PROXY', 'http://proxy.test:3128')
    vi.stubEnv('NODE_USE_ENV_PROXY', setting)
    vi.stubEnv('NODE_OPTIONS', options)
    const before = process.execArgv
    process.execArgv = flags
    onTestFinished(() => {
      process.execArgv = before
    })

    expect(findEnvProxy('test', new URL(`https://${host}`)) !== undefined).toBe(isUsed)
  },
)

it.each(['http://127.0.0.1', 'http://localhost:4010', 'https://[::1]'])(
  '%s never uses a proxy, because nothing may leave this machine',
  (url) => {
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) vi.stubEnv(name, 'http://proxy.test:3128')
    expect(findEnvProxy('test', new URL(url))).toBeUndefined()
  },
)

it('with SVC_EMULATOR_ONLY=1, the emulator is called without the proxy', async () => {
  vi.stubEnv('SVC_EMULATOR_ONLY', '1')
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1')
  const server = await loopbackServer(success())

  expect(await aClient({ baseUrl: server.url }).sessions.retrieve('sess_1')).toEqual(aSession())
})

it('without NODE_USE_ENV_PROXY=1, or with a fetch or a dispatcher, no proxy is used', async () => {
  const { proxy } = await proxied()
  vi.stubEnv('HTTPS_PROXY', proxy.url)
  const dispatch = (_: unknown, handler: { onError(error: Error): void }) => {
    handler.onError(new Error('mine'))
    return true
  }
  const fetch = () => Promise.reject(new Error('mine'))
  for (const client of [aClient({ dispatcher: { dispatch } }), aClient({ fetch })])
    await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({ cause: { message: 'mine' } })
  vi.stubEnv('SVC_TRANSPORT', 'fetch')
  vi.stubGlobal('fetch', fetch)
  await expect(aClient().sessions.retrieve('sess_1')).rejects.toMatchObject({ cause: { message: 'mine' } })
  vi.stubEnv('SVC_TRANSPORT', undefined)
  vi.stubEnv('NODE_USE_ENV_PROXY', '0')
  await expect(aClient().sessions.retrieve('sess_1')).rejects.toThrow('Set NODE_USE_ENV_PROXY=1')

  expect(proxy.tunnels).toEqual([])
})

/** Everything that a program may print of a value. */
const shown = (value: unknown) =>
  `${inspect(value, { depth: 20, showHidden: true, getters: true })} ${JSON.stringify(value)} ${String(value)} ${(value as Error).stack}`

const failures: [what: string, options: ConnectProxyOptions, message: string][] = [
  [
    '407',
    { respond: (socket) => socket.write('HTTP/1.1 407 Who\r\ncontent-length: 0\r\n\r\n') },
    'responded with 407. It needs a user and a password: HTTPS_PROXY=http://user:password@host:port.',
  ],
  [
    '403 with a page',
    { respond: (socket) => socket.write('HTTP/1.1 403 No\r\ncontent-length: 4\r\n\r\nfoul') },
    'responded with 403. Allow the host there, or list it in NO_PROXY.',
  ],
  [
    'a connection that it closes',
    { respond: (socket) => socket.destroy() },
    'failed (UND_ERR_SOCKET). Check HTTPS_PROXY, or list the host in NO_PROXY.',
  ],
  ['bytes that are not HTTP', { respond: (socket) => socket.write('SSH-2.0\r\n') }, 'failed'],
]

it.each(failures)(
  'a proxy that responds with %s fails a write as not sent, which is retried',
  async (_, options, message) => {
    const { proxy, proxyUrl } = await proxied(options)
    vi.stubEnv('HTTPS_PROXY', `http://canary:canary@${proxyUrl.host}`)
    const { logger, records } = recordingLogger()

    const client = aClient({ maxRetries: 2, logger, errorDetail: 'full' })
    const error = (await thrownBy(client.sessions.create())) as Error

    expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false, attempts: 3 })
    expect(error.message).toContain(
      `sessions.create: could not connect to https://${host}: the proxy ${proxyUrl.host} of HTTPS_PROXY ${message}`,
    )
    expect(proxy.tunnels).toHaveLength(3)
    const secrets = new RegExp(`canary|${Buffer.from('canary:canary').toString('base64')}`)
    expect(shown(error) + shown(client) + shown(records)).not.toMatch(secrets)
  },
)

it('a proxy that cannot be reached is named', async () => {
  vi.stubEnv('HTTPS_PROXY', unusedUrl)

  await expect(aClient().sessions.create()).rejects.toMatchObject({
    mayHaveArrived: false,
    message: expect.stringContaining(`the proxy ${new URL(unusedUrl).host} of HTTPS_PROXY failed (ECONNREFUSED).`),
  })
})

it('a host behind the proxy whose certificate is not trusted is named together with the proxy', async () => {
  const { proxy, proxyUrl } = await proxied()
  vi.stubEnv('HTTPS_PROXY', proxy.url)
  vi.mocked(tls.connect).mockRestore()

  await expect(aClient().sessions.create()).rejects.toMatchObject({
    mayHaveArrived: false,
    message: expect.stringContaining(
      `could not connect to https://${host} through the proxy ${proxyUrl.host} of HTTPS_PROXY (DEPTH_ZERO_SELF_SIGNED_CERT). Check baseUrl.`,
    ),
  })
})

it('a proxy that does not respond ends the attempt at timeoutMs, as not sent', async () => {
  const { proxy } = await proxied({ respond: () => void test.advance(5) })
  vi.stubEnv('HTTPS_PROXY', proxy.url)
  const test = testClient({ fetch: undefined, timeoutMs: 5, maxRetries: 0 })

  await expect(test.client.sessions.create()).rejects.toMatchObject({
    name: 'TimeoutError',
    mayHaveArrived: false,
  })
})

it.each(['proxy.test:3128', 'canary', 'http://user:canary@', 'socks5://canary@proxy.test:1080', 'http://a:%E0@b'])(
  'HTTPS_PROXY=%s is a ConfigurationError that names the variable and does not show its value',
  (value) => {
    vi.stubEnv('HTTPS_PROXY', value)
    const create = () => new VerificationClient({ baseUrl: `https://${host}`, apiKey: 'key_1' })

    expect(create).toThrow(
      new ConfigurationError({
        message:
          'VerificationClient: HTTPS_PROXY is not the URL of a proxy. Write http://host:port or http://user:password@host:port, with https:// if the proxy requires it, or list the host in NO_PROXY.',
      }),
    )
    vi.stubEnv('NO_PROXY', host)
    expect(create).not.toThrow()
  },
)

it('HTTP/2 is offered to the host through the tunnel, if http2 is set', async () => {
  const { proxy } = await proxied()
  vi.stubEnv('HTTPS_PROXY', proxy.url)
  for (const http2 of [true, false]) await aClient({ http2 }).sessions.retrieve('sess_1')

  const offers = vi.mocked(tls.connect).mock.calls.map(([options]) => Object(options).ALPNProtocols)
  expect(offers).toEqual([['http/1.1', 'h2'], ['http/1.1']])
})

it.each(['http://127.0.0.1:9', 'http://localhost:9', 'http://[::1]:9'])(
  'a client that would send %s to a proxy with fetch is rejected until NO_PROXY lists the host',
  (baseUrl) => {
    vi.stubEnv('HTTP_PROXY', 'http://proxy.example.test:3128')
    const create = (fetch: typeof globalThis.fetch | undefined) =>
      new VerificationClient({ apiKey: 'key', baseUrl, fetch })
    const host = new URL(baseUrl).hostname.replace(/[[\]]/g, '')

    expect(() => create(globalThis.fetch)).toThrow(
      new ConfigurationError({
        message: `VerificationClient: fetch would send http requests to the proxy of HTTP_PROXY. List ${host} in NO_PROXY`,
      }),
    )
    vi.stubEnv('SVC_TRANSPORT', 'fetch')
    expect(() => create(undefined)).toThrow('List')
    expect(() => create(async () => new Response())).not.toThrow()
    vi.stubEnv('NODE_USE_ENV_PROXY', '0')
    expect(() => create(undefined)).not.toThrow()
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    vi.stubEnv('NO_PROXY', `.example.test,${host}`)
    expect(() => create(undefined)).not.toThrow()
  },
)
