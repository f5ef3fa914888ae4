import { expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import { ConfigurationError, OidcClient, OrgClient, VerificationClient } from '../../src/index.ts'
import { loopbackServer } from '../support/loopback-server.ts'
import { errorResponse, ok, scriptedService } from '../support/scripted-service.ts'
import { apiKey, baseUrl, testClient } from '../support/verification-client.ts'

const service = scriptedService()

it('sends calls of the new client with its options, and calls of the first client as before', async () => {
  service.respondTo('GET /api/v2/session/s', ok({}), ok({}))
  const { client } = testClient({ headers: { 'x-app': 'shop', 'x-tenant': 'none' } })

  await client.withOptions({ apiKey: 'other', headers: { 'X-Tenant': 'acme' } }).sessions.retrieve('s')
  await client.sessions.retrieve('s')

  const sent = service.requests.map(({ headers }) =>
    ['x-api-key', 'x-app', 'x-tenant'].map((name) => headers.get(name)),
  )
  expect(sent).toEqual([
    ['other', 'shop', 'acme'],
    [apiKey, 'shop', 'none'],
  ])
})

it('keeps each option that is undefined in the changes', async () => {
  service.respondTo('GET /api/v2/session/s', ok({}))
  const { client } = testClient({ auth: 'bearer' })

  await client.withOptions({ apiKey: undefined, auth: undefined }).sessions.retrieve('s')

  expect(service.requests[0]?.headers.get('authorization')).toBe(`Bearer ${apiKey}`)
})

it('changes limits, hooks and response validation', async () => {
  service.respondTo('GET /api/v2/session/s', errorResponse(500, 'internal_error'), ok({}))
  const { client } = testClient()
  const operations: string[] = []
  const derived = client.withOptions({
    maxRetries: 0,
    responseValidation: 'strict',
    onEvent: ({ type }) => void operations.push(type),
  })

  await expect(derived.sessions.retrieve('s')).rejects.toMatchObject({ code: 'internal_error', attempts: 1 })
  await expect(derived.sessions.retrieve('s')).rejects.toMatchObject({ code: 'invalid_response' })

  expect(operations).toEqual(['request', 'response', 'error', 'request', 'response', 'error'])
})

it('sends the calls of both clients over one connection', async () => {
  const server = await loopbackServer()
  const { client } = testClient({ baseUrl: server.url, fetch: undefined, connections: 1 })
  onTestFinished(() => client.close())
  const derived = client.withOptions({ timeoutMs: 5_000 }).withOptions({ headers: { 'x-tenant': 'acme' } })

  for (const one of [client, derived, client]) await one.sessions.retrieve('s')

  expect(server.requests).toHaveLength(3)
  expect(server.connections).toBe(1)
})

it('runs the beforeBillable of the client that is called, which is that of the first one if it is not changed', async () => {
  const { options } = createEmulator()
  const ran: string[] = []
  const client = new VerificationClient({ ...options.verification, beforeBillable: () => ran.push('first') })
  const changed = client.withOptions({ beforeBillable: () => ran.push('changed') })

  for (const one of [client, client.withOptions({ maxRetries: 0 }), changed])
    await one.checks.age({ dob: '2000-01-01', bands: [18] })

  expect(ran).toEqual(['first', 'first', 'changed'])
})

it('takes the retries of both clients from one budget', async () => {
  const fetch = async () => new Response('', { status: 503 })
  const { client } = testClient({ fetch, maxRetries: 10 })
  const attempts = async () => {
    const error = await client
      .withOptions({ timeoutMs: 1000 })
      .sessions.retrieve('s')
      .catch((thrown) => thrown)
    return error.attempts
  }

  const made = [await attempts(), await attempts(), await attempts(), await attempts(), await attempts()]

  expect(made).toEqual([11, 11, 11, 11, 11])
  expect(await attempts()).toBe(1)
})

it('warns once of responses that are not as documented, whichever client gets them', async () => {
  service.respondTo('GET /api/v2/session/s', ok({ status: 7 }), ok({ status: 7 }))
  const warnings: string[] = []
  const logger = { ...console, debug: () => {}, warn: (message: string) => void warnings.push(message) }
  const { client } = testClient({ logger })

  for (const headers of [{ 'x-n': '1' }, { 'x-n': '2' }])
    await client
      .withOptions({ headers })
      .sessions.retrieve('s')
      .catch(() => {})

  expect(warnings.filter((message) => message.includes('not as documented'))).toHaveLength(1)
})

it('closing a new client leaves the pool open for the others', async () => {
  const server = await loopbackServer()
  const { client } = testClient({ baseUrl: server.url, fetch: undefined })
  onTestFinished(() => client.close())
  const derived = client.withOptions({ maxRetries: 0 })
  await derived.sessions.retrieve('s')

  await derived.close()

  await expect(derived.sessions.retrieve('s')).rejects.toThrow('the client is closed: create a new one')
  await expect(client.sessions.retrieve('s')).resolves.toBeDefined()
  await expect(client.withOptions({}).sessions.retrieve('s')).resolves.toBeDefined()
})

it('closing the first client closes the pool, also for the clients that it made', async () => {
  const server = await loopbackServer()
  const { client } = testClient({ baseUrl: server.url, fetch: undefined })
  const derived = client.withOptions({ maxRetries: 0 })
  await derived.sessions.retrieve('s')

  await client.close()

  await expect(derived.sessions.retrieve('s')).rejects.toThrow('the client is closed: create a new one')
  await expect(client.withOptions({}).sessions.retrieve('s')).rejects.toThrow('the client is closed')
})

const oidcOptions = { baseUrl, clientId: 'id', clientSecret: 'secret' }

it.each(['baseUrl', 'fetch', 'dispatcher', 'connections', 'http2'])(
  'rejects a change of %s, which the clients share',
  (option) => {
    const clients = [
      testClient().client,
      new OrgClient({ baseUrl, clientId: 'id', clientSecret: 'secret' }),
      new OidcClient(oidcOptions),
    ]

    for (const client of clients) {
      const change = () => client.withOptions({ [option]: 1 } as never)
      expect(change).toThrow(ConfigurationError)
      expect(change).toThrow(`withOptions: ${option} cannot be changed`)
    }
  },
)

it('names withOptions if one of its options is invalid', () => {
  for (const client of [
    testClient().client,
    new OrgClient({ baseUrl, clientId: 'id', clientSecret: 'secret' }),
    new OidcClient(oidcOptions),
  ])
    expect(() => client.withOptions({ timeoutMs: 0 })).toThrow(/^withOptions: timeoutMs must be /)
})

it('rejects a change of jwks, which the clients share', () => {
  const change = () => new OidcClient(oidcOptions).withOptions({ jwks: {} } as never)
  expect(change).toThrow('withOptions: jwks cannot be changed')
})

it.each([
  [{ timeout: 1 }, 'timeout is not an option. Did you mean timeoutMs?'],
  [null, 'the options must be an object, not null'],
])('rejects %j', (changes, message) => {
  expect(() => testClient().client.withOptions(changes as never)).toThrow(message)
})

it('signs people in for another client id with keys that are fetched once', async () => {
  const emulator = createEmulator()
  const { options } = emulator
  const oidc = new OidcClient(options.oidc)
  const other = oidc.withOptions({ scope: ['profile'] })

  for (const one of [oidc, other]) {
    const login = await one.createAuthorization()
    await one.handleCallback(emulator.signIn.approve(login.url), login)
  }

  expect(emulator.requests.filter(({ operation }) => operation === 'oidc.jwks')).toHaveLength(1)
  expect(new URL((await other.createAuthorization()).url).searchParams.get('scope')).toBe('openid profile')
})

it('changes the credentials of the organization API', async () => {
  service.respondTo('GET /api/sdk/billing', errorResponse(401, 'invalid_client'))
  const org = new OrgClient({ baseUrl, clientId: 'id', clientSecret: 'secret', fetch })

  await org
    .withOptions({ clientSecret: 'rotated' })
    .billing.retrieve()
    .catch(() => {})

  expect(Object.fromEntries(service.requests[0]?.headers ?? [])).toMatchObject({
    'x-client-id': 'id',
    'x-client-secret': 'rotated',
  })
})
