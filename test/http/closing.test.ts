import { expect, it, vi } from 'vitest'
import { ConfigurationError, OidcClient, OrgClient, VerificationClient } from '../../src/index.ts'
import { loopbackServer } from '../support/loopback-server.ts'
import { clientOver, forEachTransport } from '../support/transports.ts'
import { testClient } from '../support/verification-client.ts'

forEachTransport('$name: rejects calls of a closed client, which can be closed again', async (transport) => {
  const server = await loopbackServer()
  const { client } = clientOver(transport, server.url)
  await client.sessions.retrieve('s')

  await client.close()
  await client.close()

  const call = client.sessions.retrieve('s')

  await expect(call).rejects.toBeInstanceOf(ConfigurationError)
  await expect(call).rejects.toThrow(/^[\w.]+: the client is closed: create a new one$/)
  expect(server.requests).toHaveLength(1)
})

it("closes the connections of the client's own pool", async () => {
  let onClose = () => {}
  const closed = new Promise<void>((resolve) => {
    onClose = resolve
  })
  const server = await loopbackServer((response) => {
    response.socket?.once('close', onClose)
    response.end('{"success":true,"data":{}}')
  })
  const { client } = testClient({ baseUrl: server.url, fetch: undefined })
  await client.sessions.retrieve('s')

  await client.close()

  await closed
})

forEachTransport('$name: closes after the running calls have ended', async (transport) => {
  const order: string[] = []
  let closing: Promise<unknown> | undefined
  const server = await loopbackServer((response) => {
    // The client is closed while the server holds the response back.
    closing = client.close().then(() => order.push('closed'))
    setImmediate(() => response.end('{"success":true,"data":{}}'))
  })
  const { client } = clientOver(transport, server.url)

  const data = await client.sessions.retrieve('s').then((result) => {
    order.push('responded')
    return result
  })
  await closing

  expect(data).toEqual({})
  if (transport.name === 'undici') expect(order).toEqual(['responded', 'closed'])
})

it.each([
  ['VerificationClient', () => new VerificationClient({ apiKey: 'key' })],
  ['OrgClient', () => new OrgClient({ clientId: 'id', clientSecret: 'secret' })],
  ['OidcClient', () => new OidcClient({ clientId: 'id', clientSecret: 'secret' })],
])('await using closes a %s at the end of its block', async (_, create) => {
  vi.stubEnv('SVC_BASE_URL', 'https://id.example.test')
  vi.stubEnv('SVC_ORG_BASE_URL', 'https://id.example.test')
  const client = create()
  const close = vi.spyOn(client, 'close')
  {
    await using _client = client
    expect(close).not.toHaveBeenCalled()
  }

  expect(close).toHaveBeenCalledOnce()
  const request = { method: 'GET', path: '/api/v2/usage' } as const
  const call =
    client instanceof OidcClient ? client.request({ ...request, accessToken: 'token' }) : client.request(request)
  await expect(call).rejects.toThrow('the client is closed')
})
