import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { origin, start } from './emulated.ts'
import { challenge, credentials, redirectUri, signedIn, verifier } from './signed-in.ts'

const seconds = start.getTime() / 1000

it('answers an exchange with bare tokens that other hands can verify', async () => {
  const { codeFor, exchange, verified } = signedIn()

  const { status, headers, body } = await exchange(codeFor({ nonce: 'nonce_1' }))

  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-request-id')).toMatch(/^req_/)
  expect(body).toEqual({
    access_token: expect.any(String),
    refresh_token: expect.stringMatching(/^rt_/),
    id_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 900,
    scope: 'openid profile',
  })
  const id = await verified(body.id_token)
  expect(id.protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) })
  const hash = createHash('sha256').update(String(body.access_token)).digest()
  expect(id.payload).toEqual({
    iss: origin,
    sub: 'user_sample',
    aud: credentials.client_id,
    iat: seconds,
    exp: seconds + 900,
    nonce: 'nonce_1',
    at_hash: hash.subarray(0, 16).toString('base64url'),
  })
  const access = await verified(body.access_token)
  expect(access.protectedHeader.typ).toBe('at+jwt')
  expect(access.payload).toMatchObject({ iss: origin, sub: 'user_sample', scope: 'openid profile' })
})

it('publishes bare public keys of 2048 bits, and nothing private', async () => {
  const { keySet } = signedIn()

  const { keys } = await keySet()

  expect(keys).toEqual([
    { kty: 'RSA', n: expect.any(String), e: 'AQAB', kid: expect.any(String), alg: 'RS256', use: 'sig' },
  ])
  expect(Buffer.from(String(keys[0]?.n), 'base64url')).toHaveLength(256)
})

it('signs with a new key once it is rotated, and keeps the old one published unless told otherwise', async () => {
  const { emulator, codeFor, exchange, verified, keySet } = signedIn()
  const before = (await exchange(codeFor())).body.id_token

  await emulator.signIn.rotateKeys()
  const after = (await exchange(codeFor())).body.id_token

  expect((await keySet()).keys).toHaveLength(2)
  const kids = [await verified(before), await verified(after)].map(
    ({ protectedHeader }) => protectedHeader.kid,
  )
  expect(new Set(kids).size).toBe(2)
  await emulator.signIn.rotateKeys({ keepOld: false })
  expect((await keySet()).keys).toHaveLength(1)
  await expect(verified(after)).rejects.toThrow()
})

it('keeps its keys over a reset, and forgets codes and refresh tokens', async () => {
  const { emulator, codeFor, exchange, refresh, keySet } = signedIn()
  const { keys } = await keySet()
  const { body } = await exchange(codeFor())
  const code = codeFor()

  emulator.reset()

  expect((await exchange(code)).body.error).toBe('invalid_grant')
  expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  expect((await keySet()).keys).toEqual(keys)
})

it('takes a form as well as JSON', async () => {
  const { post, codeFor } = signedIn()
  const form = new URLSearchParams({
    ...credentials,
    grant_type: 'authorization_code',
    code: codeFor(),
    redirect_uri: redirectUri,
  })

  const { status, body } = await post(String(form), 'application/x-www-form-urlencoded')

  expect(status).toBe(200)
  expect(body.token_type).toBe('Bearer')
})

it('takes a code once', async () => {
  const { codeFor, exchange } = signedIn()
  const code = codeFor()

  const answers = await Promise.all([exchange(code), exchange(code), exchange(code)])

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  expect((await exchange(code)).body).toEqual({
    error: 'invalid_grant',
    error_description: expect.any(String),
  })
})

it('takes a code for 2 minutes', async () => {
  const { emulator, codeFor, exchange } = signedIn()
  const [code, late] = [codeFor(), codeFor()]

  await emulator.clock.advance(119_999)
  expect((await exchange(code)).status).toBe(200)
  await emulator.clock.advance(1)
  expect((await exchange(late)).body.error).toBe('invalid_grant')
})

const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }

it.each<[what: string, asked: Record<string, string>, sent: object]>([
  ['another redirect URI', {}, { redirect_uri: `${redirectUri}/` }],
  ['another verifier', pkce, { code_verifier: 'w'.repeat(43) }],
  ['no verifier, where a challenge was sent', pkce, {}],
  ['a verifier, where no challenge was sent', {}, { code_verifier: verifier }],
  ['another code', {}, { code: 'code_0' }],
])('refuses a code that comes with %s, and for good', async (_, asked, sent) => {
  const { codeFor, exchange } = signedIn()
  const code = codeFor(asked)

  const refused = await exchange(code, sent)

  expect(refused.status).toBe(400)
  expect(refused.body.error).toBe('invalid_grant')
})

it('gives no second try with a code that was refused', async () => {
  const { codeFor, exchange } = signedIn()
  const code = codeFor(pkce)
  await exchange(code, { code_verifier: 'w'.repeat(43) })

  expect((await exchange(code, { code_verifier: verifier })).body.error).toBe('invalid_grant')
})

it('takes the verifier of the challenge', async () => {
  const { codeFor, exchange } = signedIn()

  expect((await exchange(codeFor(pkce), { code_verifier: verifier })).status).toBe(200)
})

it('rotates the refresh token, and renews the tokens without the nonce', async () => {
  const { emulator, codeFor, exchange, refresh, verified } = signedIn()
  const { body } = await exchange(codeFor({ nonce: 'nonce_1' }))
  await emulator.clock.advance(1000)

  const renewed = await refresh(body.refresh_token)

  expect(renewed.status).toBe(200)
  expect(renewed.body.refresh_token).not.toBe(body.refresh_token)
  expect(renewed.body.scope).toBe('openid profile')
  const { payload } = await verified(renewed.body.id_token)
  expect(payload).toMatchObject({ sub: 'user_sample', iat: seconds + 1 })
  expect(payload).not.toHaveProperty('nonce')
  expect((await refresh(renewed.body.refresh_token)).status).toBe(200)
})

it('revokes every refresh token of a user where one that was rotated is presented', async () => {
  const users = [{ sub: 'u1' }, { sub: 'u2' }]
  const { codeFor, exchange, refresh } = signedIn({ users })
  const signIn = async (user: string) => (await exchange(codeFor({}, user))).body.refresh_token
  const [first, second, other] = [await signIn('u1'), await signIn('u1'), await signIn('u2')]
  const { refresh_token: renewed } = (await refresh(first)).body

  const reused = await refresh(first)

  expect(reused.status).toBe(400)
  expect(reused.body.error).toBe('invalid_grant')
  for (const token of [renewed, second, first])
    expect((await refresh(token)).body.error).toBe('invalid_grant')
  expect((await refresh(other)).status).toBe(200)
  expect((await refresh(await signIn('u1'))).status).toBe(200)
})

it('lets one of two refreshes at the same time through, and then revokes it', async () => {
  const { codeFor, exchange, refresh } = signedIn()
  const { body } = await exchange(codeFor())

  const both = await Promise.all([refresh(body.refresh_token), refresh(body.refresh_token)])

  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  const winner = both.find(({ status }) => status === 200)
  expect((await refresh(winner?.body.refresh_token)).body.error).toBe('invalid_grant')
})

it.each<[what: string, fields: object, status: number, error: string]>([
  ['another client', { client_id: 'other' }, 401, 'invalid_client'],
  ['another secret', { client_secret: 'other' }, 401, 'invalid_client'],
  ['no secret', { client_secret: undefined }, 401, 'invalid_client'],
  ['no grant_type', { grant_type: undefined }, 400, 'invalid_request'],
  ['another grant_type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ['no code', { code: undefined }, 400, 'invalid_request'],
  ['no redirect_uri', { redirect_uri: undefined }, 400, 'invalid_request'],
  ['no refresh_token', { grant_type: 'refresh_token' }, 400, 'invalid_request'],
  ['an unknown refresh_token', { grant_type: 'refresh_token', refresh_token: 'rt_0' }, 400, 'invalid_grant'],
  ['a code that is a number', { code: 7 }, 400, 'invalid_request'],
])('refuses a token request with %s, in the form of RFC 6749', async (_, fields, status, error) => {
  const { codeFor, exchange } = signedIn()

  const refused = await exchange(codeFor(), fields)

  expect(refused.status).toBe(status)
  expect(refused.body).toEqual({ error, error_description: expect.any(String) })
})

it.each([
  ['no JSON', '{', 'application/json'],
  ['a list', '[]', 'application/json'],
  ['another content type', '{}', 'text/plain'],
  ['a repeated field', 'grant_type=a&grant_type=b', 'application/x-www-form-urlencoded'],
])('refuses a token request that is %s', async (_, body, type) => {
  const refused = await signedIn().post(body, type)

  expect(refused.status).toBe(400)
  expect(refused.body.error).toBe('invalid_request')
})

it('answers 403 to an application that is not active, once it is known', async () => {
  const { token } = signedIn({ oidc: { active: false } })

  expect(await token({ grant_type: 'refresh_token', refresh_token: 'x' })).toMatchObject({
    status: 403,
    body: { error: 'unauthorized_client' },
  })
  expect((await token({ client_secret: 'wrong' })).status).toBe(401)
})

it('names a member of the roster by the claim, as long as they are active', async () => {
  const users = [
    { sub: 'u1', email: 'Ada@example.test' },
    { sub: 'u2', email: 'bob@example.test' },
    { sub: 'u3', email: 'eve@example.test' },
  ]
  const members = [{ email: 'ada@example.test' }, { email: 'bob@example.test', status: 'link_sent' as const }]
  const { codeFor, exchange, verified } = signedIn({ users, members })
  const memberOf = async (user: string) => {
    const { body } = await exchange(codeFor({}, user))
    return (await verified(body.id_token)).payload.svc_org_member_id
  }

  expect(await memberOf('u1')).toMatch(/^vmem_[\da-f]{24}$/)
  expect(await memberOf('u2')).toBeUndefined()
  expect(await memberOf('u3')).toBeUndefined()
})

async function memberLogin() {
  const { emulator, codeFor, exchange, refresh } = signedIn({
    users: [
      { sub: 'u1', email: 'Ada@example.test' },
      { sub: 'u2', email: 'bo@example.test' },
    ],
    members: [{ email: 'ada@example.test' }],
  })
  const { clientId, clientSecret } = emulator.options.org
  const headers = { 'x-client-id': clientId, 'x-client-secret': clientSecret }
  return {
    codeFor,
    exchange,
    refresh,
    logIn: async (user: string) => (await exchange(codeFor({}, user))).body.refresh_token,
    manage: (method: string, action: string) =>
      emulator.fetch(new Request(`${origin}/api/sdk/members/ada@example.test${action}`, { method, headers })),
  }
}

it.each([
  ['deactivated', 'PATCH', '/deactivate'],
  ['removed', 'DELETE', ''],
  ['removed for good', 'DELETE', '?permanent=true'],
])('revokes the logins of a member who was %s, whatever comes after', async (_, method, action) => {
  const { logIn, refresh, manage } = await memberLogin()
  const tokens = [await logIn('u1'), await logIn('u1')]
  const other = await logIn('u2')

  await manage(method, action)
  await manage('PATCH', '/reactivate')

  for (const token of tokens) expect((await refresh(token)).body.error).toBe('invalid_grant')
  expect((await refresh(other)).status).toBe(200)
})

it('revokes the code of a member who was deactivated before it was exchanged', async () => {
  const { codeFor, exchange, manage } = await memberLogin()
  const [code, other] = [codeFor({}, 'u1'), codeFor({}, 'u2')]

  await manage('PATCH', '/deactivate')

  expect((await exchange(code)).body.error).toBe('invalid_grant')
  expect((await exchange(other)).status).toBe(200)
})

it('lets one who was reactivated sign in anew', async () => {
  const { logIn, refresh, manage } = await memberLogin()
  await manage('PATCH', '/deactivate')
  await manage('PATCH', '/reactivate')

  expect((await refresh(await logIn('u1'))).status).toBe(200)
})

it('adds the claims that a user was given, which change none of its own', async () => {
  const users = [{ sub: 'u1', claims: { locale: 'en', sub: 'admin', aud: 'other' } }]
  const { codeFor, exchange, verified } = signedIn({ users })

  const { payload } = await verified((await exchange(codeFor())).body.id_token)

  expect(payload).toMatchObject({ locale: 'en', sub: 'u1', aud: credentials.client_id })
})
