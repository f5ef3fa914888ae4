import { expect, it } from 'vitest'
import { rosterOf } from '../../support/roster.ts'
import { invalidGrant, sharedSignIn } from '../../support/sign-in.ts'

// Sections 2.9 and 3.3: logins of members of the organization

const email = 'ada@example.com'

const { codeFor, deactivate, emulator, exchange, added, reactivate, refresh, remove, tokensFor, verified } = rosterOf(
  await sharedSignIn({
    users: [
      { sub: 'user_ada', email: 'Ada@example.com' },
      { sub: 'user_bob', email: 'bob@example.com' },
      { sub: 'user_eve', email: 'eve@example.com' },
    ],
    members: [{ email }, { email: 'bob@example.com', status: 'link_sent' }],
  }),
)

const claimOf = async (user: string) => (await verified((await tokensFor({}, user)).id_token)).claims.svc_org_member_id

it.each([
  ['an invited member', 'user_bob'],
  ['a person who is not a member', 'user_eve'],
])('the id_token of %s has no svc_org_member_id', async (_, user) => {
  expect(await claimOf(user)).toBeUndefined()
})

it('the id_token has svc_org_member_id as soon as the member was activated', async () => {
  const { created } = await added(['eve@example.com'])
  const before = await claimOf('user_eve')

  emulator.members.activate('eve@example.com')

  expect(before).toBeUndefined()
  expect(await claimOf('user_eve')).toBe(created[0]?.member_id)
})

it.each<[what: string, end: () => Promise<unknown>]>([
  ['deactivated', () => deactivate(email)],
  ['removed', () => remove(email)],
  ['removed permanently', () => remove(email, '?permanent=true')],
])('the refresh tokens of a member who was %s are revoked, also after a reactivation', async (_, end) => {
  const [first, second] = [await tokensFor({}, 'user_ada'), await tokensFor({}, 'user_ada')]
  const other = await tokensFor({}, 'user_bob')

  await end()
  await reactivate(email)

  expect(await refresh(first.refresh_token)).toMatchObject(invalidGrant)
  expect(await refresh(second.refresh_token)).toMatchObject(invalidGrant)
  expect((await refresh(other.refresh_token)).status).toBe(200)
})

it('a code of a member who was deactivated before the exchange is revoked', async () => {
  const [code, other] = [codeFor({}, 'user_ada'), codeFor({}, 'user_bob')]

  await deactivate(email)

  expect(await exchange(code)).toMatchObject(invalidGrant)
  expect((await exchange(other)).status).toBe(200)
})

it('a member who was reactivated can sign in again', async () => {
  await deactivate(email)
  await reactivate(email)

  const { refresh_token } = await tokensFor({}, 'user_ada')

  expect((await refresh(refresh_token)).status).toBe(200)
})
