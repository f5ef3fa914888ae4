import { expect, it } from 'vitest'
import { TokenValidationError } from '../../../src/index.ts'
import type { AccessTokenExpectations, TokenRefusal } from '../../../src/oidc.ts'
import { baseUrl, claimsOf, idToken, issuer, otherKey, startSeconds } from '../issuer.ts'

const accessToken = (claims: object = {}, header: object = {}) =>
  idToken({ aud: undefined, scope: 'openid profile', ...claims }, { typ: 'at+jwt', ...header })

it.each<[what: string, token: string, expected?: AccessTokenExpectations]>([
  ['typ at+jwt', accessToken()],
  ['typ JWT', accessToken({}, { typ: 'JWT' })],
  ['typ application/at+jwt', accessToken({}, { typ: 'application/at+jwt' })],
  ['no typ', accessToken({}, { typ: undefined })],
  ['any audience, where none is asked for', accessToken({ aud: 'somebody' })],
  ['an audience of any form, where none is asked for', accessToken({ aud: { a: 1 } })],
  ['the audience that is asked for', accessToken({ aud: ['a', 'api'] }), { audience: 'api' }],
  ['the scope that is asked for', accessToken(), { scope: 'profile' }],
  ['both scopes that are asked for', accessToken(), { scope: 'profile openid' }],
  ['two scopes, however far apart they are asked for', accessToken(), { scope: ' profile  openid ' }],
  ['all scopes of a list', accessToken(), { scope: ['openid', 'profile'] }],
  ['no scope, where none is asked for', accessToken({ scope: undefined })],
])('takes an access token with %s', async (_, token, expected) => {
  await expect(issuer().client().validateAccessToken(token, expected)).resolves.toMatchObject({
    sub: 'user_1',
  })
})

it.each<[what: string, token: string, reason: TokenRefusal, expected?: AccessTokenExpectations]>([
  ['another typ', accessToken({}, { typ: 'logout+jwt' }), 'unexpected_type'],
  ['another issuer', accessToken({ iss: `${baseUrl}.evil` }), 'issuer_mismatch'],
  ['no sub', accessToken({ sub: undefined }), 'missing_claim'],
  ['no iat', accessToken({ iat: undefined }), 'missing_claim'],
  ['an exp that has passed', accessToken({ exp: startSeconds - 30 }), 'expired'],
  ['an nbf to come', accessToken({ nbf: startSeconds + 31 }), 'not_yet_valid'],
  ['alg none', `${accessToken({}, { alg: 'none' })}`, 'unsupported_algorithm'],
  ['another audience', accessToken({ aud: 'api2' }), 'audience_mismatch', { audience: 'api' }],
  ['no audience', accessToken(), 'audience_mismatch', { audience: 'api' }],
  ['an audience of no form', accessToken({ aud: [1] }), 'malformed_claim', { audience: 'api' }],
  ['half a scope', accessToken(), 'missing_scope', { scope: 'prof' }],
  ['one of two scopes', accessToken(), 'missing_scope', { scope: ['openid', 'zkp'] }],
  ['no scope', accessToken({ scope: undefined }), 'missing_scope', { scope: 'openid' }],
  ['scopes of no form', accessToken({ scope: { openid: true } }), 'missing_scope', { scope: 'openid' }],
  ['the signature of another key', idToken({}, { kid: 'key_1' }, otherKey), 'signature_mismatch'],
])('refuses an access token with %s', async (_, token, reason, expected) => {
  const validated = issuer().client().validateAccessToken(token, expected)

  await expect(validated).rejects.toBeInstanceOf(TokenValidationError)
  await expect(validated).rejects.toMatchObject({ reason, message: expect.stringMatching(/token|signature/) })
})

it.each<[expected: AccessTokenExpectations, claim: string]>([
  [{ audience: 'api' }, 'aud'],
  [{ scope: 'zkp' }, 'scope'],
])('a refusal for want of %o names the claim %s', async (expected, claim) => {
  const validated = issuer()
    .client()
    .validateAccessToken(accessToken({ aud: 'other' }), expected)

  await expect(validated).rejects.toMatchObject({ claim })
})

it('does not take an access token for an id_token', async () => {
  const oidc = issuer().client()

  await expect(oidc.validateIdToken(accessToken())).rejects.toMatchObject({ reason: 'unexpected_type' })
})

it('gives every claim as it came', async () => {
  const claims = { aud: 'api', scope: 'openid', client_id: 'x', svc_org_member_id: 'vmem_1' }

  await expect(issuer().client().validateAccessToken(accessToken(claims))).resolves.toEqual(claimsOf(claims))
})
