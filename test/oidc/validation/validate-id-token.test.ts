import { beforeEach, expect, it, vi } from 'vitest'
import {
  ConfigurationError,
  TokenValidationError,
  type ValidateIdTokenOptions,
  validateIdToken,
} from '../../../src/index.ts'
import { loopbackServer, respondWith } from '../../support/loopback-server.ts'
import { atHashOf, baseUrl, clientId, idToken, issuer, key, keySet, makeKey, otherKey, startMs } from '../issuer.ts'

const jwksUrl = `${baseUrl}/api/auth/oidc/jwks.json`
const expected = { issuer: baseUrl, audience: clientId }
const keys = { keys: [key.jwk] }

beforeEach(() => {
  vi.useFakeTimers({ now: startMs, toFake: ['Date', 'performance'] })
  return () => vi.useRealTimers()
})

it.each<[what: string, token: string, options: object]>([
  ['with a key set', idToken(), {}],
  ['with several issuers', idToken(), { issuer: ['https://other.example', baseUrl] }],
  ['with a nonce', idToken({ nonce: 'nonce_1' }), { nonce: 'nonce_1' }],
  ['with its access token', idToken({ at_hash: atHashOf('token') }), { accessToken: 'token' }],
])('validates an id_token without a client, %s', async (_, token, options) => {
  await expect(validateIdToken(token, { jwks: keys, ...expected, ...options })).resolves.toMatchObject({
    sub: 'user_1',
  })
})

it.each<[what: string, options: object, reason: string]>([
  ['another issuer', { issuer: 'https://other.example' }, 'issuer_mismatch'],
  ['another audience', { audience: 'other' }, 'audience_mismatch'],
  ['another nonce', { nonce: 'other' }, 'nonce_mismatch'],
  ['other keys', { jwks: { keys: [otherKey.jwk] } }, 'key_not_found'],
  ['a key set without RSA keys', { jwks: { keys: [null, {}] } }, 'key_not_found'],
  ['a key of millions of digits', { jwks: { keys: [{ ...key.jwk, n: 'A'.repeat(8_000_000) }] } }, 'key_not_found'],
])('rejects an id_token if it is validated with %s', async (_, options, reason) => {
  const validated = validateIdToken(idToken(), { jwks: keys, ...expected, ...options })

  await expect(validated).rejects.toBeInstanceOf(TokenValidationError)
  await expect(validated).rejects.toMatchObject({ reason })
})

it('uses the current keys of a key set that was changed', async () => {
  const list: object[] = [key.jwk]
  const options = { jwks: { keys: list }, ...expected }
  await validateIdToken(idToken(), options)
  list[0] = otherKey.jwk

  await validateIdToken(idToken({}, {}, otherKey), options)
  await expect(validateIdToken(idToken(), options)).rejects.toMatchObject({ reason: 'key_not_found' })
})

it('imports a key once, also if each call passes a new key set object', async () => {
  const newKey = makeKey('new')
  const text = JSON.stringify({ keys: [newKey.jwk] })
  const imports = vi.spyOn(crypto.subtle, 'importKey')

  for (let i = 0; i < 5; i++) {
    await validateIdToken(idToken({}, {}, newKey), { jwks: JSON.parse(text), ...expected })
  }

  expect(imports).toHaveBeenCalledTimes(1)
})

it.each([
  ['kid', { kid: 'key_9' }, 'key_not_found'],
  ['modulus', { n: otherKey.jwk.n }, 'signature_mismatch'],
  ['exponent', { e: 'Aw' }, 'signature_mismatch'],
  ['use', { use: 'enc' }, 'key_not_found'],
])('does not reuse a key for a JWK with another %s', async (_, change, reason) => {
  await validateIdToken(idToken(), { jwks: keys, ...expected })

  const validated = validateIdToken(idToken(), { jwks: { keys: [{ ...key.jwk, ...change }] }, ...expected })

  await expect(validated).rejects.toMatchObject({ reason })
})

it.each([jwksUrl, new URL(jwksUrl)])('fetches the keys of a URL and caches them: %o', async (jwks) => {
  const service = issuer()
  const options = { jwks, fetch: service.fetch, ...expected }

  for (let i = 0; i < 20; i++) await validateIdToken(idToken(), options)
  expect(service.jwks.requests).toHaveLength(1)
  vi.advanceTimersByTime(600_000)
  await validateIdToken(idToken(), options)
  expect(service.jwks.requests).toHaveLength(2)
})

it('keeps repeated query parameters of the key URL', async () => {
  const service = issuer()
  const jwks = `${jwksUrl}?use=sig&use=enc&app=a%20b&__proto__=x`

  await validateIdToken(idToken(), { jwks, fetch: service.fetch, ...expected })

  expect(service.jwks.requests.map(({ url }) => url)).toEqual([jwks])
})

it('caches keys separately for each fetch', async () => {
  const [one, two] = [issuer(), issuer()]
  two.jwks.respondWith(keySet(otherKey.jwk))
  const options = { jwks: jwksUrl, ...expected }

  await validateIdToken(idToken(), { ...options, fetch: one.fetch })
  await validateIdToken(idToken({}, {}, otherKey), { ...options, fetch: two.fetch })
  const mixed = validateIdToken(idToken(), { ...options, fetch: two.fetch })
  await expect(mixed).rejects.toMatchObject({ reason: 'key_not_found' })
})

it('fetches the keys over the network, with the query of the URL', async () => {
  const { url, requests: seen } = await loopbackServer(respondWith(200, keys))
  const jwks = `${url}/tenant/keys?version=1&name=a%20b`

  await validateIdToken(idToken(), { jwks, ...expected })
  await validateIdToken(idToken(), { jwks, ...expected })

  expect(seen.map(({ target }) => target)).toEqual(['/tenant/keys?version=1&name=a%20b'])
})

it.each<[what: string, options: Partial<Record<keyof ValidateIdTokenOptions, unknown>>]>([
  ['no issuer', { issuer: undefined }],
  ['an empty issuer among others', { issuer: [baseUrl, ''] }],
  ['no audience', { audience: '' }],
  ['an audience that is a list', { audience: [clientId] }],
  ['no keys', { jwks: undefined }],
  ['keys of null', { jwks: null }],
  ['keys that are not an array', { jwks: { keys: key.jwk } }],
  ['a relative URL', { jwks: '/jwks.json' }],
  ['a URL that is not https', { jwks: 'http://id.example.test/jwks.json' }],
  ['a URL with credentials', { jwks: 'https://user:word@id.example.test/jwks.json' }],
  ['a URL with only a user', { jwks: 'https://user@id.example.test/jwks.json' }],
  ['a URL with only a password', { jwks: 'https://:word@id.example.test/jwks.json' }],
  ['a tolerance above its maximum', { clockToleranceSeconds: 301 }],
])('throws a ConfigurationError for %s that names the option and how to fix it', async (_, options) => {
  const validated = validateIdToken(idToken(), {
    jwks: keys,
    ...expected,
    ...options,
  } as ValidateIdTokenOptions)

  await expect(validated).rejects.toBeInstanceOf(ConfigurationError)
  await expect(validated).rejects.toThrow(
    /^(?:validateIdToken: )?(?:issuer|audience|jwks|clockToleranceSeconds)\b.*(?: must |missing)/,
  )
})

it.each([
  ['jwks', 'the key set of the issuer, or its URL, such as https://id.example.com/api/auth/oidc/jwks.json'],
  ['issuer', 'the issuer of the tokens, such as https://id.example.com'],
  ['audience', 'the client id that the token must be for'],
])('accepts an environment variable as %s, and says what to set if it is not set', async (name, what) => {
  const variables: NodeJS.ProcessEnv = { issuer: baseUrl, audience: clientId, jwks: `${baseUrl}/jwks.json` }
  delete variables[name]
  const { jwks, issuer, audience } = variables

  await expect(validateIdToken(idToken(), { jwks, issuer, audience })).rejects.toThrow(
    new ConfigurationError({
      message: `validateIdToken: ${name} is missing: pass ${what}, or set the environment variable that you pass`,
    }),
  )
})
