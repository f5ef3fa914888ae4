import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import {
  ConfigurationError,
  type OidcClientOptions,
  TokenValidationError,
  type TokenValidationReason,
} from '../../../src/index.ts'
import { tried, tries } from '../../attack/size.ts'
import {
  atHashOf,
  baseUrl,
  claimsOf,
  clientId,
  encoded,
  headerOf,
  idToken,
  issuer,
  key,
  keySet,
  makeKey,
  otherKey,
  signed,
  startSeconds,
} from '../issuer.ts'

const weakKey = makeKey('weak', 1024)
const accessToken = 'access_1_0123456789abcdef'
const nonce = 'nonce_1_0123456789abcdef'

/** Validates with a key set that contains a good key and a weak one. */
const validate = (token: string, options: OidcClientOptions = {}, expected = {}) => {
  const { client, jwks } = issuer()
  jwks.respondWith(keySet(key.jwk, weakKey.jwk))
  return client(options).validateIdToken(token, expected)
}

const withHmac = (header: object) => {
  const input = `${encoded(header)}.${encoded(claimsOf())}`
  return `${input}.${createHmac('sha256', key.pem).update(input).digest('base64url')}`
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'
/** Changes one character to that which is some places later in the alphabet. */
const changed = (token: string, index: number, by = 1) =>
  token.slice(0, index) +
  alphabet[(alphabet.indexOf(token[index] as string) + by) % alphabet.length] +
  token.slice(index + 1)

/** A token with a claim of 64 KiB. */
const bulky = idToken({ note: 'x'.repeat(64 * 1024) })

const text = (claims: object) => JSON.stringify(claimsOf(claims))
const twice = (payload: string, member: string) => `${payload.slice(0, -1)},${member}}`

const otherClient = 'another_client'

it.each<[what: string, token: unknown, reason: TokenValidationReason, claim?: string]>([
  ['an object instead of a string', { toString: () => idToken() }, 'malformed'],
  ['an empty string', '', 'malformed'],
  ['two parts', idToken().split('.').slice(0, 2).join('.'), 'malformed'],
  ['four parts', `${idToken()}.AAAA`, 'malformed'],
  ['seven parts', `${idToken()}.A.A.A.A`, 'malformed'],
  ['no header', idToken().replace(/^[^.]+/, ''), 'malformed'],
  ['no payload', idToken().replace(/\.[^.]+\./, '..'), 'malformed'],
  ['padding', `${idToken()}==`, 'malformed'],
  ['padding of the header', idToken().replace('.', '=.'), 'malformed'],
  ['a space before it', ` ${idToken()}`, 'malformed'],
  ['a line break after it', `${idToken()}\n`, 'malformed'],
  ['characters of plain base64', idToken().replace(/\.[^.]+$/, '.++//'), 'malformed'],
  ['stray bits in its last character', idToken().replace(/.$/, 'B'), 'malformed'],
  ['an impossible length', `${idToken()}AAA`, 'malformed'],
  ['a header that is not JSON', signed('{"alg":"RS256"', claimsOf()), 'malformed'],
  ['a header that is a list', signed('["RS256"]', claimsOf()), 'malformed'],
  ['a payload that is not JSON', signed(headerOf(), 'hello'), 'malformed'],
  ['a payload that is null', signed(headerOf(), 'null'), 'malformed'],
  ['a payload with a BOM', signed(headerOf(), `\ufeff${text({})}`), 'malformed'],
  [
    'invalid UTF-8',
    `${encoded(headerOf())}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.AAAA`,
    'malformed',
  ],
  ['a member __proto__', signed(headerOf(), twice(text({}), '"__proto__":{"sub":"admin"}')), 'malformed'],
  [
    'a member __proto__ within a claim',
    signed(headerOf(), twice(text({}), '"act":[{"__pro\\u0074o__":{"sub":"admin"}}]')),
    'malformed',
  ],
  ['more than 64 KiB', bulky, 'too_large'],
  ['five parts, as a JWE has', `${encoded({ alg: 'dir', enc: 'A256GCM' })}..AAAA.AAAA.AAAA`, 'encrypted'],
  ['a header with a duplicate member', signed('{"alg":"RS256","alg":"RS256"}', claimsOf()), 'duplicate_member'],
  ['a payload with a duplicate member', signed(headerOf(), twice(text({}), '"sub":"admin"')), 'duplicate_member'],
  [
    'a duplicate member whose name is escaped',
    signed(headerOf(), twice(text({}), '"s\\u0075b":"admin"')),
    'duplicate_member',
  ],
  ['alg none', `${encoded({ alg: 'none' })}.${encoded(claimsOf())}.`, 'unsupported_algorithm', 'alg'],
  ['alg None', signed(headerOf({ alg: 'None' }), claimsOf()), 'unsupported_algorithm', 'alg'],
  ['no alg', signed(headerOf({ alg: undefined }), claimsOf()), 'unsupported_algorithm', 'alg'],
  ['HMAC with the public key', withHmac(headerOf({ alg: 'HS256' })), 'unsupported_algorithm', 'alg'],
  ['alg RS512', signed(headerOf({ alg: 'RS512' }), claimsOf()), 'unsupported_algorithm', 'alg'],
  ['alg PS256', signed(headerOf({ alg: 'PS256' }), claimsOf()), 'unsupported_algorithm', 'alg'],
  ['alg rs256', signed(headerOf({ alg: 'rs256' }), claimsOf()), 'unsupported_algorithm', 'alg'],
  ['a list of algs', signed(headerOf({ alg: ['RS256'] }), claimsOf()), 'unsupported_algorithm', 'alg'],
  ['HMAC under the name RS256', withHmac(headerOf()), 'signature_mismatch'],
  ['crit', idToken({}, { crit: ['exp'] }), 'forbidden_header', 'crit'],
  ['empty crit', idToken({}, { crit: [] }), 'forbidden_header', 'crit'],
  ['jwk', idToken({}, { jwk: otherKey.jwk }, otherKey), 'forbidden_header', 'jwk'],
  ['jku', idToken({}, { jku: 'https://evil.example/jwks' }, otherKey), 'forbidden_header', 'jku'],
  ['x5u', idToken({}, { x5u: 'https://evil.example/cert' }, otherKey), 'forbidden_header', 'x5u'],
  ['x5c', idToken({}, { x5c: ['AAAA'] }, otherKey), 'forbidden_header', 'x5c'],
  ['b64', idToken({}, { b64: false }), 'forbidden_header', 'b64'],
  ['zip', idToken({}, { zip: 'DEF' }), 'forbidden_header', 'zip'],
  ['the typ of an access token', idToken({}, { typ: 'at+jwt' }), 'unexpected_type', 'typ'],
  ['the typ of a logout token', idToken({}, { typ: 'logout+jwt' }), 'unexpected_type', 'typ'],
  ['a typ that is not a string', idToken({}, { typ: 1 }), 'unexpected_type', 'typ'],
  ['a typ that is null', idToken({}, { typ: null }), 'unexpected_type', 'typ'],
  ['a kid that is not a string', idToken({}, { kid: 7 }), 'malformed_claim', 'kid'],
  ['an unknown kid', idToken({}, { kid: 'key_9' }), 'key_not_found', 'kid'],
  ['a kid that is a path', idToken({}, { kid: '../../dev/null' }), 'key_not_found', 'kid'],
  ['a key of 1024 bits', idToken({}, {}, weakKey), 'weak_key', 'kid'],
  ['the signature of another key', idToken({}, { kid: key.kid }, otherKey), 'signature_mismatch'],
  ['no signature', idToken().replace(/\.[^.]+$/, '.'), 'signature_mismatch'],
  ['half a signature', idToken().slice(0, -170), 'signature_mismatch'],
  [
    'a changed payload',
    idToken().replace(/\.[^.]+\./, `.${encoded(claimsOf({ sub: 'admin' }))}.`),
    'signature_mismatch',
  ],
  [
    'a changed signature',
    idToken().replace(/.(?=.{20}$)/, (digit) => (digit === 'A' ? 'B' : 'A')),
    'signature_mismatch',
  ],
  ['no iss', idToken({ iss: undefined }), 'missing_claim', 'iss'],
  ['another iss', idToken({ iss: 'https://evil.example' }), 'issuer_mismatch', 'iss'],
  ['the iss with a slash', idToken({ iss: `${baseUrl}/` }), 'issuer_mismatch', 'iss'],
  ['a list of iss', idToken({ iss: [baseUrl] }), 'malformed_claim', 'iss'],
  ['no sub', idToken({ sub: undefined }), 'missing_claim', 'sub'],
  ['an empty sub', idToken({ sub: '' }), 'malformed_claim', 'sub'],
  ['a sub that is a number', idToken({ sub: 7 }), 'malformed_claim', 'sub'],
  ['a sub of 256 characters', idToken({ sub: 'x'.repeat(256) }), 'malformed_claim', 'sub'],
  ['no aud', idToken({ aud: undefined }), 'missing_claim', 'aud'],
  ['another aud', idToken({ aud: otherClient }), 'audience_mismatch', 'aud'],
  ['an aud that starts with the client id', idToken({ aud: `${clientId}2` }), 'audience_mismatch', 'aud'],
  ['other audiences', idToken({ aud: [otherClient, 'third'], azp: clientId }), 'audience_mismatch', 'aud'],
  ['no audience', idToken({ aud: [] }), 'malformed_claim', 'aud'],
  ['an empty aud', idToken({ aud: '' }), 'malformed_claim', 'aud'],
  ['an empty audience', idToken({ aud: [clientId, ''], azp: clientId }), 'malformed_claim', 'aud'],
  ['an aud that is an object', idToken({ aud: { [clientId]: true } }), 'malformed_claim', 'aud'],
  ['an audience that is a number', idToken({ aud: [clientId, 7], azp: clientId }), 'malformed_claim', 'aud'],
  ['several audiences without azp', idToken({ aud: [clientId, otherClient] }), 'authorized_party_mismatch', 'azp'],
  ['another azp', idToken({ azp: otherClient }), 'authorized_party_mismatch', 'azp'],
  ['an azp that is a list', idToken({ azp: [clientId] }), 'malformed_claim', 'azp'],
  ['no exp', idToken({ exp: undefined }), 'missing_claim', 'exp'],
  ['an exp that has passed', idToken({ exp: startSeconds - 30 }), 'expired', 'exp'],
  ['an exp that is a string', idToken({ exp: String(startSeconds + 900) }), 'malformed_claim', 'exp'],
  ['an exp in milliseconds', idToken({ exp: (startSeconds + 900) * 1000 }), 'malformed_claim', 'exp'],
  ['an infinite exp', signed(headerOf(), text({}).replace(/"exp":\d+/, '"exp":1e999')), 'malformed_claim', 'exp'],
  ['an exp of null', idToken({ exp: null }), 'malformed_claim', 'exp'],
  ['no iat', idToken({ iat: undefined }), 'missing_claim', 'iat'],
  ['an iat in the future', idToken({ iat: startSeconds + 31 }), 'issued_in_future', 'iat'],
  ['an iat before the epoch', idToken({ iat: -1 }), 'malformed_claim', 'iat'],
  ['an iat beyond 1e11', idToken({ iat: 1e11 + 1 }), 'malformed_claim', 'iat'],
  ['an nbf in the future', idToken({ nbf: startSeconds + 31 }), 'not_yet_valid', 'nbf'],
  ['an nbf that is a string', idToken({ nbf: 'now' }), 'malformed_claim', 'nbf'],
  ['a nonce that is not a string', idToken({ nonce: 7 }), 'malformed_claim', 'nonce'],
  ['an at_hash that is not a string', idToken({ at_hash: true }), 'malformed_claim', 'at_hash'],
  ['an auth_time that is a string', idToken({ auth_time: 'now' }), 'malformed_claim', 'auth_time'],
  ['a member id that is a number', idToken({ svc_org_member_id: 7 }), 'malformed_claim', 'svc_org_member_id'],
])('rejects an id_token with %s, and names the reason', async (_, token, reason, claim) => {
  const error: unknown = await validate(token as string).catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(TokenValidationError)
  expect(error).toMatchObject({ code: 'token_refused', reason })
  expect((error as TokenValidationError).claim).toBe(claim)
  expect((error as TokenValidationError).message).toMatch(/token|signature|key/)
})

it.each<[what: string, token: string, expected: object, reason: TokenValidationReason]>([
  ['no nonce, if one was sent', idToken(), { nonce }, 'nonce_mismatch'],
  ['another nonce', idToken({ nonce: 'nonce_2' }), { nonce }, 'nonce_mismatch'],
  ['a nonce, if the sent one was lost', idToken({ nonce: 'null' }), { nonce: null }, 'nonce_mismatch'],
  ['no nonce, if an empty one was sent', idToken(), { nonce: '' }, 'nonce_mismatch'],
  ['the at_hash of another token', idToken({ at_hash: atHashOf('other') }), { accessToken }, 'access_token_mismatch'],
])('rejects an id_token with %s', async (_, token, expected, reason) => {
  await expect(validate(token, {}, expected)).rejects.toMatchObject({
    reason,
    claim: reason === 'nonce_mismatch' ? 'nonce' : 'at_hash',
    message: expect.stringMatching(/the (?:access )?token is not/),
  })
})

it.each<[what: string, token: string, expected?: object]>([
  ['all that is required', idToken()],
  ['no typ', idToken({}, { typ: undefined })],
  ['typ application/JWT', idToken({}, { typ: 'application/JWT' })],
  ['other header members', idToken({}, { x5t: 'AAAA', cty: 'JWT' })],
  ['a list of one audience', idToken({ aud: [clientId] })],
  ['several audiences with azp', idToken({ aud: [clientId, otherClient], azp: clientId })],
  ['the client as azp', idToken({ azp: clientId })],
  ['the sent nonce', idToken({ nonce }), { nonce }],
  ['a nonce that is not expected', idToken({ nonce })],
  ['a matching at_hash', idToken({ at_hash: atHashOf(accessToken) }), { accessToken }],
  ['no at_hash', idToken(), { accessToken }],
  ['the text __proto__ in a claim', idToken({ note: '__proto__', list: ['__proto__'] })],
  ['an exp within the tolerance', idToken({ exp: startSeconds - 29 })],
  ['an nbf within the tolerance', idToken({ nbf: startSeconds + 30 })],
  ['an iat at the epoch', idToken({ iat: 0 })],
  ['an iat within the tolerance', idToken({ iat: startSeconds + 30 })],
  ['an nbf that has passed', idToken({ nbf: startSeconds - 5 })],
  ['times with fractions', idToken({ iat: startSeconds - 0.5, exp: startSeconds + 0.5 })],
  ['a sub of 255 characters', idToken({ sub: 'x'.repeat(255) })],
  ['a member id', idToken({ svc_org_member_id: 'vmem_0123456789abcdef01234567' })],
  ['a member id of null', idToken({ svc_org_member_id: null })],
])('accepts an id_token with %s', async (_, token, expected) => {
  await expect(validate(token, {}, expected)).resolves.toMatchObject({ iss: baseUrl })
})

it.each([
  ['the header of the token is not a JSON object', signed('["RS256"]', claimsOf())],
  ['the payload of the token is not a JSON object', signed(headerOf(), 'null')],
  ["the issuer's key set has no key with the kid of the token", idToken({}, { kid: 'key_9' })],
])('says that %s', async (message, token) => {
  await expect(validate(token)).rejects.toThrow(message)
})

it('says that a token without a kid needs a key set with exactly one key', async () => {
  const token = idToken({}, { kid: undefined })
  const { client, jwks } = issuer()
  jwks.respondWith(keySet(key.jwk, otherKey.jwk))

  await expect(client().validateIdToken(token)).rejects.toThrow(
    'the token has no kid, and the key set does not have exactly one key',
  )
})

it('returns every claim as received', async () => {
  const more = { svc_org_member_id: 'vmem_1', auth_time: startSeconds, later: { a: [1] } }

  await expect(validate(idToken(more))).resolves.toEqual(claimsOf(more))
})

it('rejects a token with any single character changed', async () => {
  const token = idToken()
  const { client } = issuer()
  const oidc = client()
  await oidc.validateIdToken(token)

  const others = tries(1, alphabet.length - 1)
  for (let by = 1; by <= others; by++)
    for (let i = 0; i < token.length; i++)
      await expect(oidc.validateIdToken(changed(token, i, by)), `character ${i}, by ${by}`).rejects.toThrow(
        TokenValidationError,
      )
  tried(others * token.length, 'tokens with one character changed')
})

it('compares exp with the clock and the given tolerance', async () => {
  const { client, passTime } = issuer()
  const strict = client({ clockToleranceSeconds: 0 })
  const lax = client({ clockToleranceSeconds: 300 })
  const token = idToken({ exp: startSeconds + 900 })
  passTime(900_000)

  await expect(strict.validateIdToken(token)).rejects.toMatchObject({ reason: 'expired' })
  await lax.validateIdToken(token)
  passTime(300_000)
  await expect(lax.validateIdToken(token)).rejects.toMatchObject({ reason: 'expired' })
})

it.each([-1, 301, Number.NaN, Number.POSITIVE_INFINITY, '30'])(
  'rejects a tolerance of %s seconds',
  (clockToleranceSeconds) => {
    const options = { clockToleranceSeconds } as OidcClientOptions

    expect(() => issuer().client(options)).toThrow(ConfigurationError)
    expect(() => issuer().client(options)).toThrow(/^OidcClient: clockToleranceSeconds must be/)
  },
)

it('accepts only the given issuers', async () => {
  const issuers = ['https://one.example', 'https://two.example/tenant']
  const { client } = issuer()
  const oidc = client({ issuer: issuers })

  for (const iss of issuers) await oidc.validateIdToken(idToken({ iss }))
  await expect(oidc.validateIdToken(idToken())).rejects.toMatchObject({ reason: 'issuer_mismatch' })
})

it('uses the base URL, with its path and without a trailing slash, as the default issuer', async () => {
  const { client } = issuer()
  const oidc = client({ baseUrl: 'https://host.example/identity/' })

  await oidc.validateIdToken(idToken({ iss: 'https://host.example/identity' }))
})

it('does not include the token or its claims in the error', async () => {
  const canary = 'canary_0123456789'
  const rejected = [
    idToken({ nonce: canary, sub: canary, exp: 1 }),
    signed(`{"${canary}`, canary),
    signed(headerOf(), `{"${canary}`),
    idToken({ iss: canary }),
    idToken({}, { kid: canary }),
    idToken({}, { typ: canary }),
    idToken({}, { alg: canary }),
  ]

  for (const token of rejected) {
    const error = await validate(token).catch((thrown: unknown) => thrown)
    const output = [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), String(error)]
    expect(error).toBeInstanceOf(TokenValidationError)
    expect(output.join()).not.toContain(canary)
    for (const part of token.split('.')) expect(output.join()).not.toContain(part)
  }
})
