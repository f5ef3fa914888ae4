import { expect, it, vi } from 'vitest'
import { fixedKeys } from '../../../src/oidc/jwks/jwks-cache.ts'
import { VerifiedTokenCache } from '../../../src/oidc/validation/verified-token-cache.ts'
import { baseUrl, idToken, issuer, key, keySet, otherKey, type Step, startSeconds } from '../issuer.ts'

const minute = 60_000
const accessToken = (claims: object = {}, by = key) =>
  idToken({ aud: 'api', scope: 'openid', exp: startSeconds + 7200, ...claims }, { typ: 'at+jwt' }, by)

const countingSignatures = () => vi.spyOn(crypto.subtle, 'verify')

/** A client that has verified a token. */
async function clientThatVerified(token: string) {
  const { client, ...controls } = issuer()
  const oidc = client()
  await oidc.validateAccessToken(token)
  return { oidc, ...controls, signatures: countingSignatures() }
}

it('verifies the signature of an access token once', async () => {
  const token = accessToken()
  const { oidc, signatures } = await clientThatVerified(token)

  for (let i = 0; i < 3; i++) {
    await expect(oidc.validateAccessToken(token)).resolves.toMatchObject({ sub: 'user_1', aud: 'api' })
  }

  expect(signatures).not.toHaveBeenCalled()
})

it('verifies the signature of each new token', async () => {
  const { oidc, signatures } = await clientThatVerified(accessToken({ jti: '1' }))

  await oidc.validateAccessToken(accessToken({ jti: '2' }))

  expect(signatures).toHaveBeenCalledTimes(1)
})

it('rejects a cached token with the signature of another token', async () => {
  const token = accessToken()
  const { oidc } = await clientThatVerified(token)
  const foreign = accessToken({ jti: 'another' }).split('.')[2]

  await expect(oidc.validateAccessToken(token.replace(/[^.]+$/, String(foreign)))).rejects.toMatchObject({
    reason: 'signature_mismatch',
  })
})

it('rejects a cached token after it has expired', async () => {
  const token = accessToken({ exp: startSeconds + 600 })
  const { oidc, passTime } = await clientThatVerified(token)

  passTime(10 * minute + 29_999)
  await expect(oidc.validateAccessToken(token)).resolves.toMatchObject({ sub: 'user_1' })
  passTime(1)
  await expect(oidc.validateAccessToken(token)).rejects.toMatchObject({ reason: 'expired' })
})

it('checks scope and audience of a cached token', async () => {
  const token = accessToken()
  const { oidc } = await clientThatVerified(token)

  const validated = [
    oidc.validateAccessToken(token, { scope: 'zkp' }),
    oidc.validateAccessToken(token, { audience: 'b' }),
  ]

  await expect(validated[0]).rejects.toMatchObject({ reason: 'missing_scope' })
  await expect(validated[1]).rejects.toMatchObject({ reason: 'audience_mismatch' })
})

it('rejects a cached token after its key was withdrawn', async () => {
  const token = accessToken()
  const { oidc, jwks, passTime } = await clientThatVerified(token)
  jwks.respondWith(keySet(otherKey.jwk))

  passTime(10 * minute)

  await expect(oidc.validateAccessToken(token)).rejects.toMatchObject({ reason: 'key_not_found' })
})

it('rejects a cached token after its key was replaced under the same kid', async () => {
  const token = accessToken()
  const { oidc, jwks, passTime } = await clientThatVerified(token)
  jwks.respondWith(keySet({ ...otherKey.jwk, kid: key.kid }))

  passTime(10 * minute)

  await expect(oidc.validateAccessToken(token)).rejects.toMatchObject({ reason: 'signature_mismatch' })
})

it('rejects a cached token if the keys could not be fetched for too long', async () => {
  const down: Step = () => Promise.reject(new TypeError('fetch failed'))
  const token = accessToken()
  const { oidc, jwks, passTime } = await clientThatVerified(token)
  jwks.respondWith(down)

  passTime(70 * minute)

  await expect(oidc.validateAccessToken(token)).rejects.toMatchObject({ reason: 'keys_unavailable' })
})

it('returns claims that the caller may change without an effect on later calls', async () => {
  const token = accessToken({ roles: ['reader'] })
  const { oidc } = await clientThatVerified(token)

  const claims = (await oidc.validateAccessToken(token)) as unknown as { roles: string[]; sub: string }
  claims.roles.push('admin')
  claims.sub = 'another_person'

  await expect(oidc.validateAccessToken(token)).resolves.toMatchObject({ sub: 'user_1', roles: ['reader'] })
})

it('does not accept a cached access token as an id_token', async () => {
  const token = accessToken()
  const { oidc } = await clientThatVerified(token)

  await expect(oidc.validateIdToken(token)).rejects.toMatchObject({ reason: 'unexpected_type' })
})

it('evicts the least recently used token if the cache is full', async () => {
  const rules = { issuers: [baseUrl], now: startSeconds, toleranceSeconds: 30 }
  const keys = fixedKeys([key.jwk])
  const cache = new VerifiedTokenCache(2)
  const [a, b, c] = ['a', 'b', 'c'].map((jti) => accessToken({ jti }))
  const verify = (token: unknown) => cache.verify(token, keys, ['at+jwt'], rules)
  for (const token of [a, b, a, c]) await verify(token)
  const signatures = countingSignatures()

  await verify(a)
  await verify(c)
  expect(signatures).not.toHaveBeenCalled()
  await verify(b)
  expect(signatures).toHaveBeenCalledTimes(1)
})
