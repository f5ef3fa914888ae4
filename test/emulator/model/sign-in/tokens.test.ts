import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { application, overHttp, start } from '../../support/service.ts'
import { queryOf, sharedSignIn, signInAt } from '../../support/sign-in.ts'

// Sections 2.8 and 4.7: tokens and the keys that verify them

const users = [{ sub: 'user_ada', email: 'ada@example.com' }]
const { authorizationUrl, emulator, keys, tokensFor, url, verified } = await sharedSignIn({ users })

const now = start.getTime() / 1000

it('the id_token has issuer, subject, audience, times, the nonce that was sent and at_hash', async () => {
  const { id_token, access_token } = await tokensFor({ nonce: 'nonce_1' })

  const { header, claims } = await verified(id_token)

  expect(header).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) })
  expect(claims).toEqual({
    iss: url,
    sub: 'user_ada',
    aud: application.client_id,
    iat: now,
    exp: now + 900,
    nonce: 'nonce_1',
    at_hash: createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url'),
  })
})

it('a signature is not valid for another payload', async () => {
  const { id_token, access_token } = await tokensFor()
  const [head, , signature] = id_token.split('.')

  await expect(verified(`${head}.${access_token.split('.')[1]}.${signature}`)).rejects.toThrow()
})

it('claims of a user are added to the id_token, and replace none of its own', async () => {
  const claimed = signInAt(
    await overHttp({ users: [{ sub: 'u1', claims: { locale: 'en', sub: 'admin', aud: 'other' } }] }),
  )

  const { claims } = await claimed.verified((await claimed.tokensFor()).id_token)

  expect(claims).toMatchObject({ locale: 'en', sub: 'u1', aud: application.client_id })
})

it('the key set publishes one RSA key of 2048 bits, and none of its private members', async () => {
  const published = await keys()

  expect(published).toEqual([
    { kty: 'RSA', n: expect.any(String), e: 'AQAB', kid: expect.any(String), alg: 'RS256', use: 'sig' },
  ])
  expect(Buffer.from(String(published[0]?.n), 'base64url')).toHaveLength(256)
})

it('a reset of the emulator keeps the keys', async () => {
  const before = await keys()

  emulator.reset()

  expect(await keys()).toEqual(before)
})

it('rotateKeys signs with a new key, and keeps the old one published unless keepOld is false', async () => {
  const rotated = signInAt(await overHttp())
  const before = (await rotated.tokensFor()).id_token

  await rotated.emulator.signIn.rotateKeys()
  const after = (await rotated.tokensFor()).id_token

  expect(await rotated.keys()).toHaveLength(2)
  const kids = [await rotated.verified(before), await rotated.verified(after)].map(({ header }) => header.kid)
  expect(new Set(kids).size).toBe(2)
  await rotated.emulator.signIn.rotateKeys({ keepOld: false })
  expect(await rotated.keys()).toHaveLength(1)
  await expect(rotated.verified(after)).rejects.toThrow()
})

it('a token response has six members, and an access token of 900 seconds', async () => {
  const response = await tokensFor({ scope: 'openid profile zkp' })

  expect(response).toEqual({
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    id_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 900,
    scope: 'openid profile zkp',
  })
  const { claims } = await verified(response.access_token)
  expect([claims.iat, claims.exp]).toEqual([now, now + 900])
  expect((await verified(response.id_token)).claims).not.toHaveProperty('nonce')
})

it('the state is returned unchanged, next to the code', async () => {
  const callback = emulator.signIn.approve(authorizationUrl({ state: 'a b+c&d=é' }))

  expect(queryOf(callback)).toEqual({ code: expect.any(String), state: 'a b+c&d=é' })
})
