import { createHash } from 'node:crypto'
import { expect, expectTypeOf } from 'vitest'
import {
  createSignInHandler,
  createTokenManager,
  memoryStore,
  type OidcClient,
  type Scope,
} from '../../src/oidc.ts'
import { inProcess } from '../emulator/support/service.ts'
import { pkce, queryOf, signInAt, verifier } from '../emulator/support/sign-in.ts'
import {
  baseUrl,
  clientId,
  clientSecret,
  idToken,
  issuer,
  json,
  otherKey,
  redirectUri,
  startSeconds,
  tokens,
} from '../oidc/issuer.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { statement, statements } from './statement.ts'

// Sign-in: sections 2.8 and 4.7 of the contract, and the lines of section 5 about tokens and codes.

/** One emulator, because its keys take a moment to generate. No statement depends on its state. */
const service = signInAt(inProcess())

/** The application whose access is not allowed. */
const inactive = signInAt(inProcess({ oidc: { active: false } }))

const code = 'code_1_0123456789'
const started = { state: 's'.repeat(43), nonce: 'n'.repeat(43), codeVerifier: 'v'.repeat(43), redirectUri }

/** Sends a grant to a token endpoint and returns the body that it received. */
async function sentGrant(send: (oidc: OidcClient) => PromiseLike<unknown>): Promise<unknown> {
  const { client, token } = issuer()
  await send(client())
  return token.requests[0]?.json()
}

/** The query of an authorization request. */
async function authorizationQuery(params = {}, options = {}) {
  const login = await issuer().client(options).createAuthorization(params)
  return { login, query: queryOf(login.url) }
}

// 2.8, tokens

statements(
  '2.8',
  [
    ['access_token', 'access_2_0123456789'],
    ['refresh_token', 'refresh_2_0123456789'],
    ['id_token', idToken({ name: 'Ada' })],
    ['token_type', 'Bearer'],
    ['expires_in', 901],
    ['scope', 'openid profile'],
  ],
  (field) => `a token response has ${field} at top level`,
  async (field, value) => {
    const { client, token } = issuer()
    token.respondWith(json(tokens({ [field]: value })))

    expect(await client().exchangeCode({ code })).toHaveProperty(field, value)
    expect(await service.tokensFor()).toHaveProperty(field)
  },
)

statement('2.8', 'the emulator returns exactly the six members, without an envelope', async () => {
  expect(Object.keys(await service.tokensFor()).sort()).toEqual([
    'access_token',
    'expires_in',
    'id_token',
    'refresh_token',
    'scope',
    'token_type',
  ])
})

statements(
  '2.8',
  [['access_token'], ['id_token']],
  (field) => `the ${field} is a JWT that is signed with RS256`,
  async (field) => {
    const issued = await service.tokensFor()

    const { header } = await service.verified(issued[field])

    expect(header.alg).toBe('RS256')
  },
)

statements(
  '2.8',
  [
    ['access_token', 7],
    ['access_token', undefined],
    ['token_type', 'MAC'],
    ['expires_in', '900'],
    ['expires_in', 0],
  ],
  (field, value) => `a token response with the ${field} ${JSON.stringify(value)} is rejected`,
  async (field, value) => {
    const { client, token } = issuer()
    token.respondWith(json(tokens({ [field]: value })))

    expect(await thrownBy(client().exchangeCode({ code }))).toMatchObject({ code: 'invalid_response' })
  },
)

statement('2.8', 'expires_in is a whole number of seconds, about 900', async () => {
  expect((await service.tokensFor()).expires_in).toBe(900)
})

statement('2.8', 'the scopes of a token response are separated by spaces', async () => {
  expect((await service.tokensFor({ scope: 'openid profile zkp' })).scope).toBe('openid profile zkp')
})

// 4.7, the authorization request

statements(
  '4.7',
  [
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    ['response_type', 'code'],
    ['scope', 'openid profile'],
    ['state', expect.stringMatching(/^[\w-]{43}$/)],
    ['nonce', expect.stringMatching(/^[\w-]{43}$/)],
    ['code_challenge', expect.stringMatching(/^[\w-]{43}$/)],
    ['code_challenge_method', 'S256'],
  ],
  (name) => `the authorization request has the query parameter ${name}`,
  async (name, value) => {
    expect((await authorizationQuery({ scope: ['profile'] })).query[name]).toEqual(value)
  },
)

statement('4.7', 'the authorization request is GET /api/auth/oidc/authorize', async () => {
  const { login } = await authorizationQuery()

  expect(login.url.split('?')[0]).toBe(`${baseUrl}/api/auth/oidc/authorize`)
  expect((await service.raw('GET', service.authorizationUrl())).status).toBe(200)
})

statements(
  '4.7',
  [['client_id'], ['redirect_uri']],
  (name) => `an authorization request without ${name} is rejected with 400, without a redirect`,
  async (name) => {
    const { headers, status } = await service.raw('GET', service.authorizationUrl({ [name]: undefined }))

    expect([status, headers.get('location')]).toEqual([400, null])
  },
)

statements(
  '4.7',
  [['response_type'], ['scope'], ['state']],
  (name) => `an authorization request without ${name} is redirected with an error and without a code`,
  async (name) => {
    const { headers } = await service.raw('GET', service.authorizationUrl({ [name]: undefined }))

    const query = queryOf(headers.get('location'))
    expect(query).toMatchObject({ error: expect.any(String) })
    expect(query).not.toHaveProperty('code')
  },
)

statement('4.7', 'the redirect_uri must equal the registered one exactly', async () => {
  const { status } = await service.raw('GET', service.authorizationUrl({ redirect_uri: `${redirectUri}/` }))

  expect(status).toBe(400)
})

statement('4.7', 'the response_type must be code, otherwise unsupported_response_type', async () => {
  const { headers } = await service.raw('GET', service.authorizationUrl({ response_type: 'token' }))

  expect(queryOf(headers.get('location'))).toMatchObject({ error: 'unsupported_response_type' })
})

statement('4.7', 'the client always requests the scope openid', async () => {
  expect((await authorizationQuery({ scope: ['zkp'] })).query.scope).toBe('openid zkp')
})

statement('4.7', 'a scope without openid is rejected', async () => {
  const { headers } = await service.raw('GET', service.authorizationUrl({ scope: 'profile' }))

  expect(queryOf(headers.get('location'))).toMatchObject({ error: 'invalid_scope' })
})

statement('4.7', 'the state is random, and returned unchanged', async () => {
  const [a, b] = [await authorizationQuery(), await authorizationQuery()]

  expect(a.query.state).not.toBe(b.query.state)
  expect(
    queryOf(service.emulator.signIn.approve(service.authorizationUrl({ state: 'a b+c&d=é' }))),
  ).toMatchObject({
    state: 'a b+c&d=é',
  })
})

statement('4.7', 'the nonce is bound into the id_token', async () => {
  const { id_token } = await service.tokensFor({ nonce: 'nonce_1' })

  expect((await service.verified(id_token)).claims.nonce).toBe('nonce_1')
})

statement('4.7', 'the nonce is recommended and not required', async () => {
  const { id_token } = await service.tokensFor()

  expect((await service.verified(id_token)).claims).not.toHaveProperty('nonce')
})

statement('4.7', 'PKCE uses the S256 challenge of the verifier', async () => {
  const { login, query } = await authorizationQuery()

  expect(query.code_challenge).toBe(createHash('sha256').update(login.codeVerifier).digest('base64url'))
  expect(query.code_challenge_method).toBe('S256')
})

statement('4.7', 'PKCE is optional', async () => {
  const { query } = await authorizationQuery({ pkce: false })

  expect(query).not.toHaveProperty('code_challenge')
})

statement('4.7', 'consent redirects to redirect_uri with code and state', () => {
  const callback = service.emulator.signIn.approve(service.authorizationUrl())

  expect(callback.split('?')[0]).toBe('https://app.example/callback')
  expect(queryOf(callback)).toEqual({ code: expect.any(String), state: 'state_1' })
})

statement('4.7', 'a person who declines is redirected with the error access_denied', () => {
  const callback = service.emulator.signIn.deny(service.authorizationUrl())

  expect(queryOf(callback)).toMatchObject({ error: 'access_denied', state: 'state_1' })
})

// 4.7, the token endpoint

statements(
  '4.7',
  [
    ['grant_type', 'authorization_code'],
    ['client_id', clientId],
    ['client_secret', clientSecret],
    ['code', code],
    ['redirect_uri', redirectUri],
    ['code_verifier', started.codeVerifier],
  ],
  (field) => `the code exchange sends ${field}`,
  async (field, value) => {
    const body = await sentGrant((oidc) => oidc.exchangeCode({ code, codeVerifier: started.codeVerifier }))

    expect(body).toHaveProperty(field, value)
  },
)

statement('4.7', 'the code exchange is POST /api/auth/oidc/token with a JSON body', async () => {
  const { client, token } = issuer()

  await client().exchangeCode({ code })

  const [request] = token.requests
  expect(`${request?.method} ${request?.url}`).toBe(`POST ${baseUrl}/api/auth/oidc/token`)
  expect(request?.headers.get('content-type')).toBe('application/json')
})

statement('4.7', 'the code exchange has no verifier if PKCE was not used', async () => {
  const body = await sentGrant((oidc) => oidc.exchangeCode({ code }))

  expect(Object.keys(Object(body)).sort()).toEqual([
    'client_id',
    'client_secret',
    'code',
    'grant_type',
    'redirect_uri',
  ])
})

statement('4.7', 'the redirect_uri of the exchange is the one of the authorization request', async () => {
  const other = 'https://app.example.test/other'

  expect(await sentGrant((oidc) => oidc.exchangeCode({ code, redirectUri: other }))).toMatchObject({
    redirect_uri: other,
  })
  expect(await service.exchange(service.codeFor(), { redirect_uri: other })).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  })
})

statement('4.7', 'a code with a challenge is exchanged only with its verifier', async () => {
  const right = await service.exchange(service.codeFor(pkce), { code_verifier: verifier })
  const wrong = await service.exchange(service.codeFor(pkce), { code_verifier: 'x'.repeat(43) })

  expect([right.status, wrong.status, wrong.body.error]).toEqual([200, 400, 'invalid_grant'])
})

statement(
  '4.7',
  'a refresh sends exactly grant_type, refresh_token, client_id and client_secret',
  async () => {
    expect(await sentGrant((oidc) => oidc.refresh('refresh_0_0123456789'))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'refresh_0_0123456789',
      client_id: clientId,
      client_secret: clientSecret,
    })
  },
)

statement('4.7', 'another grant_type is 400 unsupported_grant_type', async () => {
  const { body, status } = await service.token({
    grant_type: 'password',
    client_id: 'app_1',
    client_secret: 'app_secret_1',
  })

  expect([status, body.error]).toEqual([400, 'unsupported_grant_type'])
})

// 4.7, keys and the id_token

statement('4.7', 'the keys are GET /api/auth/oidc/jwks.json', async () => {
  const { client, jwks } = issuer()

  await client().validateIdToken(idToken())

  expect(`${jwks.requests[0]?.method} ${jwks.requests[0]?.url}`).toBe(
    `GET ${baseUrl}/api/auth/oidc/jwks.json`,
  )
  expect(await service.keys()).toMatchObject([{ kty: 'RSA' }])
})

const { nonce } = started

statements(
  '4.7',
  [
    [
      'a signature of another key',
      idToken({ nonce }, {}, { ...otherKey, kid: 'key_1' }),
      'signature_mismatch',
    ],
    ['another algorithm', idToken({ nonce }, { alg: 'HS256' }), 'unsupported_algorithm'],
    ['another issuer', idToken({ nonce, iss: 'https://evil.example' }), 'issuer_mismatch'],
    ['another audience', idToken({ nonce, aud: 'another_client' }), 'audience_mismatch'],
    ['an expiry in the past', idToken({ nonce, exp: startSeconds - 31 }), 'expired'],
    ['another nonce', idToken({ nonce: 'other' }), 'nonce_mismatch'],
    ['no nonce', idToken(), 'nonce_mismatch'],
  ],
  (what) => `an id_token with ${what} is rejected`,
  async (_, token, reason) => {
    const error = await thrownBy(issuer().client().validateIdToken(token, { nonce }))

    expect(error).toMatchObject({ name: 'TokenValidationError', reason })
  },
)

statement(
  '4.7',
  'an id_token with the right signature, issuer, audience, expiry and nonce is accepted',
  async () => {
    const claims = await issuer()
      .client()
      .validateIdToken(idToken({ nonce: started.nonce }), { nonce: started.nonce })

    expect(claims).toMatchObject({ iss: baseUrl, aud: clientId, nonce: started.nonce })
  },
)

statement('4.7', 'claims that are not shown are returned as received', async () => {
  const more = { svc_org_member_id: 'vmem_1', deep: { a: [1, null] } }

  expect(await issuer().client().validateIdToken(idToken(more))).toMatchObject(more)
})

statements(
  '4.7',
  [['openid'], ['profile'], ['verifications'], ['zkp']],
  (scope) => `the scope ${scope} can be requested`,
  async (scope) => {
    expect((await authorizationQuery({ scope: [scope] })).query.scope?.split(' ')).toContain(scope)
    expect((await service.tokensFor({ scope: `openid ${scope}` })).scope).toContain(scope)
    expectTypeOf<typeof scope>().toExtend<Scope>()
  },
)

statement('4.7', 'a scope that is not enabled on the application is invalid_scope', async () => {
  const limited = signInAt(inProcess({ oidc: { scopes: ['openid'] } }))

  const { headers } = await limited.raw('GET', limited.authorizationUrl({ scope: 'openid zkp' }))

  expect(queryOf(headers.get('location'))).toMatchObject({ error: 'invalid_scope' })
})

// 4.7, rotation

statement('4.7', 'each refresh returns a new refresh_token', async () => {
  const { refresh_token } = await service.tokensFor()

  const { body } = await service.refresh(refresh_token)

  expect(body.refresh_token).toEqual(expect.any(String))
  expect(body.refresh_token).not.toBe(refresh_token)
})

statement('4.7', 'a refresh revokes the refresh token that was presented', async () => {
  const { refresh_token } = await service.tokensFor()
  await service.refresh(refresh_token)

  expect(await service.refresh(refresh_token)).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  })
})

statement(
  '4.7',
  'a rotated token that is presented again revokes all tokens of that user and client',
  async () => {
    const first = await service.tokensFor()
    const second = await service.tokensFor()
    const { body } = await service.refresh(first.refresh_token)
    await service.refresh(first.refresh_token)

    for (const token of [body.refresh_token, second.refresh_token])
      expect(await service.refresh(token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  },
)

statements(
  '4.7',
  [
    ['a refresh token', (oidc) => oidc.refresh('refresh_0_0123456789')],
    ['an authorization code', (oidc) => oidc.exchangeCode({ code })],
  ] as const satisfies readonly [string, (oidc: OidcClient) => PromiseLike<unknown>][],
  (what) => `the client never presents ${what} twice, also if the response is lost or a 503`,
  async (_, present) => {
    for (const respond of [json({}, 503), () => Promise.reject(new TypeError('fetch failed'))]) {
      const { client, token } = issuer()
      token.respondWith(respond)

      await thrownBy(present(client()))

      expect(token.requests).toHaveLength(1)
    }
  },
)

statement('4.7', 'the token manager stores the new refresh token and presents each token once', async () => {
  const { client, token } = issuer()
  token.respondWith(
    json(tokens({ refresh_token: 'refresh_2', expires_in: 30 })),
    json(tokens({ refresh_token: 'refresh_3', expires_in: 30 })),
  )
  const manager = createTokenManager({ oidc: client(), store: memoryStore() })
  await manager.save('user_1', await client().exchangeCode({ code }))

  await manager.getAccessToken('user_1')

  expect(await token.requests[1]?.json()).toMatchObject({ refresh_token: 'refresh_2' })
})

// 4.7, callbacks

statements(
  '4.7',
  [
    ['error', `?error=access_denied&state=${started.state}`, 'authorization_error'],
    ['no code', `?state=${started.state}`, 'missing_code'],
    ['an empty code', `?code=&state=${started.state}`, 'missing_code'],
    ['another state', `?code=${code}&state=other`, 'state_mismatch'],
    ['no state', `?code=${code}`, 'state_mismatch'],
  ],
  (what) => `a callback with ${what} is rejected with 400, and no code is exchanged`,
  async (_, callback, reason) => {
    const { client, token } = issuer()

    const error = await thrownBy(client().handleCallback(callback, started))

    expect(error).toMatchObject({ name: 'CallbackError', status: 400, reason })
    expect(token.requests).toHaveLength(0)
  },
)

statement(
  '4.7',
  'a callback with another state is rejected with a message that says state mismatch',
  async () => {
    const error = await thrownBy(issuer().client().handleCallback(`?code=${code}&state=other`, started))

    expect(Object(error).message).toMatch(/^oidc\.handleCallback: state mismatch\. /)
  },
)

statement('4.7', 'the sign-in handler responds with 400 to a callback without a code', async () => {
  const { client } = issuer()
  const handler = createSignInHandler({
    oidc: client(),
    store: memoryStore(),
    cookieSecret: 'c'.repeat(32),
    onSignIn: () => {},
  })

  const response = await handler.fetch(new Request('https://app.example.test/callback?state=x'))

  expect(response.status).toBe(400)
})

// 5, tokens and codes

statement(
  '5',
  'the token endpoint takes client_id and client_secret as JSON fields, and no header',
  async () => {
    const { client, token } = issuer()

    await client().exchangeCode({ code })

    for (const header of ['authorization', 'x-api-key', 'x-client-id', 'x-client-secret'])
      expect(token.requests[0]?.headers.get(header), header).toBeNull()
  },
)

statement('5', 'an authorization code is single-use', async () => {
  const issued = service.codeFor()
  await service.exchange(issued)

  expect(await service.exchange(issued)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

statement('5', 'an authorization code is bound to its client', async () => {
  const other = await service.exchange(service.codeFor(), { client_id: 'app_2', client_secret: 'x' })

  expect([other.status, other.body.error]).toEqual([401, 'invalid_client'])
})

statement('5', 'an authorization code is bound to its redirect_uri', async () => {
  const other = await service.exchange(service.codeFor(), { redirect_uri: 'https://app.example/other' })

  expect([other.status, other.body.error]).toEqual([400, 'invalid_grant'])
})

statements(
  '5',
  [
    ['just under 2 minutes', 119_999, 200],
    ['2 minutes', 120_000, 400],
  ],
  (what, _, status) => `an authorization code of ${what} gives ${status}`,
  async (_, ms, status) => {
    const issued = service.codeFor()

    await service.emulator.clock.advance(ms)

    expect((await service.exchange(issued)).status).toBe(status)
  },
)

statement('5', 'access tokens last about 900 seconds', async () => {
  const { claims } = await service.verified((await service.tokensFor()).access_token)

  expect(Number(claims.exp) - Number(claims.iat)).toBe(900)
})

statement('5', 'a refresh token is validated against its client', async () => {
  const { refresh_token } = await service.tokensFor()

  const { body, status } = await service.refresh(refresh_token, { client_id: 'app_2' })

  expect([status, body.error]).toEqual([401, 'invalid_client'])
})

statements(
  '5',
  [
    ['a wrong client_secret', { client_secret: 'wrong' }],
    ['a wrong client_id', { client_id: 'wrong' }],
    ['no client_secret', { client_secret: undefined }],
  ],
  (what) => `${what} is 401 invalid_client`,
  async (_, over) => {
    const { body, status } = await service.exchange(service.codeFor(), over)

    expect([status, body.error]).toEqual([401, 'invalid_client'])
  },
)

statement('5', 'an inactive application is 403 unauthorized_client', async () => {
  const { body, status } = await inactive.refresh('refresh_0')

  expect([status, body.error]).toEqual([403, 'unauthorized_client'])
})

statements(
  '5',
  [
    [401, 'invalid_client', 'AuthenticationError'],
    [403, 'unauthorized_client', 'PermissionDeniedError'],
    [400, 'invalid_grant', 'BadRequestError'],
    [401, 'invalid_grant', 'AuthenticationError'],
    [400, 'unsupported_grant_type', 'BadRequestError'],
  ],
  (status, error, name) => `${status} ${error} of the token endpoint is thrown as a ${name}`,
  async (status, error, name) => {
    const { client, token } = issuer()
    token.respondWith(json({ error, error_description: 'No.' }, status))

    expect(await thrownBy(client().exchangeCode({ code }))).toMatchObject({ status, code: error, name })
  },
)

const accessToken = (claims: object) => idToken({ aud: undefined, ...claims }, { typ: 'at+jwt' })

statements(
  '5',
  [
    ['openid', 'openid'],
    ['profile', 'openid profile'],
    ['verifications', 'openid verifications'],
  ],
  (required) => `a resource accepts an access token only if it has the scope ${required}`,
  async (required, scope) => {
    const oidc = issuer().client()

    expect(await oidc.validateAccessToken(accessToken({ scope }), { scope: required })).toMatchObject({
      scope,
    })
    expect(
      await thrownBy(oidc.validateAccessToken(accessToken({ scope: 'zkp' }), { scope: required })),
    ).toMatchObject({ reason: 'missing_scope' })
  },
)

statements(
  '5',
  [
    ['a list', { scope: ['openid', 'zkp'] }],
    ['scp as text', { scp: 'openid zkp' }],
    ['scp as a list', { scp: ['openid', 'zkp'] }],
  ],
  (what) => `the claim of the scopes is not shown, so scopes are also read from ${what}`,
  async (_, claims) => {
    const token = accessToken(claims)

    expect(await issuer().client().validateAccessToken(token, { scope: 'zkp' })).toMatchObject(claims)
  },
)

statement('5', 'a call to a protected resource carries the access token as a bearer token', async () => {
  const { client, others } = issuer()
  others.respondWith(json({ sub: 'user_1' }))

  const body = await client().request({ method: 'GET', path: '/api/auth/oidc/me', accessToken: 'token_1' })

  expect(body).toEqual({ sub: 'user_1' })
  expect(others.requests[0]?.headers.get('authorization')).toBe('Bearer token_1')
})
