import { expect, it, vi } from 'vitest'
import { ConfigurationError, InvalidParamsError } from '../../../src/errors.ts'
import { VerificationClient, type VerificationClientOptions } from '../../../src/verification.ts'
import { loopbackServer } from '../../support/loopback-server.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { clientOver, forEachTransport } from '../../support/transports.ts'
import { apiKey, baseUrl, testClient } from '../../support/verification-client.ts'

const noFetch = () => expect.fail('something was sent')
const log = () => {}

it.each<[name: string, bad: unknown[]]>([
  ['timeoutMs', [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '1000', null]],
  ['deadlineMs', [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '1000', null]],
  ['maxRetries', [-1, 11, 1.5, Number.NaN, '2', null]],
  ['connections', [0, -1, 1.5, '2']],
  ['maxResponseBytes', [0, -1, 1.5, Number.NaN, '2']],
  ['fetch', ['fetch', {}, null]],
  ['dispatcher', ['proxy', {}, null]],
  ['onEvent', ['console', {}, null]],
  ['logger', ['console', {}, { debug: log, info: log, warn: log }, null]],
  ['http2', ['yes', 1, null]],
  ['responseValidation', ['lenient', true, null]],
  ['auth', ['basic', null]],
  ['apiKey', ['', ' padded', 'padded ', 'a\r\nb', 'a\0b', 'a\u0100b', 7, null]],
  ['headers', [new Headers({ a: 'b' }), [['a', 'b']], new Map(), 'a: b', null]],
])('refuses bad values of the option %s', (name, values) => {
  for (const value of values) {
    const options = { baseUrl, apiKey, [name]: value } as VerificationClientOptions
    const make = () => new VerificationClient(options)

    expect(make, `${name}: ${String(value)}`).toThrow(ConfigurationError)
    expect(make, `${name}: ${String(value)}`).toThrow(new RegExp(`^${name} must `))
  }
})

it.each<VerificationClientOptions>([
  { timeoutMs: 1, deadlineMs: 2 ** 31 - 1 },
  { maxRetries: 0 },
  { maxRetries: 10 },
  { logger: console },
  { apiKey: 'key with ünicode in latin-1' },
])('takes the bounds themselves: %j', (options) => {
  expect(() => new VerificationClient({ baseUrl, apiKey, ...options })).not.toThrow()
})

it('refuses a dispatcher together with a fetch', () => {
  const options = { baseUrl, apiKey, fetch: globalThis.fetch, dispatcher: { dispatch: () => true } }

  expect(() => new VerificationClient(options)).toThrow(ConfigurationError)
  expect(() => new VerificationClient(options)).toThrow(/^pass fetch or dispatcher, not both$/)
})

it('names the option and the variable of a missing API key', () => {
  vi.stubEnv('SVC_API_KEY', '')

  expect(() => new VerificationClient({ baseUrl })).toThrow(/apiKey is missing.*SVC_API_KEY/)
})

it('takes the API key from SVC_API_KEY', async () => {
  vi.stubEnv('SVC_API_KEY', 'key_of_the_environment')
  const { fetch, requests: given } = scriptedFetch(succeed())

  await new VerificationClient({ baseUrl, fetch }).sessions.retrieve('s')

  expect(given[0]?.headers.get('x-api-key')).toBe('key_of_the_environment')
})

it('SVC_TRANSPORT=fetch sends through the global fetch as it stands at each call', async () => {
  vi.stubEnv('SVC_TRANSPORT', 'fetch')
  const { fetch, requests: given } = scriptedFetch(succeed())
  const client = new VerificationClient({ baseUrl, apiKey })
  vi.stubGlobal('fetch', fetch)

  await client.sessions.retrieve('s')

  expect(given).toHaveLength(1)
})

it("auth 'bearer' carries the key as a bearer token, and nowhere else", async () => {
  const { fetch, requests: given } = scriptedFetch(succeed())
  const { client } = testClient({ fetch, auth: 'bearer' })

  await client.sessions.retrieve('s')

  expect(given[0]?.headers.get('authorization')).toBe(`Bearer ${apiKey}`)
  expect(given[0]?.headers.get('x-api-key')).toBeNull()
})

it('options are read once, by the constructor', async () => {
  const { fetch, requests: given } = scriptedFetch(succeed())
  const options = { baseUrl, apiKey, fetch, headers: { 'x-tenant': 'a' } }
  const client = new VerificationClient(options)
  options.fetch = noFetch
  options.headers['x-tenant'] = 'b'
  options.apiKey = 'another'

  await client.sessions.retrieve('s')

  expect(given[0]?.headers.get('x-tenant')).toBe('a')
  expect(given[0]?.headers.get('x-api-key')).toBe(apiKey)
})

it.each(['a\rb', 'a\nb', 'a\r\nx-evil: 1', 'a\0b', '\u0100', '😀', 7 as never, undefined as never])(
  'refuses the header value %j in the options of a client and of a call',
  async (value) => {
    const { client } = testClient({ fetch: noFetch })
    const make = () => new VerificationClient({ baseUrl, apiKey, headers: { 'x-tenant': value } })
    const call = client.sessions.retrieve('s', { headers: { 'x-tenant': value } })

    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(/^headers\.x-tenant must /)
    await expect(call).rejects.toMatchObject({
      name: 'InvalidParamsError',
      issues: [{ path: 'headers.x-tenant', message: expect.stringMatching(/^must /) }],
    })
  },
)

it.each(['', 'a b', 'a:', 'a\r\nb', 'ü'])('refuses the header name %j', async (name) => {
  const { client } = testClient({ fetch: noFetch })
  const make = () => new VerificationClient({ baseUrl, apiKey, headers: { [name]: 'x' } })

  const call = client.sessions.retrieve('s', { headers: { [name]: 'x' } })

  expect(make).toThrow(ConfigurationError)
  expect(make).toThrow(/^headers\.\? is not a header name$/)
  await expect(call).rejects.toBeInstanceOf(InvalidParamsError)
  await expect(call).rejects.toMatchObject({
    issues: [{ path: 'headers.?', message: 'is not a header name' }],
  })
})

it.each([
  'Host',
  'content-length',
  'Content-Type',
  'transfer-encoding',
  'connection',
  'Idempotency-Key',
  'keep-alive',
  'upgrade',
  'Expect',
])('refuses the header %s, which is the client’s own', (name) => {
  expect(() => new VerificationClient({ baseUrl, apiKey, headers: { [name]: 'x' } })).toThrow(
    /set by the client/,
  )
})

forEachTransport(
  '$name: headers of a call win over those of the client, and credentials over both',
  async (transport) => {
    const server = await loopbackServer()
    const { client } = clientOver(transport, server.url, {
      headers: { 'X-Tenant': 'client', 'x-latin': 'é', 'x-api-key': 'forged' },
    })

    await client.sessions.retrieve('s', { headers: { 'x-tenant': 'call', 'User-Agent': 'mine/1' } })

    expect(server.requests[0]?.headers).toMatchObject({
      'x-tenant': 'call',
      'x-latin': 'é',
      'x-api-key': apiKey,
      'user-agent': 'mine/1',
      accept: 'application/json',
    })
  },
)

it('sends these headers, and no others', async () => {
  const { fetch, requests: given } = scriptedFetch(succeed())
  const { client } = testClient({ fetch })

  await client.sessions.retrieve('s')
  await client.sessions.create({}, { idempotencyKey: 'mine' })

  const sent = given.map(({ headers }) => Object.fromEntries(headers))
  const always = { accept: 'application/json', 'user-agent': expect.any(String), 'x-api-key': apiKey }
  expect(sent).toEqual([always, { ...always, 'content-type': 'application/json', 'idempotency-key': 'mine' }])
})

it.each([
  [{ timeoutMs: 0 }, 'timeoutMs'],
  [{ deadlineMs: 1.5 }, 'deadlineMs'],
  [{ maxRetries: 11 }, 'maxRetries'],
  [{ signal: {} as AbortSignal }, 'signal'],
  [{ idempotencyKey: '' }, 'idempotencyKey'],
  [{ idempotencyKey: 'a b' }, 'idempotencyKey'],
  [{ idempotencyKey: 'a\nb' }, 'idempotencyKey'],
  [{ idempotencyKey: 'ü' }, 'idempotencyKey'],
  [{ idempotencyKey: ['key'] as never }, 'idempotencyKey'],
  [{ signal: null as never }, 'signal'],
  [{ idempotencyKey: 'x'.repeat(256) }, 'idempotencyKey'],
  [{ headers: new Headers({ a: 'b' }) as never }, 'headers'],
])('refuses the request options %j before anything is sent', async (options, path) => {
  const { client } = testClient({ fetch: noFetch })

  await expect(client.sessions.create({}, options)).rejects.toMatchObject({
    name: 'InvalidParamsError',
    attempts: 0,
    issues: [{ path, message: expect.stringMatching(/^must be /) }],
  })
})

it.each([
  [{ encoding: 'xml' }, 'encoding'],
  [{ onUploadProgress: 'log' }, 'onUploadProgress'],
])('refuses the options %j of a call with images', async (options, path) => {
  const { client } = testClient({ fetch: noFetch })

  const call = client.checks.liveness({ image: Uint8Array.of(1) }, options as never)

  await expect(call).rejects.toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ path, message: expect.stringMatching(/^must be /) }],
  })
})

it('does not run in a browser page', () => {
  vi.stubGlobal('window', { document: {} })

  expect(() => new VerificationClient({ baseUrl, apiKey })).toThrow(ConfigurationError)
  expect(() => new VerificationClient({ baseUrl, apiKey })).toThrow(/browser/)
})

it('does not run in a page whose document is not the one of its window', () => {
  vi.stubGlobal('window', {})
  vi.stubGlobal('document', {})

  expect(() => new VerificationClient({ baseUrl, apiKey })).toThrow(/browser/)
})

it('runs where there is a window and no page', () => {
  vi.stubGlobal('window', {})

  expect(() => new VerificationClient({ baseUrl, apiKey })).not.toThrow()
})

it('asks an apiKey function before each attempt', async () => {
  const keys = ['key_1', 'key_2']
  const { fetch, requests: given } = scriptedFetch(() => new Response('', { status: 503 }), succeed())
  const { client } = testClient({ fetch, apiKey: async () => keys.shift() ?? '' })

  await client.sessions.retrieve('s')

  expect(given.map(({ headers }) => headers.get('x-api-key'))).toEqual(['key_1', 'key_2'])
})

it.each([
  ['throws', () => expect.fail('the vault is shut')],
  ['rejects', () => Promise.reject(new Error('the vault is shut'))],
  ['gives no key', () => ''],
  ['gives a header break', () => 'a\r\nb'],
  ['gives nothing', () => undefined as never],
])('an apiKey function that %s fails the call before anything is sent', async (_, key) => {
  const { client } = testClient({ fetch: noFetch, apiKey: key })

  await expect(client.sessions.retrieve('s')).rejects.toBeInstanceOf(ConfigurationError)
})

forEachTransport('$name: a closed client refuses calls, and may be closed again', async (transport) => {
  const server = await loopbackServer()
  const { client } = clientOver(transport, server.url)
  await client.sessions.retrieve('s')

  await client.close()
  await client.close()

  const call = client.sessions.retrieve('s')

  await expect(call).rejects.toBeInstanceOf(ConfigurationError)
  await expect(call).rejects.toThrow('the client was closed: make a new one')
  expect(server.requests).toHaveLength(1)
})

it('close lets go of the connections of its own pool', async () => {
  const closed = vi.fn()
  const server = await loopbackServer((response) => {
    response.socket?.once('close', closed)
    response.end('{"success":true,"data":{}}')
  })
  const { client } = testClient({ baseUrl: server.url, fetch: undefined })
  await client.sessions.retrieve('s')

  await client.close()

  await expect.poll(() => closed, { interval: 2 }).toHaveBeenCalledOnce()
})

forEachTransport('$name: close waits for the calls under way', async (transport) => {
  const server = await loopbackServer((response) => {
    setTimeout(() => response.end('{"success":true,"data":{}}'), 20)
  })
  const { client } = clientOver(transport, server.url)
  const call = client.sessions.retrieve('s')
  await expect.poll(() => server.requests.length, { interval: 2 }).toBe(1)

  await client.close()

  await expect(call).resolves.toEqual({})
})
