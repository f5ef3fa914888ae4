import { expect } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import {
  assertPassed,
  OidcClient,
  OrgClient,
  type OrgClientOptions,
  parseReturnUrl,
  VerificationClient,
  verifyWebhook,
} from '../../src/index.ts'
import { nurse } from '../emulator/support/checks.ts'
import { photoBase64 } from '../emulator/support/images.ts'
import { apiKey, inProcess, organization, webhookSecret } from '../emulator/support/service.ts'
import { signInAt } from '../emulator/support/sign-in.ts'
import { callback, receiver } from '../emulator/support/webhook-receivers.ts'
import { issuer, json } from '../oidc/issuer.ts'
import { aSession } from '../support/fixtures.ts'
import { operations } from '../support/operations.ts'
import { clientId, clientSecret, testOrg } from '../support/org-client.ts'
import { rosterOperations } from '../support/roster-operations.ts'
import { errorResponse, ok } from '../support/scripted-service.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { testClient } from '../support/verification-client.ts'
import { documentedCalls } from './documented-calls.ts'
import { statement, statements } from './statement.ts'

// The service as a whole: sections 1, 2.1, 5 and 9 of the contract.

const { service, received, failed, strictClients } = documentedCalls()

// 1, what the service does

const hosts = [
  ['VerificationClient', (baseUrl: string) => new VerificationClient({ baseUrl, apiKey: 'k' })],
  ['OidcClient', (baseUrl: string) => new OidcClient({ baseUrl, clientId, clientSecret })],
  ['OrgClient', (baseUrl: string) => new OrgClient({ baseUrl, clientId, clientSecret })],
] as const

statements(
  '1',
  hosts,
  (name) => `HTTPS is used everywhere, so the ${name} accepts no http address of another host`,
  (_, create) => {
    expect(() => create('http://id.example.test')).toThrow(/https/)
    expect(() => create('https://id.example.test')).not.toThrow()
  },
)

statement('1', 'the organization API is on a host of its own', async () => {
  const org = 'https://console.example.test'
  const requests: string[] = []
  const fetch = async (input: unknown) => {
    requests.push(Object(input).url ?? String(input))
    return Response.json({
      success: true,
      data: { members: [], organization: { id: 1, name: 'O' } },
      error: null,
    })
  }

  await new OrgClient({ baseUrl: org, clientId, clientSecret, fetch } as OrgClientOptions).members.list()

  expect(requests).toEqual([`${org}/api/sdk/members`])
})

statement('1', 'a hosted verification goes from session to page, webhook and decision', async () => {
  const { deliver, received } = receiver()
  const emulator = createEmulator({ webhooks: { secret: webhookSecret, deliver } })
  const client = new VerificationClient(emulator.options.verification)

  const session = await client.sessions.create({ workflow_id: 'wf_identity', callback })
  await emulator.fetch(session.url)
  await emulator.sessions.complete(session.session_id, 'APPROVED')
  await emulator.webhooks.settled()
  const [delivery] = received
  const event = await verifyWebhook({
    body: (await delivery?.text()) ?? '',
    headers: delivery?.headers ?? new Headers(),
    secret: webhookSecret,
  })
  const decision = await client.sessions.decision(event.session_id)

  expect(event.type).toBe('verification.approved')
  expect(decision.decision).toBe('APPROVED')
})

statement('1', 'the return of the person is not the outcome, so the decision is read', () => {
  const { statusHint } = parseReturnUrl('/back?session_id=sess_1&status=APPROVED')

  expect(statusHint).toBe('APPROVED')
  expect(() => assertPassed({ status: statusHint } as never)).toThrow()
})

statements(
  '1',
  [
    ['id-verification', { front_image: photoBase64 }],
    ['liveness', { image: photoBase64 }],
    ['face-match', { image1: photoBase64, image2: photoBase64 }],
    ['age-verification', { dob: '1990-04-12', bands: [18] }],
    ['credential-verification', nurse],
    ['kyc-credential', { ...nurse, front_image: photoBase64, selfie: photoBase64 }],
    ['location', { latitude: 1, longitude: 2 }],
  ] as const,
  (path) => `${path} is synchronous: its response has the result`,
  async (path, body) => {
    expect(await inProcess().post(`/api/v2/${path}`, body)).toMatchObject({
      status: 200,
      data: { status: 'passed' },
    })
  },
)

statement(
  '1',
  'no verification result is simulated by the service, so every emulated response says that it is',
  async () => {
    const { raw } = inProcess()

    for (const path of ['/api/v2/session', '/api/sdk/members', '/api/auth/oidc/jwks.json'])
      expect((await raw('GET', path)).headers.get('x-emulator')).toBe('1')
  },
)

statement('1', 'sign-in calls are free', async () => {
  const at = signInAt(inProcess({ wallet: { balance: 0, pricePerCall: 1 } }))

  await at.tokensFor()

  expect(at.emulator.ledger).toEqual([])
})

statement(
  '1',
  'a billing summary is read-only, so the organization API has no other billing operation',
  () => {
    expect(Object.keys(testOrg().org.billing)).toEqual(['retrieve'])
  },
)

statements(
  '1',
  [['add'], ['resolve'], ['invite'], ['deactivate'], ['reactivate'], ['remove'], ['list']] as const,
  (method) => `members can be managed from a server: ${method}`,
  (method) => {
    expect(testOrg().org.members[method]).toBeTypeOf('function')
  },
)

// 2.1, the envelope

statements(
  '2.1',
  [
    ['an object', 'sessions.retrieve', aSession()],
    ['an array', 'sessions.list', [aSession()]],
    ['null', 'experimental.faceUniqueness.delete', null],
  ],
  (what) => `the data of a response may be ${what}`,
  async (_, name, data) => {
    expect(await received(name, data)).toEqual(data)
  },
)

statement('2.1', 'success is true on a 2xx, and error is null', async () => {
  const { text, status } = await inProcess().raw('GET', '/api/v2/session', { headers: apiKey })

  expect(status).toBe(200)
  expect(JSON.parse(text)).toEqual({ success: true, data: [], error: null })
})

statement('2.1', 'success is false on a failure, with an error', async () => {
  const { text } = await inProcess().raw('GET', '/api/v2/session')

  expect(JSON.parse(text)).toEqual({
    success: false,
    data: null,
    error: { code: 'invalid_api_key', message: expect.any(String) },
  })
})

statement('2.1', 'a 2xx with success false and a code is an error too', async () => {
  service.respondTo('GET /api/v2/session/sess_1', errorResponse(200, 'session_closed'))

  expect(await thrownBy(strictClients().client.sessions.retrieve('sess_1'))).toMatchObject({
    code: 'session_closed',
  })
})

statements(
  '2.1',
  [
    ['code', 'session_closed'],
    ['message', expect.stringContaining('The service says session_closed.')],
  ],
  (member) => `an error has the string ${member}`,
  async (member, value) => {
    expect(await failed('sessions.retrieve', 409, 'session_closed')).toMatchObject({ [member]: value })
  },
)

statement('2.1', 'an error may carry extra members, which are in details', async () => {
  const error = await failed('sessions.retrieve', 409, 'already_decided', {
    status: 'APPROVED',
    deep: [{ a: null }],
  })

  expect(error).toMatchObject({ details: { status: 'APPROVED', deep: [{ a: null }] } })
})

statement('2.1', 'an error of the organization API has data next to success and error', async () => {
  const { text } = await inProcess().raw('POST', '/api/sdk/members', { headers: organization, json: {} })

  expect(JSON.parse(text)).toEqual({
    success: false,
    error: { code: 'invalid_request', message: expect.any(String) },
    data: { errors: { members: expect.any(String) } },
  })
})

statement('2.1', 'the errors of fields in data.errors are in fieldErrors', async () => {
  const errors = { 'members.0.email': 'is invalid', notify: ['must be a boolean'] }
  service.respondTo(
    'POST /api/sdk/members',
    () =>
      Response.json(
        { success: false, error: { code: 'invalid_request', message: 'No.' }, data: { errors } },
        { status: 400 },
      ) as never,
  )

  const error = await thrownBy(strictClients().org.members.add({ members: [{ email: 'x' }] }))

  expect(Object.keys(Object(error).fieldErrors)).toEqual(['members.0.email', 'notify'])
})

statement('2.1', 'tokens are not wrapped, so tokens in an envelope are rejected', async () => {
  const { client, token } = issuer()
  token.respondWith(json({ success: true, data: { access_token: 'a' }, error: null }))

  expect(await thrownBy(client().exchangeCode({ code: 'c' }))).toMatchObject({ code: 'invalid_response' })
})

statements(
  '2.1',
  [
    ['GET', '/api/v2/session', apiKey, 200],
    ['GET', '/api/v2/session', {}, 401],
    ['GET', '/api/sdk/members', organization, 200],
    ['GET', '/api/sdk/members', {}, 401],
    ['POST', '/api/auth/oidc/token', {}, 401],
    ['GET', '/api/auth/oidc/jwks.json', {}, 200],
    ['GET', '/api/auth/tpsso/userinfo', {}, 410],
    ['GET', '/nowhere', {}, 404],
  ],
  (method, path, _, status) => `the response ${status} of ${method} ${path} has an X-Request-Id`,
  async (method, path, headers, status) => {
    const json = method === 'POST' ? {} : undefined

    const response = await inProcess().raw(method, path, { headers, json })

    expect(response.status).toBe(status)
    expect(response.headers.get('x-request-id')).toEqual(expect.stringMatching(/./))
  },
)

statement('2.1', 'X-Request-Id is available on a result', async () => {
  service.respondTo('GET /api/v2/session/sess_1', ok(aSession(), { 'x-request-id': 'req_7' }))

  const { response } = await strictClients().client.sessions.retrieve('sess_1').withResponse()

  expect(response.requestId).toBe('req_7')
})

statement('2.1', 'X-Request-Id is available on an error', async () => {
  expect(await failed('sessions.retrieve', 404, 'not_found')).toMatchObject({ requestId: 'req_error' })
})

// 5, credentials of the interfaces

statement('5', 'every call of the verification API sends the API key as X-API-Key', async () => {
  for (const { data, name } of operations) await received(name, data)

  expect(service.requests).toHaveLength(operations.length)
  for (const { headers } of service.requests) {
    expect(headers.get('x-api-key')).toBe('key_test_0123456789abcdef')
    expect(headers.get('authorization')).toBeNull()
  }
})

statement('5', 'the API key may be sent as a bearer token instead', async () => {
  service.respondTo('GET /api/v2/session/sess_1', ok(aSession()))

  await testClient({ auth: 'bearer' }).client.sessions.retrieve('sess_1')

  expect(service.requests[0]?.headers.get('authorization')).toBe('Bearer key_test_0123456789abcdef')
  expect(service.requests[0]?.headers.get('x-api-key')).toBeNull()
})

statement('5', 'the API key is never sent next to the access token of a person', async () => {
  const { client } = strictClients()
  const request = { method: 'GET', path: '/api/v2/session' } as const

  const error = await thrownBy(client.request(request, { headers: { authorization: 'Bearer token_1' } }))

  expect(error).toMatchObject({ code: 'invalid_params', message: expect.stringContaining('oidc.request') })
  expect(service.requests).toHaveLength(0)
})

statements(
  '5',
  [
    ['X-API-Key', { 'X-API-Key': 'key_1' }, 200],
    ['Authorization: Bearer', { Authorization: 'Bearer key_1' }, 200],
    ['a wrong X-API-Key', { 'X-API-Key': 'key_2' }, 401],
    ['a wrong bearer token', { Authorization: 'Bearer key_2' }, 401],
    ['no key', {}, 401],
  ],
  (what, _, status) => `the verification API responds with ${status} to ${what}`,
  async (_, headers, status) => {
    const { text, ...response } = await inProcess().raw('GET', '/api/v2/session', { headers })

    expect(response.status).toBe(status)
    if (status === 401) expect(JSON.parse(text).error.code).toBe('invalid_api_key')
  },
)

statement('5', 'every call of the organization API sends X-Client-Id and X-Client-Secret', async () => {
  for (const { data, name } of rosterOperations) await received(name, data)

  expect(service.requests).toHaveLength(rosterOperations.length)
  for (const { headers } of service.requests) {
    expect([headers.get('x-client-id'), headers.get('x-client-secret')]).toEqual([clientId, clientSecret])
    expect([headers.get('x-api-key'), headers.get('authorization')]).toEqual([null, null])
  }
})

statements(
  '5',
  [
    ['no credentials', {}],
    ['no secret', { 'X-Client-Id': 'org_1' }],
    ['a wrong secret', { 'X-Client-Id': 'org_1', 'X-Client-Secret': 'wrong' }],
    ['an API key', { 'X-API-Key': 'key_1' }],
  ],
  (what) => `the organization API responds with 401 invalid_client to ${what}`,
  async (_, headers) => {
    const { status, text } = await inProcess().raw('GET', '/api/sdk/members', { headers })

    expect([status, JSON.parse(text).error.code]).toEqual([401, 'invalid_client'])
  },
)

statements(
  '5',
  [
    [401, 'invalid_api_key', 'AuthenticationError'],
    [401, 'invalid_client', 'AuthenticationError'],
    [403, 'unauthorized_client', 'PermissionDeniedError'],
    [403, 'insufficient_scope', 'PermissionDeniedError'],
  ],
  (status, code, name) => `${status} ${code} is thrown as a ${name}`,
  async (status, code, name) => {
    expect(await failed('sessions.list', status, code)).toMatchObject({ name, status, code })
  },
)

statement(
  '5',
  'test and production have separate keys, so a key of one is not accepted by the other',
  async () => {
    const [test, production] = [createEmulator({ apiKey: 'test' }), createEmulator({ apiKey: 'production' })]
    const crossed = { ...test.options.verification, fetch: production.fetch, maxRetries: 0 }

    expect(await thrownBy(new VerificationClient(crossed).sessions.list())).toMatchObject({
      code: 'invalid_api_key',
    })
  },
)

// 9, versions and paths

statement('9', 'the version of the verification API is in its paths: /api/v2', async () => {
  for (const { data, name } of operations) await received(name, data)

  for (const { url } of service.requests) expect(new URL(url).pathname).toMatch(/^\/api\/v2\//)
})

statement('9', 'another version of the API does not exist', async () => {
  expect((await inProcess().call('GET', '/api/v1/session')).status).toBe(404)
})

statement('9', 'sign-in is below /api/auth/oidc', async () => {
  const { client, token } = issuer()
  const oidc = client()

  const { url } = await oidc.createAuthorization()
  await oidc.exchangeCode({ code: 'c' })

  for (const address of [url, token.requests[0]?.url]) expect(address).toContain('/api/auth/oidc/')
})

statement('9', 'the organization API is below /api/sdk', async () => {
  for (const { data, name } of rosterOperations) await received(name, data)

  for (const { url } of service.requests) expect(new URL(url).pathname).toMatch(/^\/api\/sdk\//)
})

statement('9', 'the consent screen is for login only, so it offers no attributes to release', async () => {
  const at = signInAt(inProcess())

  const { text } = await at.raw('GET', at.authorizationUrl())

  expect(text).not.toMatch(/type="checkbox"/)
})
