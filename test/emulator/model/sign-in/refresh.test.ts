import { expect, it } from 'vitest'
import { start } from '../../support/service.ts'
import { invalidGrant, sharedSignIn } from '../../support/sign-in.ts'

// Section 4.7: rotation of refresh tokens

const { emulator, refresh, tokensFor, verified } = await sharedSignIn({
  users: [{ sub: 'user_ada' }, { sub: 'user_bob' }],
})

const now = start.getTime() / 1000

it('returns new tokens for the same person, with the scope of the sign-in and without its nonce', async () => {
  const first = await tokensFor({ scope: 'openid profile', nonce: 'nonce_1' }, 'user_bob')
  await emulator.clock.advance(600_000)

  const { status, body } = await refresh(first.refresh_token)

  expect(status).toBe(200)
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'openid profile' })
  expect(body.refresh_token).not.toBe(first.refresh_token)
  expect(body.access_token).not.toBe(first.access_token)
  for (const token of [body.access_token, body.id_token])
    expect((await verified(token)).claims).toMatchObject({
      sub: 'user_bob',
      iat: now + 600,
      exp: now + 1500,
    })
  expect((await verified(body.id_token)).claims).not.toHaveProperty('nonce')
  expect((await refresh(body.refresh_token)).status).toBe(200)
})

it('accepts one of two concurrent refreshes, and revokes its tokens because of the other', async () => {
  const { refresh_token } = await tokensFor()

  const both = await Promise.all([refresh(refresh_token), refresh(refresh_token)])

  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  const accepted = both.find(({ status }) => status === 200)
  expect(await refresh(accepted?.body.refresh_token)).toMatchObject(invalidGrant)
})

it('rejects a wrong client secret with 401 invalid_client, and does not use up the token', async () => {
  const { refresh_token } = await tokensFor()

  const { status, body } = await refresh(refresh_token, { client_secret: 'guess' })

  expect([status, body.error]).toEqual([401, 'invalid_client'])
  expect((await refresh(refresh_token)).status).toBe(200)
})

it('a reset of the emulator ends refresh tokens', async () => {
  const { refresh_token } = await tokensFor()

  emulator.reset()

  expect(await refresh(refresh_token)).toMatchObject(invalidGrant)
})
