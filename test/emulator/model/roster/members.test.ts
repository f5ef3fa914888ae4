import { expect, it } from 'vitest'
import { type Member, members, oneOfEach, rosterOf, statuses } from '../../support/roster.ts'
import { overHttp } from '../../support/service.ts'

const ada = 'ada@example.com'

const everyRole = ['owner', 'admin', 'developer', 'member'].map((role) => ({
  email: `${role}@example.com`,
  role: role as 'member',
  svc_id: `svc_${role}`,
}))

// Section 2.9

it('an id and a member_id belong to one member, and are the same for the same seed', async () => {
  const idsOf = async (seed: string) => {
    const { created } = await rosterOf(await overHttp({ seed })).added([ada, 'bob@example.com'])
    return created.map(({ id, member_id }) => [id, member_id])
  }

  const ids = await idsOf('one')

  expect(ids.map(([id]) => id)).toEqual([1, 2])
  for (const [, memberId] of ids) expect(memberId).toMatch(/^vmem_[\da-f]{24}$/)
  expect(new Set(ids.map(([, memberId]) => memberId)).size).toBe(2)
  expect(await idsOf('one')).toEqual(ids)
  expect(await idsOf('two')).not.toEqual(ids)
})

it('a listed member has the ten fields of a member, and none of an added one', async () => {
  const { list } = rosterOf(await overHttp({ members: everyRole }))

  const [member] = await list()

  expect(Object.keys(member ?? {}).sort()).toEqual([
    'active',
    'created_at',
    'email',
    'first_name',
    'id',
    'last_name',
    'member_id',
    'role',
    'status',
    'svc_id',
  ])
})

it('the roster starts with the members of the options, and reset restores them', async () => {
  const { added, emulator, list } = rosterOf(await overHttp({ members: oneOfEach }))
  const factsOf = ({ email, status, svc_id }: Member) => [email, status, svc_id !== null]
  const initial = [
    ['invited@example.com', 'invited', false],
    ['link_sent@example.com', 'link_sent', false],
    ['active@example.com', 'active', true],
    ['deactivated@example.com', 'deactivated', true],
  ]

  expect((await list()).map(factsOf)).toEqual(initial)
  expect(emulator.members.activationLink('link_sent@example.com')).toMatch(/^https?:/)
  await added(['new@example.com'])
  expect(await list()).toHaveLength(statuses.length + 1)
  emulator.reset()

  expect((await list()).map(factsOf)).toEqual(initial)
})

it('resolve ignores the case of an email, and prefers a known svc_id to a known email', async () => {
  const { resolve } = rosterOf(
    await overHttp({
      members: [
        { email: ada, svc_id: 'svc_ada' },
        { email: 'bob@example.com', svc_id: 'svc_bob' },
      ],
    }),
  )
  const emailBy = async (by: object) => (await resolve(by)).member?.email

  expect(await emailBy({ email: 'ADA@Example.com' })).toBe(ada)
  expect(await emailBy({ svc_id: 'svc_bob', email: ada })).toBe('bob@example.com')
  expect(await emailBy({ svc_id: 'svc_unknown', email: ada })).toBe(ada)
})

it.each([{}, { name: 'Ada' }, { email: '' }, { svc_id: null }])(
  'resolve rejects a body without svc_id and email with 400 missing_identifier: %j',
  async (by) => {
    const { post } = await overHttp()

    const { status, error } = await post(`${members}/resolve`, by)

    expect([status, error?.code]).toEqual([400, 'missing_identifier'])
  },
)

// Section 4.9: {member_id}

it('a member is found by vmem_ id, by email in any case and by svc_id, percent-encoded', async () => {
  const email = 'Ada+roster/1?#%@example.com'
  const { deactivate, invite, memberOf, reactivate, remove } = rosterOf(
    await overHttp({ members: [{ email, svc_id: 'svc/ada?#1' }] }),
  )
  const { member_id = '' } = (await memberOf(email)) ?? {}

  for (const id of [member_id, email, email.toLowerCase(), 'svc/ada?#1']) {
    expect((await deactivate(id)).data).toMatchObject({ member: { member_id, status: 'deactivated' } })
    expect((await reactivate(id)).data).toMatchObject({ member: { member_id, status: 'active' } })
    expect((await invite(id)).error?.code).toBe('already_active')
  }
  expect((await deactivate('SVC/ada?#1')).status).toBe(404)
  expect((await remove('svc/ada?#1', '?permanent=true')).data).toEqual({ member: null, removed: true })
})
