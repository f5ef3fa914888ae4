import { expect, it, onTestFinished } from 'vitest'
import { aSession } from '../../support/fixtures.ts'
import { loopbackServer, type Responder, reset, success } from '../../support/loopback-server.ts'
import { testClient } from '../../support/verification-client.ts'

it("limits the client's own pool to the number of connections that is set", async () => {
  const slow: Responder = (response, request) => setImmediate(() => success()(response, request))
  const server = await loopbackServer(slow)
  const { client } = testClient({ baseUrl: server.url, fetch: undefined, connections: 1 })
  onTestFinished(() => client.close())

  await Promise.all([1, 2, 3].map(() => client.sessions.retrieve('s')))

  expect(server.connections).toBe(1)
})

it('reuses connections after a response', async () => {
  const server = await loopbackServer()
  const { client } = testClient({ baseUrl: server.url, fetch: undefined })
  onTestFinished(() => client.close())

  for (let i = 0; i < 10; i++) await client.sessions.retrieve('s')

  // undici does not reuse a connection at once, and opens another one meanwhile.
  expect(server.connections).toBeLessThanOrEqual(2)
})

it('does not reuse a connection that was reset', async () => {
  const server = await loopbackServer(success(), reset, success())
  const { client } = testClient({ baseUrl: server.url, fetch: undefined })
  onTestFinished(() => client.close())

  await client.sessions.retrieve('s')

  await expect(client.sessions.retrieve('s')).resolves.toEqual(aSession())
  expect(server.requests).toHaveLength(3)
})
