import { expect } from 'vitest'
import { type LegacyTokenSet, loginMarkers, memoryStore, type OidcClient } from '../../src/oidc.ts'
import { inProcess } from '../emulator/support/service.ts'
import { baseUrl, clientId, clientSecret, issuer, json, redirectUri } from '../oidc/issuer.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { statement, statements } from './statement.ts'

// The legacy sign-on: section 4.8 of the contract.

const client = { client_id: clientId, client_secret: clientSecret }

const tokens = {
  access_token: 'access_1_0123456789',
  token_type: 'Bearer',
  expires_in: 900,
  refresh_token: 'refresh_1_0123456789',
}

const user = {
  id: 'u_1',
  email: 'ada@example.test',
  username: 'ada',
  name: 'Ada Lovelace',
  svc_id: 'svc_1',
  avatar_url: 'https://id.example.test/ada.png',
  created_at: '2026-01-01T00:00:00Z',
}

const info = {
  sub: 'user_1',
  email: 'ada@example.test',
  first_name: 'Ada',
  last_name: 'Lovelace',
  full_name: 'Ada Lovelace',
  svc_id: 'svc_1',
  id_verified: true,
  created_at: '2026-01-01T00:00:00Z',
}

const license = { type: 'RN', number: '1', status: 'active', expires_on: '2030-01-01', issuer: 'CA' }

const verifications = {
  human_verified: true,
  id_verified: false,
  licenses: [
    { license_type: 'RN', verified: true, verified_from: 'board', expire_at: '2030-01-01T00:00:00Z' },
  ],
}

type Call = (oidc: OidcClient) => PromiseLike<unknown>

const exchange: Call = ({ legacy }) => legacy.exchangeCode({ code: 'code_1' })
const userinfo: Call = ({ legacy }) => legacy.userinfo('token_1')
const licenses: Call = ({ legacy }) => legacy.licenses('token_1')
const verified: Call = ({ legacy }) => legacy.verifications('token_1')
const refresh: Call = ({ legacy }) => legacy.refresh('refresh_0')

/** Sends a call to a service that responds with `data`. Returns the result, and the request. */
async function called(call: Call, data: object) {
  const { client, others } = issuer()
  others.respondWith(json({ success: true, data, error: null }))
  const result = await call(client({ responseValidation: 'strict' }))
  return { result, request: others.requests[0] ?? expect.fail('nothing was sent') }
}

const calls = [
  ['POST', 'token', exchange, { ...tokens, user }],
  ['GET', 'userinfo', userinfo, info],
  ['GET', 'licenses', licenses, { licenses: [license] }],
  ['GET', 'verifications', verified, { verifications }],
  ['POST', 'refresh', refresh, { tokens }],
] as const

statements(
  '4.8',
  calls,
  (method, name) => `the legacy ${name} is ${method} /api/auth/tpsso/${name}`,
  async (method, name, call, data) => {
    const { request } = await called(call, data)

    expect(`${request.method} ${request.url}`).toBe(`${method} ${baseUrl}/api/auth/tpsso/${name}`)
  },
)

statements(
  '4.8',
  calls,
  (method, name) => `the emulator returns 410 endpoint_removed for ${method} /api/auth/tpsso/${name}`,
  async (method, name) => {
    expect(await inProcess().call(method, `/api/auth/tpsso/${name}`)).toMatchObject({
      status: 410,
      error: { code: 'endpoint_removed' },
    })
  },
)

statements(
  '4.8',
  calls,
  (_, name) => `the removed ${name} is thrown as a GoneError that names OpenID Connect`,
  async (_, __, call) => {
    const { client, others } = issuer()
    const error = { code: 'endpoint_removed', message: 'This endpoint was removed.' }
    others.respondWith(json({ success: false, data: null, error }, 410))

    const thrown = await thrownBy(call(client()))

    expect(thrown).toMatchObject({ name: 'GoneError', code: 'endpoint_removed' })
    expect(String(thrown)).toMatch(/oidc\./)
  },
)

statement('4.8', 'the token exchange sends grant_type, client_id, client_secret and code', async () => {
  const { request } = await called(exchange, { ...tokens, user })

  expect(await request.json()).toMatchObject({ grant_type: 'authorization_code', ...client, code: 'code_1' })
})

statement('4.8', 'the token exchange sends the redirect_uri, which is recommended', async () => {
  const { request } = await called(exchange, { ...tokens, user })

  expect(await request.json()).toMatchObject({ redirect_uri: redirectUri })
})

statements(
  '4.8',
  Object.entries(tokens),
  (field) => `the token exchange returns ${field}`,
  async (field, value) => {
    expect((await called(exchange, { ...tokens, user })).result).toHaveProperty(field, value)
  },
)

statements(
  '4.8',
  Object.entries(user),
  (field) => `the token exchange returns the user’s ${field}`,
  async (field, value) => {
    const { result } = await called(exchange, { ...tokens, user })

    expect((result as LegacyTokenSet).user).toHaveProperty(field, value)
  },
)

statements(
  '4.8',
  [
    ['userinfo', userinfo, info],
    ['licenses', licenses, { licenses: [license] }],
    ['verifications', verified, { verifications }],
  ],
  (name) => `${name} sends the access token as a bearer token, and no other credential`,
  async (_, call, data) => {
    const { request } = await called(call, data)

    expect(request.headers.get('authorization')).toBe('Bearer token_1')
    for (const header of ['x-api-key', 'x-client-id', 'x-client-secret'])
      expect(request.headers.get(header)).toBeNull()
  },
)

statements(
  '4.8',
  Object.entries(info),
  (field) => `userinfo returns ${field}`,
  async (field, value) => {
    expect((await called(userinfo, info)).result).toHaveProperty(field, value)
  },
)

statements(
  '4.8',
  Object.entries(license),
  (field) => `a listed license has ${field}`,
  async (field, value) => {
    expect((await called(licenses, { licenses: [license] })).result).toHaveProperty(['0', field], value)
  },
)

statements(
  '4.8',
  Object.entries(verifications),
  (field) => `the verifications have ${field}`,
  async (field, value) => {
    expect((await called(verified, { verifications })).result).toHaveProperty(field, value)
  },
)

statements(
  '4.8',
  [
    ['verified_from', 'board'],
    ['verified_from', null],
    ['expire_at', '2030-01-01T00:00:00Z'],
    ['expire_at', null],
  ],
  (field, value) => `a verified license may have the ${field} ${value}`,
  async (field, value) => {
    const one = { ...verifications.licenses[0], [field]: value }

    const { result } = await called(verified, { verifications: { ...verifications, licenses: [one] } })

    expect(result).toHaveProperty(['licenses', '0', field], value)
  },
)

statement('4.8', 'a refresh sends refresh_token, client_id and client_secret', async () => {
  const { request } = await called(refresh, { tokens })

  expect(await request.json()).toEqual({ refresh_token: 'refresh_0', ...client })
})

statement('4.8', 'a refresh may send the client credentials as HTTP Basic', async () => {
  const { request } = await called(({ legacy }) => legacy.refresh('refresh_0', { auth: 'basic' }), { tokens })

  expect(request.headers.get('authorization')).toBe(`Basic ${btoa(`${clientId}:${clientSecret}`)}`)
  expect(await request.json()).toEqual({ refresh_token: 'refresh_0' })
})

statement('4.8', 'a refresh takes the boolean rotate_refresh, whose default is the service’s', async () => {
  const { request } = await called(({ legacy }) => legacy.refresh('refresh_0', { rotate_refresh: false }), {
    tokens,
  })

  expect(await request.json()).toMatchObject({ rotate_refresh: false })
  expect(await (await called(refresh, { tokens })).request.json()).not.toHaveProperty('rotate_refresh')
})

statements(
  '4.8',
  Object.entries(tokens),
  (field) => `a refresh returns data.tokens.${field}`,
  async (field, value) => {
    expect((await called(refresh, { tokens })).result).toHaveProperty(field, value)
  },
)

statement(
  '4.8',
  'a refresh without client credentials gives 401 invalid_client, as an AuthenticationError',
  async () => {
    const { client, others } = issuer()
    others.respondWith(
      json({ success: false, data: null, error: { code: 'invalid_client', message: 'Who are you?' } }, 401),
    )

    expect(await thrownBy(refresh(client()))).toMatchObject({
      name: 'AuthenticationError',
      code: 'invalid_client',
    })
  },
)

statement('4.8', 'a legacy code is single-use, so its exchange is sent once', async () => {
  const { client, others } = issuer()
  others.respondWith(
    json({ success: false, data: null, error: { code: 'internal_error', message: 'x' } }, 500),
  )

  await thrownBy(exchange(client()))

  expect(others.requests).toHaveLength(1)
})

// The one-time marker

const markersAt = () => {
  let time = Date.UTC(2026, 0, 1)
  const markers = loginMarkers({ secret: 'marker-secret', store: memoryStore(), now: () => new Date(time) })
  const pass = (ms: number) => {
    time += ms
  }
  return { markers, pass }
}

statement('4.8', 'a login marker can be used once', async () => {
  const { markers } = markersAt()
  const marker = await markers.create()

  expect([await markers.spend(marker), await markers.spend(marker)]).toEqual([true, false])
})

statement('4.8', 'a login marker is signed with HMAC, so another secret does not accept it', async () => {
  const other = loginMarkers({
    secret: 'other-secret',
    store: memoryStore(),
    now: () => new Date(Date.UTC(2026, 0, 1)),
  })

  expect(await other.spend(await markersAt().markers.create())).toBe(false)
})

statements(
  '8',
  [
    ['just under 10 minutes', 599_999, true],
    ['10 minutes', 600_000, false],
  ],
  (what, _, valid) => `a login marker of ${what} is ${valid ? 'valid' : 'not valid'}`,
  async (_, ms, valid) => {
    const { markers, pass } = markersAt()
    const marker = await markers.create()

    pass(ms)

    expect(await markers.spend(marker)).toBe(valid)
  },
)
