import { expect, it } from 'vitest'
import { validateIdToken } from '../../../src/index.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { claimsOf, clientId, idToken, issuer, json, key, startSeconds, tokens } from '../issuer.ts'

const opaque = 'refresh_1_0123456789abcdef'

const threeParts =
  'the token does not have three parts separated by dots, as an id_token or an access token has. A refresh token or an opaque access token cannot be validated here'

/** Every call that validates a token, with a client whose token endpoint returns it as the id_token. */
const calls: Readonly<Record<string, (token: string) => Promise<unknown>>> = {
  'oidc.validateIdToken': (token) => issuer().client().validateIdToken(token),
  'oidc.validateAccessToken': (token) => issuer().client().validateAccessToken(token),
  'oidc.exchangeCode': (token) => returning(token).exchangeCode({ code: 'code_1', codeVerifier: undefined }),
  'oidc.refresh': (token) => returning(token).refresh('refresh_0'),
  'oidc.handleCallback': async (token) => {
    const oidc = returning(token)
    const { url: _, ...login } = await oidc.createAuthorization()
    return oidc.handleCallback(`/callback?code=code_1&state=${login.state}`, login)
  },
  validateIdToken: (token) =>
    validateIdToken(token, { jwks: { keys: [key.jwk] }, issuer: claimsOf().iss, audience: clientId }),
}

function returning(id_token: string) {
  const { client, token } = issuer()
  token.respondWith(json(tokens({ id_token })))
  return client()
}

it.each(Object.keys(calls))('%s is named in the error of a token that it rejects', async (call) => {
  expect(String(await thrownBy(calls[call]?.(opaque) ?? Promise.resolve()))).toBe(
    `TokenValidationError: ${call}: ${threeParts}`,
  )
})

it.each<[advice: string, token: unknown, expected?: object]>([
  ['the token must be a string, not undefined', undefined],
  ['the token is encrypted, and JWE is not accepted: check that it is from this service', 'a.b.c.d.e'],
  ['a part of the token is not base64url without padding: pass the token exactly as it was received', 'a=.b.c'],
  [
    'the token is from another issuer: check the option issuer (the default of an OidcClient is its baseUrl)',
    idToken({ iss: 'https://other.test' }),
  ],
  [
    'the token is for another client: check the clientId of the OidcClient, or the audience of validateIdToken',
    idToken({ aud: 'other' }),
  ],
  [
    'the token has expired: refresh the tokens, or have the person sign in again. If it is new, check the clock of this machine',
    idToken({ exp: startSeconds - 60 }),
  ],
  ['the token is not valid yet: check the clock of this machine', idToken({ nbf: startSeconds + 60 })],
  [
    'the token is not from this sign-in: its nonce differs. Pass the nonce that createAuthorization returned for this browser',
    idToken({ nonce: 'other' }),
    { nonce: 'mine' },
  ],
])('the error of a rejected token says what to do next: %s', async (advice, token, expected) => {
  const validated = issuer()
    .client()
    .validateIdToken(token as string, expected)

  expect(String(await thrownBy(validated))).toBe(`TokenValidationError: oidc.validateIdToken: ${advice}`)
})
