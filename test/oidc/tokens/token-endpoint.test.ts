import { expect, it } from 'vitest'
import { TokenValidationError } from '../../../src/index.ts'
import { code, exchange, forBothGrants, nonce, refresh, refreshToken } from '../grants.ts'
import {
  atHashOf,
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
} from '../issuer.ts'

forBothGrants('returns the response to $grant unchanged, with claims and expiresAtSeconds', async ({ send }) => {
  const { client, token } = issuer()
  const sent = tokens({ expires_in: 900.5, later: { a: [1] } })
  token.respondWith(json(sent))

  const { data, response } = await send(client()).withResponse()

  expect(data).toEqual({
    ...sent,
    expiresAtSeconds: startSeconds + 900,
    claims: expect.objectContaining({ sub: 'user_1' }),
  })
  expect(response).toMatchObject({ status: 200, requestId: 'req_1', attempts: 1 })
  expect(JSON.parse(JSON.stringify(data))).toEqual(data)
})

it('keeps fields that the contract does not list, except those that have the name of its own', async () => {
  const { client, token } = issuer()
  const more = { session_state: 's_1', claims: { sub: 'admin' }, expiresAtSeconds: 1 }
  token.respondWith(json(tokens(more)))
  const signedIn = await exchange(client())
  token.respondWith(json(tokens({ ...more, id_token: undefined })))
  const refreshed = await refresh(client())

  expect(signedIn).toMatchObject({ session_state: 's_1', claims: { sub: 'user_1' } })
  expect(refreshed).toMatchObject({ session_state: 's_1' })
  expect(signedIn.expiresAtSeconds).toBeGreaterThan(1)
  expect(refreshed.claims).toBeUndefined()
})

it.each([undefined, null, ''])('rejects a code exchange whose id_token is %s', async (id_token) => {
  const { client, token } = issuer()
  token.respondWith(json(tokens({ id_token })))

  await expect(exchange(client())).rejects.toMatchObject({
    reason: 'missing_claim',
    claim: 'id_token',
    message: 'oidc.exchangeCode: the response of the token endpoint has no id_token',
  })
})

forBothGrants('rejects an id_token of $grant that is signed with another key', async ({ send }) => {
  const { client, token } = issuer()
  token.respondWith(json(tokens({ id_token: idToken({}, {}, otherKey) })))

  await expect(send(client())).rejects.toBeInstanceOf(TokenValidationError)
})

forBothGrants('compares the at_hash of $grant with the access token of the same response', async ({ send }) => {
  const { client, token } = issuer()
  const access_token = 'access_2_0123456789abcdef'
  token.respondWith(
    json(tokens({ access_token, id_token: idToken({ at_hash: atHashOf(access_token) }) })),
    json(tokens({ access_token, id_token: idToken({ at_hash: atHashOf('another') }) })),
  )
  const oidc = client()

  await send(oidc)
  await expect(send(oidc)).rejects.toMatchObject({ reason: 'access_token_mismatch' })
})

it('compares the nonce of a code exchange with the id_token if it is passed', async () => {
  const { client, token } = issuer()
  token.respondWith(json(tokens({ id_token: idToken({ nonce }) })))
  const oidc = client()

  await oidc.exchangeCode({ code })
  await oidc.exchangeCode({ code, nonce })
  await expect(oidc.exchangeCode({ code, nonce: 'other' })).rejects.toMatchObject({
    reason: 'nonce_mismatch',
  })
})

it.each([
  ['the same person and issuer', { sub: 'user_1', iss: baseUrl }],
  ['nothing', {}],
])('accepts a refresh if %s is expected', async (_, expected) => {
  await expect(issuer().client().refresh(refreshToken, { expected })).resolves.toMatchObject({
    claims: { sub: 'user_1' },
  })
})

it.each([
  [
    'another person',
    { sub: 'user_2', iss: baseUrl },
    {
      reason: 'subject_mismatch',
      claim: 'sub',
      message: 'oidc.refresh: the new tokens belong to another person',
    },
  ],
  [
    'another issuer',
    { sub: 'user_1', iss: 'https://other.example' },
    {
      reason: 'issuer_mismatch',
      claim: 'iss',
      message: 'oidc.refresh: the new tokens are from another issuer',
    },
  ],
])('rejects a refresh if %s is expected', async (_, expected, facts) => {
  const { client } = issuer()
  const refreshed = client({ issuer: [baseUrl, 'https://other.example'] }).refresh(refreshToken, { expected })

  await expect(refreshed).rejects.toMatchObject({ code: 'token_refused', ...facts })
})

it.each([
  ['a code exchange', exchange, { grant_type: 'authorization_code', code, redirect_uri: redirectUri }],
  ['a refresh', refresh, { grant_type: 'refresh_token', refresh_token: refreshToken }],
])('%s sends its fields and the credentials as JSON, and no header of them', async (_, send, fields) => {
  const { client, token } = issuer()

  await send(client())

  const [request] = token.requests as [Request]
  expect(`${request.method} ${request.url}`).toBe(`POST ${baseUrl}/api/auth/oidc/token`)
  expect(request.headers.get('content-type')).toBe('application/json')
  for (const name of ['authorization', 'x-api-key', 'x-client-id', 'x-client-secret'])
    expect(request.headers.get(name), name).toBeNull()
  expect(await request.json()).toEqual({ ...fields, client_id: clientId, client_secret: clientSecret })
})

it.each(['refresh_token', 'scope'])(
  'rejects a code exchange whose response has no %s in strict mode, and otherwise returns it',
  async (name) => {
    const { client, token } = issuer()
    token.respondWith(json(tokens({ [name]: undefined })))

    await expect(exchange(client({ responseValidation: 'strict' }))).rejects.toMatchObject({
      code: 'invalid_response',
      message: expect.stringContaining(name),
    })
    expect(await exchange(client())).not.toHaveProperty(name)
  },
)
