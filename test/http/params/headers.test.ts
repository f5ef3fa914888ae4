import { expect, it } from 'vitest'
import { ConfigurationError, InvalidParamsError } from '../../../src/errors.ts'
import { VerificationClient } from '../../../src/verification.ts'
import { loopbackServer } from '../../support/loopback-server.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { clientOver, forEachTransport } from '../../support/transports.ts'
import { apiKey, baseUrl, testClient } from '../../support/verification-client.ts'

const noFetch = () => expect.fail('something was sent')

it.each(['a\rb', 'a\nb', 'a\r\nx-evil: 1', 'a\0b', '\u0100', '😀', 7 as never, undefined as never])(
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
    expect(create).toThrow(/^headers\.x-tenant must /)
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
  expect(create).toThrow(/^headers\.\? is not a header name$/)
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
  expect(() => new VerificationClient({ baseUrl, apiKey, headers: { [name]: 'x' } })).toThrow(
    /set by the client/,
  )
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

it('sends accept, user-agent and x-api-key, with a body content-type, with a key idempotency-key', async () => {
  const { fetch, requests } = scriptedFetch(succeed())
  const { client } = testClient({ fetch })

  await client.sessions.retrieve('s')
  await client.sessions.create({}, { idempotencyKey: 'mine' })

  const sent = requests.map(({ headers }) => Object.fromEntries(headers))
  const always = { accept: 'application/json', 'user-agent': expect.any(String), 'x-api-key': apiKey }
  expect(sent).toEqual([always, { ...always, 'content-type': 'application/json', 'idempotency-key': 'mine' }])
})
