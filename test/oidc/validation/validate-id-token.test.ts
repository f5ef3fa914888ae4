import { beforeEach, expect, it, vi } from 'vitest'
import { ConfigurationError, TokenValidationError, validateIdToken } from '../../../src/index.ts'
import type { ValidateIdTokenOptions } from '../../../src/oidc.ts'
import { answer, loopbackServer } from '../../support/loopback-server.ts'
import { atHashOf, baseUrl, clientId, idToken, issuer, key, keySet, otherKey, startMs } from '../issuer.ts'

const address = `${baseUrl}/api/auth/oidc/jwks.json`
const expected = { issuer: baseUrl, audience: clientId }
const keys = { keys: [key.jwk] }

beforeEach(() => {
  vi.useFakeTimers({ now: startMs, toFake: ['Date', 'performance'] })
  return () => vi.useRealTimers()
})

it.each<[what: string, token: string, options: object]>([
  ['with keys that it is given', idToken(), {}],
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
  ['keys of other kinds alone', { jwks: { keys: [null, {}] } }, 'key_not_found'],
])('refuses an id_token where it is asked for %s', async (_, options, reason) => {
  const validated = validateIdToken(idToken(), { jwks: keys, ...expected, ...options })

  await expect(validated).rejects.toBeInstanceOf(TokenValidationError)
  await expect(validated).rejects.toMatchObject({ reason })
})

it('sees the keys of a set that has changed', async () => {
  const list: object[] = [key.jwk]
  const options = { jwks: { keys: list }, ...expected }
  await validateIdToken(idToken(), options)
  list[0] = otherKey.jwk

  await validateIdToken(idToken({}, {}, otherKey), options)
  await expect(validateIdToken(idToken(), options)).rejects.toMatchObject({ reason: 'key_not_found' })
})

it.each([address, new URL(address)])('reads the keys at an address, and keeps them: %o', async (jwks) => {
  const service = issuer()
  const options = { jwks, fetch: service.fetch, ...expected }

  for (let i = 0; i < 20; i++) await validateIdToken(idToken(), options)
  expect(service.jwks.requests).toHaveLength(1)
  vi.advanceTimersByTime(600_000)
  await validateIdToken(idToken(), options)
  expect(service.jwks.requests).toHaveLength(2)
})

it('keeps the keys of two services apart', async () => {
  const [one, two] = [issuer(), issuer()]
  two.jwks.answers(keySet(otherKey.jwk))
  const asked = { jwks: address, ...expected }

  await validateIdToken(idToken(), { ...asked, fetch: one.fetch })
  await validateIdToken(idToken({}, {}, otherKey), { ...asked, fetch: two.fetch })
  const mixed = validateIdToken(idToken(), { ...asked, fetch: two.fetch })
  await expect(mixed).rejects.toMatchObject({ reason: 'key_not_found' })
})

it('reads the keys over the network, the query of the address included', async () => {
  const { url, seen } = await loopbackServer(answer(200, keys))
  const jwks = `${url}/tenant/keys?version=1&name=a%20b`

  await validateIdToken(idToken(), { jwks, ...expected })
  await validateIdToken(idToken(), { jwks, ...expected })

  expect(seen.map(({ target }) => target)).toEqual(['/tenant/keys?version=1&name=a%20b'])
})

it('keeps the keys at the last 16 addresses, the newest in place of the oldest', async () => {
  const service = issuer()
  const validate = (tenant: number) =>
    validateIdToken(idToken(), { jwks: `${address}?tenant=${tenant}`, fetch: service.fetch, ...expected })

  for (let tenant = 1; tenant <= 16; tenant++) await validate(tenant)
  for (let tenant = 1; tenant <= 16; tenant++) await validate(tenant)
  expect(service.jwks.requests).toHaveLength(16)
  await validate(17)
  await validate(2)
  expect(service.jwks.requests).toHaveLength(17)
  await validate(1)
  expect(service.jwks.requests).toHaveLength(18)
})

it.each<[what: string, options: Partial<Record<keyof ValidateIdTokenOptions, unknown>>]>([
  ['no issuer', { issuer: undefined }],
  ['an empty issuer among others', { issuer: [baseUrl, ''] }],
  ['no audience', { audience: '' }],
  ['an audience that is a list', { audience: [clientId] }],
  ['no keys', { jwks: undefined }],
  ['keys of null', { jwks: null }],
  ['keys that are no list', { jwks: { keys: key.jwk } }],
  ['a relative address', { jwks: '/jwks.json' }],
  ['an address that is not https', { jwks: 'http://id.example.test/jwks.json' }],
  ['an address with credentials', { jwks: 'https://user:word@id.example.test/jwks.json' }],
  ['an address with a user alone', { jwks: 'https://user@id.example.test/jwks.json' }],
  ['an address with a password alone', { jwks: 'https://:word@id.example.test/jwks.json' }],
  ['a tolerance over its bound', { clockToleranceSeconds: 301 }],
])('refuses to validate with %s, and says how to mend it', async (_, options) => {
  const validated = validateIdToken(idToken(), {
    jwks: keys,
    ...expected,
    ...options,
  } as ValidateIdTokenOptions)

  await expect(validated).rejects.toBeInstanceOf(ConfigurationError)
  await expect(validated).rejects.toThrow(
    /^(?:issuer|audience|jwks|clockToleranceSeconds)\b.*(?: must |missing)/,
  )
})
