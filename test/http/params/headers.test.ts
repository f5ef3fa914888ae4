import { expect, it } from 'vitest'
import { ConfigurationError, InvalidParamsError, OrgClient, VerificationClient } from '../../../src/index.ts'
import { loopbackServer } from '../../support/loopback-server.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { clientOver, forEachTransport } from '../../support/transports.ts'
import { apiKey, baseUrl, testClient } from '../../support/verification-client.ts'

const noFetch = () => expect.fail('something was sent')

it.each(['a\rb', 'a\nb', 'a\r\nx-evil: 1', 'a\0b', '\u0100', '😀', 7 as never, null as never])(
  'rejects the header value %j in the options of a client and of a call',
  async (value) => {
    const { client } = testClient({ fetch: noFetch })
    const create = () => new VerificationClient({ baseUrl, apiKey, headers: { 'x-tenant': value } })
    const call = client.sessions.retrieve('s', { headers: { 'x-tenant': value } })

    await expect(call).rejects.toMatchObject({
      name: 'InvalidParamsError',
      issues: [{ path: 'headers.x-tenant', message: expect.stringMatching(/^must /) }],
    })
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(/^VerificationClient: headers\.x-tenant must /)
  },
)

it.each(['', 'a b', 'a:', 'a\r\nb', 'ü'])('rejects the header name %j without quoting it', async (name) => {
  const { client } = testClient({ fetch: noFetch })
  const create = () => new VerificationClient({ baseUrl, apiKey, headers: { [name]: 'x' } })

  const call = client.sessions.retrieve('s', { headers: { [name]: 'x' } })

  await expect(call).rejects.toBeInstanceOf(InvalidParamsError)
  await expect(call).rejects.toMatchObject({
    issues: [{ path: 'headers.?', message: 'is not a header name' }],
  })
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(/^VerificationClient: headers\.\? is not a header name$/)
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
])('rejects the header %s, because the client sets it', (name) => {
  expect(() => new VerificationClient({ baseUrl, apiKey, headers: { [name]: 'x' } })).toThrow(/set by the client/)
})

forEachTransport(
  '$name: prefers headers of the call to those of the client, and credentials to both',
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

it('accepts Headers in the options of a client and of a call', async () => {
  const { fetch, requests } = scriptedFetch(succeed())
  const { client } = testClient({ fetch, headers: new Headers({ 'X-Tenant': 'client', 'x-team': 'a' }) })

  await client.sessions.retrieve('s', { headers: new Headers([['X-Tenant', 'call']]) })

  expect(requests[0]?.headers.get('x-tenant')).toBe('call')
  expect(requests[0]?.headers.get('x-team')).toBe('a')
})

it('rejects a header of Headers as it rejects that of an object', async () => {
  const { client } = testClient({ fetch: noFetch })
  const headers = new Headers({ host: 'elsewhere.example' })

  await expect(client.sessions.retrieve('s', { headers })).rejects.toMatchObject({
    issues: [{ path: 'headers.host', message: 'is set by the client' }],
  })
  expect(() => new VerificationClient({ baseUrl, apiKey, headers })).toThrow(ConfigurationError)
})

it('omits a header that is undefined, and sends that of the client', async () => {
  const { fetch, requests } = scriptedFetch(succeed())
  const { client } = testClient({ fetch, headers: { 'x-tenant': 'client', 'x-team': undefined } })

  await client.sessions.retrieve('s', { headers: { 'x-tenant': undefined, 'x-trace': undefined } })

  expect(requests[0]?.headers.get('x-tenant')).toBe('client')
  expect(requests[0]?.headers.has('x-team')).toBe(false)
  expect(requests[0]?.headers.has('x-trace')).toBe(false)
})

it('keeps the headers that a client was created with, if the object changes later', async () => {
  const { fetch, requests } = scriptedFetch(succeed())
  const headers = new Headers({ 'x-tenant': 'first' })
  const { client } = testClient({ fetch, headers })
  headers.set('x-tenant', 'second')

  await client.sessions.retrieve('s')

  expect(requests[0]?.headers.get('x-tenant')).toBe('first')
})

it('rejects an access token in Headers of a call, next to the credentials of the client', async () => {
  const { client } = testClient({ fetch: noFetch })

  const call = client.sessions.retrieve('s', { headers: new Headers({ authorization: 'Bearer token' }) })

  await expect(call).rejects.toMatchObject({ issues: [{ path: 'headers.authorization' }] })
})

it('sends accept, user-agent and x-api-key, with a body content-type, with a key idempotency-key', async () => {
  const { fetch, requests } = scriptedFetch(succeed())
  const { client } = testClient({ fetch })

  await client.sessions.retrieve('s')
  await client.sessions.create({}, { idempotencyKey: 'mine' })

  const sent = requests.map(({ headers }) => Object.fromEntries(headers))
  const always = { accept: 'application/json', 'user-agent': expect.any(String), 'x-api-key': apiKey }
  expect(sent).toEqual([always, { ...always, 'content-type': 'application/json', 'idempotency-key': 'mine' }])
})

const rejected = /^must not be sent next to the client's own credentials: .* call oidc\.request$/

it.each(['api-key', 'bearer'] as const)(
  'rejects an access token in the headers of a call whose API key is sent as %s',
  async (auth) => {
    const { client } = testClient({ fetch: noFetch, auth })

    const call = client.sessions.retrieve('s', { headers: { Authorization: 'Bearer token_of_a_person' } })

    await expect(call).rejects.toMatchObject({
      name: 'InvalidParamsError',
      issues: [{ path: 'headers.Authorization', message: expect.stringMatching(rejected) }],
    })
  },
)

it('rejects an access token in the headers of a client that sends credentials', () => {
  const headers = { authorization: 'bearer token_of_a_person' }
  const org = { baseUrl, clientId: 'org_1', clientSecret: 'secret_1' }

  for (const create of [
    () => new VerificationClient({ baseUrl, apiKey, headers }),
    () => new OrgClient({ ...org, headers }),
  ]) {
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(
      /^(?:Verification|Org)Client: headers\.authorization must not be sent next to the client's own credentials/,
    )
  }
})

it('rejects an access token among the params of a raw request of a client that sends credentials', async () => {
  const { client } = testClient({ fetch: noFetch })
  const request = { method: 'GET', path: '/api/account', accessToken: 'token_of_a_person' } as const

  await expect(client.request(request)).rejects.toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ path: 'accessToken', message: expect.stringMatching(rejected) }],
  })
})

it('sends the Authorization of a gateway next to the API key', async () => {
  const { fetch, requests } = scriptedFetch(succeed())
  const { client } = testClient({ fetch, headers: { authorization: 'Basic Z2F0ZXdheTpwYXNz' } })

  await client.sessions.retrieve('s')

  expect(requests[0]?.headers.get('authorization')).toBe('Basic Z2F0ZXdheTpwYXNz')
  expect(requests[0]?.headers.get('x-api-key')).toBe(apiKey)
})
