import { expect, it } from 'vitest'
import { application, listening, redirectUri, start } from './over-http.ts'
import { challenge, signInService, verifier } from './signing-in.ts'

const { codeFor, emulator, exchange, keys, patch, post, raw, refresh, token, tokensFor, url, verified } =
  await signInService()

const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
const now = start.getTime() / 1000

// Section 2.8

it('a token response has the six documented members at top level', async () => {
  const { status, headers, body } = await exchange(codeFor({ scope: 'openid profile' }))

  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^application\/json\b/)
  const jwt = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  expect(body).toEqual({
    access_token: jwt,
    refresh_token: expect.stringMatching(/./),
    id_token: jwt,
    token_type: 'Bearer',
    expires_in: 900,
    scope: 'openid profile',
  })
})

// Section 4.7: the key set and the tokens that it verifies

it('the key set publishes public RSA keys for RS256', async () => {
  for (const key of await keys()) {
    expect(key).toMatchObject({
      kty: 'RSA',
      n: expect.any(String),
      e: expect.any(String),
      kid: expect.any(String),
    })
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi']) expect(key).not.toHaveProperty(secret)
  }
})

it('the id_token names issuer, audience, person, expiry and the nonce that was sent', async () => {
  const { id_token } = await tokensFor({ nonce: 'nonce_1' })

  const { claims } = await verified(id_token)

  expect(claims).toMatchObject({ iss: url, sub: 'user_ada', nonce: 'nonce_1', iat: now })
  expect([claims.aud].flat()).toEqual([application.client_id])
  expect(claims.exp).toBeGreaterThan(now)
})

it('an id_token has no nonce where none was sent', async () => {
  const { claims } = await verified((await tokensFor()).id_token)

  expect(claims).not.toHaveProperty('nonce')
})

it('the access token is a JWT of the same person and client, and lasts 900 seconds', async () => {
  const { access_token } = await tokensFor()

  const { claims } = await verified(access_token)

  expect(claims).toMatchObject({ iss: url, sub: 'user_ada', iat: now, exp: now + 900 })
})

it('a token of one key does not verify under the bytes of another', async () => {
  const { id_token, access_token } = await tokensFor()
  const [head, , signature] = id_token.split('.')

  await expect(verified(`${head}.${access_token.split('.')[1]}.${signature}`)).rejects.toThrow()
})

// Section 2.9: the login claim

it('the login of an active member has their member_id as svc_org_member_id', async () => {
  const email = 'ada@example.com'
  const { data } = await post<{ created: { member_id: string }[] }>('/api/sdk/members', {
    members: [{ email }],
  })
  const before = await verified((await tokensFor()).id_token)
  emulator.members.activate(email)

  const after = await verified((await tokensFor()).id_token)

  expect(before.claims).not.toHaveProperty('svc_org_member_id')
  expect(after.claims.svc_org_member_id).toBe(data.created[0]?.member_id)
})

// Sections 5 and 8: codes

it('a code can be exchanged once', async () => {
  const code = codeFor()

  expect((await exchange(code)).status).toBe(200)
  expect(await exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

it('a code lasts two minutes', async () => {
  const [early, late] = [codeFor(), codeFor()]

  await emulator.clock.advance(119_000)
  expect((await exchange(early)).status).toBe(200)
  await emulator.clock.advance(1_000)

  expect(await exchange(late)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

it.each([
  ['an unknown code', 'code_unknown', {}],
  ['another redirect_uri', undefined, { redirect_uri: 'https://app.example/other' }],
])('%s is invalid_grant', async (_, code, over) => {
  expect(await exchange(code ?? codeFor(), over)).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  })
})

it('two sign-ins have codes of their own', async () => {
  const [a, b] = [codeFor(), codeFor()]

  expect(a).not.toBe(b)
  expect([(await exchange(a)).status, (await exchange(b)).status]).toEqual([200, 200])
})

// Section 4.7: PKCE

it('a code under a challenge is exchanged with its verifier', async () => {
  expect((await exchange(codeFor(pkce), { code_verifier: verifier })).status).toBe(200)
})

it.each([{}, { code_verifier: `${verifier}x` }, { code_verifier: challenge }])(
  'a code under a challenge is invalid_grant with %j',
  async (over) => {
    expect(await exchange(codeFor(pkce), over)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
  },
)

// Section 4.7: rotation

it('a refresh returns new tokens for the same person, with the scope of the sign-in', async () => {
  const first = await tokensFor({ scope: 'openid profile', nonce: 'nonce_1' }, 'user_bob')
  await emulator.clock.advance(600_000)

  const { status, body } = await refresh(first.refresh_token)

  expect(status).toBe(200)
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'openid profile' })
  expect(body.refresh_token).not.toBe(first.refresh_token)
  expect(body.access_token).not.toBe(first.access_token)
  const { claims } = await verified(body.access_token ?? '')
  expect(claims).toMatchObject({ sub: 'user_bob', iat: now + 600, exp: now + 1500 })
})

it('a rotated refresh token is revoked, and presenting it revokes every one of that user and client', async () => {
  const [first, elsewhere, other] = [await tokensFor(), await tokensFor(), await tokensFor({}, 'user_bob')]
  const second = await refresh(first.refresh_token)
  expect(second.status).toBe(200)

  const reused = await refresh(first.refresh_token)

  const refused = { status: 400, body: { error: 'invalid_grant' } }
  expect(reused).toMatchObject(refused)
  expect(await refresh(second.body.refresh_token)).toMatchObject(refused)
  expect(await refresh(elsewhere.refresh_token)).toMatchObject(refused)
  expect((await refresh(other.refresh_token)).status).toBe(200)
})

it('an unknown refresh token is invalid_grant, and revokes nothing', async () => {
  const { refresh_token } = await tokensFor()

  expect(await refresh('rt_unknown')).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await refresh(refresh_token)).status).toBe(200)
})

// Section 3.3
it('deactivating a member revokes their logins', async () => {
  const email = 'ada@example.com'
  await post('/api/sdk/members', { members: [{ email }] })
  emulator.members.activate(email)
  const [ada, bob] = [await tokensFor(), await tokensFor({}, 'user_bob')]

  await patch(`/api/sdk/members/${email}/deactivate`)

  expect(await refresh(ada.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await refresh(bob.refresh_token)).status).toBe(200)
})

// Sections 5 and 7: what the token endpoint refuses

it.each([
  ['no grant_type', { grant_type: undefined }, 400, 'invalid_request'],
  ['another grant_type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ['the client_credentials grant', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
  ['no code', { code: undefined }, 400, 'invalid_request'],
  ['no redirect_uri', { redirect_uri: undefined }, 400, 'invalid_request'],
  ['no refresh_token', { grant_type: 'refresh_token' }, 400, 'invalid_request'],
  ['a code that is no string', { code: 1 }, 400, 'invalid_request'],
  ['no client_id', { client_id: undefined }, 401, 'invalid_client'],
  ['another client_id', { client_id: 'app_2' }, 401, 'invalid_client'],
  ['no client_secret', { client_secret: undefined }, 401, 'invalid_client'],
  ['another client_secret', { client_secret: 'guess' }, 401, 'invalid_client'],
])('%s is refused in the form of RFC 6749', async (_, over, expected, error) => {
  const { status, body } = await exchange(codeFor(), over)

  expect(status).toBe(expected)
  expect(body).toEqual({ error, error_description: expect.any(String) })
})

it.each(['{"grant_type":', '[]', '""'])(
  'a body that is no JSON object is invalid_request: %s',
  async (body) => {
    const { status, text } = await raw('POST', '/api/auth/oidc/token', {
      headers: { 'Content-Type': 'application/json' },
      body,
    })

    expect(status).toBe(400)
    expect(JSON.parse(text)).toMatchObject({ error: 'invalid_request' })
  },
)

it('wrong credentials are refused at a refresh as well', async () => {
  const { refresh_token } = await tokensFor()

  const { status, body } = await refresh(refresh_token, { client_secret: 'guess' })

  expect([status, body.error]).toEqual([401, 'invalid_client'])
})

it('an application that is not active is 403 unauthorized_client at the token endpoint', async () => {
  const inactive = await listening({ oidc: { active: false } })

  const { status, text } = await inactive.raw('POST', '/api/auth/oidc/token', {
    json: { grant_type: 'authorization_code', ...application, code: 'c', redirect_uri: redirectUri },
  })

  expect(status).toBe(403)
  expect(JSON.parse(text)).toMatchObject({ error: 'unauthorized_client' })
})

it('credentials travel in the body: no API key is asked for, and none helps', async () => {
  const { status } = await token({
    grant_type: 'authorization_code',
    code: codeFor(),
    redirect_uri: redirectUri,
  })

  expect(status).toBe(401)
})
