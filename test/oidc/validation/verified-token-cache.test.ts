import { expect, it, vi } from 'vitest'
import { fixedKeys } from '../../../src/oidc/jwks/jwks-cache.ts'
import { VerifiedTokenCache } from '../../../src/oidc/validation/verified-token-cache.ts'
import { baseUrl, idToken, issuer, key, keySet, otherKey, type Step, startSeconds } from '../issuer.ts'

const minute = 60_000
const accessToken = (claims: object = {}, by = key) =>
  idToken({ aud: 'api', scope: 'openid', exp: startSeconds + 7200, ...claims }, { typ: 'at+jwt' }, by)

const countingSignatures = () => vi.spyOn(crypto.subtle, 'verify')

/** A client that has met a token. */
async function acquainted(token: string) {
  const { client, ...controls } = issuer()
  const oidc = client()
  await oidc.validateAccessToken(token)
  return { oidc, ...controls, signatures: countingSignatures() }
}

it('checks the signature of an access token once, however often it comes', async () => {
  const token = accessToken()
  const { oidc, signatures } = await acquainted(token)

  for (let i = 0; i < 3; i++) {
    await expect(oidc.validateAccessToken(token)).resolves.toMatchObject({ sub: 'user_1', aud: 'api' })
  }

  expect(signatures).not.toHaveBeenCalled()
})

it('checks the signature of each token that it has not met', async () => {
  const { oidc, signatures } = await acquainted(accessToken({ jti: '1' }))

  await oidc.validateAccessToken(accessToken({ jti: '2' }))

  expect(signatures).toHaveBeenCalledTimes(1)
})

it('refuses a token that was met, with the signature of another', async () => {
  const token = accessToken()
  const { oidc } = await acquainted(token)
  const foreign = accessToken({ jti: 'another' }).split('.')[2]

  await expect(oidc.validateAccessToken(token.replace(/[^.]+$/, String(foreign)))).rejects.toMatchObject({
    reason: 'signature_mismatch',
  })
})

it('refuses a token that was met, once it has expired', async () => {
  const token = accessToken({ exp: startSeconds + 600 })
  const { oidc, passTime } = await acquainted(token)

  passTime(10 * minute + 29_999)
  await expect(oidc.validateAccessToken(token)).resolves.toMatchObject({ sub: 'user_1' })
  passTime(1)
  await expect(oidc.validateAccessToken(token)).rejects.toMatchObject({ reason: 'expired' })
})

it('asks of a token that was met what is asked of a new one', async () => {
  const token = accessToken()
  const { oidc } = await acquainted(token)

  const asked = [
    oidc.validateAccessToken(token, { scope: 'zkp' }),
    oidc.validateAccessToken(token, { audience: 'b' }),
  ]

  await expect(asked[0]).rejects.toMatchObject({ reason: 'missing_scope' })
  await expect(asked[1]).rejects.toMatchObject({ reason: 'audience_mismatch' })
})

it('refuses a token that was met, once its key was withdrawn', async () => {
  const token = accessToken()
  const { oidc, jwks, passTime } = await acquainted(token)
  jwks.answers(keySet(otherKey.jwk))

  passTime(10 * minute)

  await expect(oidc.validateAccessToken(token)).rejects.toMatchObject({ reason: 'key_not_found' })
})

it('refuses a token that was met, once its key was replaced under the same name', async () => {
  const token = accessToken()
  const { oidc, jwks, passTime } = await acquainted(token)
  jwks.answers(keySet({ ...otherKey.jwk, kid: key.kid }))

  passTime(10 * minute)

  await expect(oidc.validateAccessToken(token)).rejects.toMatchObject({ reason: 'signature_mismatch' })
})

it('refuses a token that was met, when the keys have not been read for too long', async () => {
  const down: Step = () => Promise.reject(new TypeError('fetch failed'))
  const token = accessToken()
  const { oidc, jwks, passTime } = await acquainted(token)
  jwks.answers(down)

  passTime(70 * minute)

  await expect(oidc.validateAccessToken(token)).rejects.toMatchObject({ reason: 'keys_unavailable' })
})

it('gives claims that belong to the caller, and nobody after', async () => {
  const token = accessToken({ roles: ['reader'] })
  const { oidc } = await acquainted(token)

  const claims = (await oidc.validateAccessToken(token)) as unknown as { roles: string[]; sub: string }
  claims.roles.push('admin')
  claims.sub = 'somebody else'

  await expect(oidc.validateAccessToken(token)).resolves.toMatchObject({ sub: 'user_1', roles: ['reader'] })
})

it('never takes an id_token for an access token that was met', async () => {
  const token = accessToken()
  const { oidc } = await acquainted(token)

  await expect(oidc.validateIdToken(token)).rejects.toMatchObject({ reason: 'unexpected_type' })
})

it('forgets the token that was not seen for longest, when there is no more room', async () => {
  const rules = { issuers: [baseUrl], now: startSeconds, toleranceSeconds: 30 }
  const keys = fixedKeys([key.jwk])
  const seen = new VerifiedTokenCache(2)
  const [a, b, c] = ['a', 'b', 'c'].map((jti) => accessToken({ jti }))
  const look = (token: unknown) => seen.claimsOf(token, keys, ['at+jwt'], rules)
  for (const token of [a, b, a, c]) await look(token)
  const signatures = countingSignatures()

  await look(a)
  await look(c)
  expect(signatures).not.toHaveBeenCalled()
  await look(b)
  expect(signatures).toHaveBeenCalledTimes(1)
})
