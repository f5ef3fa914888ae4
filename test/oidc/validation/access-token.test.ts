import { expect, it } from 'vitest'
import {
  type AccessTokenExpectations,
  InvalidParamsError,
  TokenValidationError,
  type TokenValidationReason,
} from '../../../src/index.ts'
import { baseUrl, claimsOf, clientId, idToken, issuer, otherKey, startSeconds } from '../issuer.ts'

const accessToken = (claims: object = {}, header: object = {}) =>
  idToken({ aud: undefined, scope: 'openid profile', ...claims }, { typ: 'at+jwt', ...header })

/** Scopes as text that the type does not have: separated by spaces, or not listed. */
const asText = (scope: string) => ({ scope }) as AccessTokenExpectations

it.each<[what: string, token: string, expected?: AccessTokenExpectations]>([
  ['typ at+jwt', accessToken()],
  ['typ JWT', accessToken({}, { typ: 'JWT' })],
  ['typ application/at+jwt', accessToken({}, { typ: 'application/at+jwt' })],
  ['no typ', accessToken({}, { typ: undefined })],
  ['any audience, if none is required', accessToken({ aud: 'another_api' })],
  ['an audience of any type, if none is required', accessToken({ aud: { a: 1 } })],
  ['the required audience', accessToken({ aud: ['a', 'api'] }), { audience: 'api' }],
  ['the required scope', accessToken(), { scope: 'profile' }],
  ['both required scopes', accessToken(), asText('profile openid')],
  ['two scopes that are required with extra spaces', accessToken(), asText(' profile  openid ')],
  ['all required scopes of a list', accessToken(), { scope: ['openid', 'profile'] }],
  ['no scope, if none is required', accessToken({ scope: undefined })],
  ['a list of scopes', accessToken({ scope: ['openid', 'zkp'] }), { scope: 'zkp' }],
  ['scopes as text in scp', accessToken({ scope: undefined, scp: 'openid zkp' }), { scope: ['zkp'] }],
  ['a list of scopes in scp', accessToken({ scope: undefined, scp: ['openid', 'zkp'] }), { scope: 'zkp' }],
  ['a list of scopes in scp next to a null scope', accessToken({ scope: null, scp: ['zkp'] }), { scope: 'zkp' }],
  ['a scope of any type, if none is required', accessToken({ scope: { a: 1 } })],
])('accepts an access token with %s', async (_, token, expected) => {
  await expect(issuer().client().validateAccessToken(token, expected)).resolves.toMatchObject({
    sub: 'user_1',
  })
})

it.each<[what: string, token: string, reason: TokenValidationReason, expected?: AccessTokenExpectations]>([
  ['another typ', accessToken({}, { typ: 'logout+jwt' }), 'unexpected_type'],
  ['a nonce, as an id_token', accessToken({ nonce: 'n' }, { typ: 'JWT' }), 'unexpected_type'],
  ['a nonce of null', accessToken({ nonce: null }), 'unexpected_type'],
  ['an at_hash, as an id_token', accessToken({ at_hash: 'h' }, { typ: undefined }), 'unexpected_type'],
  ['a nonce and the required audience', idToken({ nonce: 'n' }), 'unexpected_type', { audience: clientId }],
  ['another issuer', accessToken({ iss: `${baseUrl}.evil` }), 'issuer_mismatch'],
  ['no sub', accessToken({ sub: undefined }), 'missing_claim'],
  ['no iat', accessToken({ iat: undefined }), 'missing_claim'],
  ['an exp that has passed', accessToken({ exp: startSeconds - 30 }), 'expired'],
  ['an nbf to come', accessToken({ nbf: startSeconds + 31 }), 'not_yet_valid'],
  ['alg none', `${accessToken({}, { alg: 'none' })}`, 'unsupported_algorithm'],
  ['another audience', accessToken({ aud: 'api2' }), 'audience_mismatch', { audience: 'api' }],
  ['no audience', accessToken(), 'audience_mismatch', { audience: 'api' }],
  ['a malformed audience', accessToken({ aud: [1] }), 'malformed_claim', { audience: 'api' }],
  ['a scope that only starts with the required one', accessToken(), 'missing_scope', asText('prof')],
  ['only one of two required scopes', accessToken(), 'missing_scope', { scope: ['openid', 'zkp'] }],
  ['no scope', accessToken({ scope: undefined }), 'missing_scope', { scope: 'openid' }],
  ['a malformed scope', accessToken({ scope: { openid: true } }), 'missing_scope', { scope: 'openid' }],
  ['a list with other scopes', accessToken({ scope: ['profile'] }), 'missing_scope', { scope: 'openid' }],
  ['all scopes in one item of a list', accessToken({ scope: ['openid zkp'] }), 'missing_scope', { scope: 'zkp' }],
  ['the scope in scp, but not in scope', accessToken({ scp: 'zkp' }), 'missing_scope', { scope: 'zkp' }],
  ['a list of lists', accessToken({ scope: [['openid']] }), 'missing_scope', { scope: 'openid' }],
  ['a list with null', accessToken({ scp: [null], scope: null }), 'missing_scope', { scope: 'openid' }],
  ['a number in scp', accessToken({ scp: 7, scope: undefined }), 'missing_scope', { scope: 'openid' }],
  ['the signature of another key', idToken({}, { kid: 'key_1' }, otherKey), 'signature_mismatch'],
])('rejects an access token with %s', async (_, token, reason, expected) => {
  const validated = issuer().client().validateAccessToken(token, expected)

  await expect(validated).rejects.toBeInstanceOf(TokenValidationError)
  await expect(validated).rejects.toMatchObject({ reason, message: expect.stringMatching(/token|signature/) })
})

it.each<[expected: AccessTokenExpectations, claim: string]>([
  [{ audience: 'api' }, 'aud'],
  [{ scope: 'zkp' }, 'scope'],
])('names the claim if %o is not met: %s', async (expected, claim) => {
  const validated = issuer()
    .client()
    .validateAccessToken(accessToken({ aud: 'other' }), expected)

  await expect(validated).rejects.toMatchObject({ claim })
})

it('names scp if the token has its scopes there', async () => {
  const token = accessToken({ scope: undefined, scp: ['openid'] })

  await expect(issuer().client().validateAccessToken(token, { scope: 'zkp' })).rejects.toMatchObject({
    claim: 'scp',
  })
})

it.each([7, null, { openid: true }, ['openid', 7]])('rejects the required scope %o as a param', async (scope) => {
  const validated = issuer()
    .client()
    .validateAccessToken(accessToken(), { scope } as unknown as AccessTokenExpectations)

  await expect(validated).rejects.toBeInstanceOf(InvalidParamsError)
  await expect(validated).rejects.toMatchObject({
    operation: 'oidc.validateAccessToken',
    issues: [{ path: 'scope', message: expect.stringMatching(/^must be /) }],
  })
})

it('returns every claim as received', async () => {
  const claims = { aud: 'api', scope: 'openid', client_id: 'x', svc_org_member_id: 'vmem_1' }

  await expect(issuer().client().validateAccessToken(accessToken(claims))).resolves.toEqual(claimsOf(claims))
})
