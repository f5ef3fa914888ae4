import { expect, it } from 'vitest'
import { ConnectionError, TokenValidationError } from '../../../src/index.ts'
import { idToken, issuer, key, keySet, otherKey, type Step } from '../issuer.ts'

const minute = 60_000
const rotated = idToken({}, {}, otherKey)
const down: Step = () => Promise.reject(new TypeError('fetch failed'))

const forged = (i: number) => idToken({}, { kid: `forged_${i}` }, otherKey)

it('fetches the keys once for 50 validations at the same time', async () => {
  const { client, jwks } = issuer()
  const oidc = client()

  await Promise.all(Array.from({ length: 50 }, () => oidc.validateIdToken(idToken())))

  expect(jwks.requests).toHaveLength(1)
  expect(jwks.requests[0]?.url).toBe('https://id.example.test/api/auth/oidc/jwks.json')
  expect(jwks.requests[0]?.headers.get('authorization')).toBeNull()
})

it('fetches a new key once for 50 validations at the same time', async () => {
  const { client, jwks } = issuer()
  const oidc = client()
  await oidc.validateIdToken(idToken())
  jwks.respondWith(keySet(key.jwk, otherKey.jwk))

  await Promise.all(Array.from({ length: 50 }, () => oidc.validateIdToken(rotated)))

  expect(jwks.requests).toHaveLength(2)
})

it('caches the keys for 10 minutes, then fetches them again', async () => {
  const { client, jwks, passTime } = issuer()
  const oidc = client()

  await oidc.validateIdToken(idToken())
  passTime(10 * minute - 1)
  await oidc.validateIdToken(idToken())
  expect(jwks.requests).toHaveLength(1)
  passTime(1)
  await oidc.validateIdToken(idToken())
  expect(jwks.requests).toHaveLength(2)
})

it('caches the keys for cacheMs', async () => {
  const { client, jwks, passTime } = issuer()
  const oidc = client({ jwks: { cacheMs: 1000 } })

  for (let i = 0; i < 30; i++) {
    await oidc.validateIdToken(idToken())
    passTime(1000)
  }

  expect(jwks.requests).toHaveLength(30)
})

it('fetches the keys for each validation if cacheMs is 0', async () => {
  const { client, jwks } = issuer()
  const oidc = client({ jwks: { cacheMs: 0, maxStaleMs: 0 } })

  for (let i = 0; i < 5; i++) await oidc.validateIdToken(idToken())

  expect(jwks.requests).toHaveLength(5)
})

it('rejects a key that the issuer has withdrawn, once the cache has expired', async () => {
  const { client, jwks, passTime } = issuer()
  const oidc = client()
  await oidc.validateIdToken(idToken())
  jwks.respondWith(keySet(otherKey.jwk))
  passTime(10 * minute)

  await expect(oidc.validateIdToken(idToken())).rejects.toMatchObject({ reason: 'key_not_found' })
})

it.each<[what: string, before: object, after: object, token: string]>([
  ['under a new kid', key.jwk, otherKey.jwk, rotated],
  ['under the same kid', key.jwk, { ...otherKey.jwk, kid: key.kid }, idToken({}, { kid: key.kid }, otherKey)],
  ['of keys without a kid', { ...key.jwk, kid: undefined }, { ...otherKey.jwk, kid: undefined }, rotated],
])('finds a rotation right after a fetch: %s', async (_, before, after, token) => {
  const { client, jwks } = issuer()
  jwks.respondWith(keySet(before))
  const oidc = client()
  await oidc.validateIdToken(idToken())
  jwks.respondWith(keySet(after))

  await expect(oidc.validateIdToken(token)).resolves.toMatchObject({ sub: 'user_1' })
  expect(jwks.requests).toHaveLength(2)
})

it('finds ten rotations in a row', async () => {
  const { client, jwks } = issuer()
  const oidc = client()
  await oidc.validateIdToken(idToken())

  for (let i = 0; i < 10; i++) {
    jwks.respondWith(keySet({ ...otherKey.jwk, kid: `new_${i}` }))
    await oidc.validateIdToken(idToken({}, { kid: `new_${i}` }, otherKey))
  }

  expect(jwks.requests).toHaveLength(11)
})

it.each([
  ['unknown keys', forged],
  ['a known key with a wrong signature', () => idToken({}, { kid: key.kid }, otherKey)],
  ['no key', () => idToken({}, { kid: undefined }, otherKey)],
])('fetches at most 8 times in any minute, for any number of tokens with %s', async (_, token) => {
  const { client, jwks, passTime } = issuer()
  const oidc = client()
  const fetchedAt: number[] = []

  for (let i = 0; i < 300; i++) {
    await expect(oidc.validateIdToken(token(i))).rejects.toThrow(TokenValidationError)
    while (fetchedAt.length < jwks.requests.length) fetchedAt.push(i * 600)
    passTime(600)
  }

  const inOneMinute = fetchedAt.map((from) => fetchedAt.filter((at) => at >= from && at < from + minute).length)
  expect(Math.max(...inOneMinute)).toBeLessThanOrEqual(8)
})

it('finds a rotation within 10 seconds, for any number of forged tokens before and meanwhile', async () => {
  const { client, jwks, passTime } = issuer()
  const oidc = client()
  for (let i = 0; i < 200; i++) await oidc.validateIdToken(forged(i)).catch(() => {})
  jwks.respondWith(keySet(key.jwk, otherKey.jwk))

  let waitedMs = 0
  for (; waitedMs <= 10_000; waitedMs += 100) {
    await oidc.validateIdToken(forged(waitedMs)).catch(() => {})
    if (await oidc.validateIdToken(rotated).catch(() => undefined)) break
    passTime(100)
  }

  expect(waitedMs).toBeLessThanOrEqual(10_000)
  expect(waitedMs).toBeGreaterThan(0)
})

it('uses cached keys while the endpoint fails, up to maxStaleMs', async () => {
  const { client, jwks, passTime } = issuer()
  const oidc = client({ jwks: { cacheMs: 10 * minute, maxStaleMs: 60 * minute } })
  await oidc.validateIdToken(idToken())
  const token = idToken({ exp: 1e11 })
  jwks.respondWith(down)

  passTime(70 * minute - 1)
  await oidc.validateIdToken(token)
  passTime(1)
  const error: unknown = await oidc.validateIdToken(token).catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ reason: 'keys_unavailable' })
  expect((error as Error).cause).toBeInstanceOf(ConnectionError)
  jwks.respondWith(keySet(key.jwk))
  passTime(10_000)
  await oidc.validateIdToken(token)
})

it('uses cached keys without waiting for an endpoint that hangs', async () => {
  const { client, jwks, passTime } = issuer()
  const oidc = client()
  await oidc.validateIdToken(idToken())
  const token = idToken({ exp: 1e11 })
  jwks.respondWith(down)
  passTime(10 * minute)
  await oidc.validateIdToken(token)
  jwks.respondWith(() => new Promise<Response>(() => {}))
  passTime(10_000)

  await oidc.validateIdToken(token)
  await oidc.validateIdToken(token)

  expect(jwks.requests).toHaveLength(3)
})

it('fetches from an endpoint that fails at most 8 times a minute', async () => {
  const { client, jwks, passTime } = issuer()
  jwks.respondWith(down)
  const oidc = client()

  for (let i = 0; i < 600; i++) {
    await expect(oidc.validateIdToken(idToken())).rejects.toMatchObject({ reason: 'keys_unavailable' })
    passTime(100)
  }

  expect(jwks.requests.length).toBeLessThanOrEqual(8)
})

it('distinguishes an unknown key from keys that cannot be fetched', async () => {
  const { client, jwks, passTime } = issuer()
  const oidc = client()
  await oidc.validateIdToken(idToken())
  jwks.respondWith(down)

  await expect(oidc.validateIdToken(rotated)).rejects.toMatchObject({ reason: 'keys_unavailable' })
  await oidc.validateIdToken(idToken())
  jwks.respondWith(keySet(key.jwk))
  passTime(10_000)
  await expect(oidc.validateIdToken(rotated)).rejects.toMatchObject({ reason: 'key_not_found' })
})
