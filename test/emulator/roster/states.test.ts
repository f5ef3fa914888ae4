import { expect, it } from 'vitest'
import { emailOf, members, oneOfEach, rosterOf, statuses } from '../support/roster.ts'
import { inProcess } from '../support/service.ts'

// Sections 2.9, 3.3 and 4.9: the states of a member

const ada = 'ada@example.com'

/** A roster with a member of each status. */
const roster = () => rosterOf(inProcess({ members: oneOfEach }))

const aLink = expect.any(String)

it.each([
  ['face', true, 'face', null],
  ['face', false, 'face', aLink],
  ['auto', false, 'face', aLink],
  [undefined, undefined, 'face', null],
  ['email', true, 'email', null],
  ['email', false, 'none', null],
])(
  'a member who is added with invite %s and notify %s has the invite_method %s, and the link %s',
  async (invite, notify, invite_method, activation_link) => {
    const { add, emulator } = rosterOf(inProcess())

    const { data, status } = await add([ada], { invite, notify })

    expect(status).toBe(201)
    expect(data).toEqual({
      created: [
        {
          id: expect.any(Number),
          member_id: expect.stringMatching(/^vmem_[0-9a-f]{24}$/),
          first_name: null,
          last_name: null,
          email: ada,
          role: 'member',
          status: invite_method === 'face' ? 'link_sent' : expect.stringMatching(/^(?:invited|link_sent)$/),
          svc_id: null,
          active: false,
          created_at: expect.stringMatching(/T[\d:.]+(?:Z|[+-]\d\d:\d\d)$/),
          activation_link,
          invite_method,
        },
      ],
      skipped: [],
      notified: notify ?? true,
    })
    if (invite_method === 'face') expect(emulator.members.activationLink(ada)).toEqual(aLink)
  },
)

it('a new member has the names and the role of the request', async () => {
  const grace = { email: 'grace@example.com', first_name: 'Grace', last_name: 'Hopper', role: 'admin' }

  expect((await rosterOf(inProcess()).added([grace])).created).toMatchObject([grace])
})

it('adding a deactivated member again reactivates them instead of skipping them', async () => {
  const { created, skipped } = await roster().added([emailOf('deactivated')])

  expect(skipped).toEqual([])
  expect(created).toMatchObject([{ email: emailOf('deactivated'), reactivated: true }])
})

it.each([0, 1, 500, 501])('adds 1 to 500 members in one call: %i', async (count) => {
  const people = Array.from({ length: count }, (_, i) => `p${i}@example.com`)

  expect((await rosterOf(inProcess()).add(people)).status).toBe(count === 0 || count === 501 ? 400 : 201)
})

const gone = { status: 'deactivated', active: false }

const toDeactivate = statuses.flatMap((status) => [
  ['deactivate', status] as const,
  ['remove', status] as const,
])

it.each(toDeactivate)('%s deactivates a member who is %s, and keeps the row', async (act, status) => {
  const service = roster()
  const before = await service.memberOf(emailOf(status))

  const { data } = await service[act](emailOf(status))

  expect(before).toMatchObject({ status, active: status === 'active' })
  expect(data).toEqual({ member: { ...before, ...gone } })
  expect(await service.memberOf(emailOf(status))).toEqual({ ...before, ...gone })
})

it.each(statuses)('a permanent removal deletes the row of a member who is %s, once', async (status) => {
  const { memberOf, remove } = roster()
  const removePermanently = () => remove(emailOf(status), '?permanent=true')

  expect(await removePermanently()).toMatchObject({ status: 200, data: { member: null, removed: true } })
  expect(await memberOf(emailOf(status))).toBeNull()
  expect(await removePermanently()).toMatchObject({
    status: 200,
    data: { member: null, already_removed: true },
  })
})

it('a deactivated member is no seat, and is active again after a reactivation', async () => {
  const { deactivate, get, reactivate } = roster()
  const seats = async () => (await get<{ seats: number }>('/api/sdk/billing')).data.seats

  const before = await seats()
  await deactivate(emailOf('active'))
  const between = await seats()
  const { data } = await reactivate(emailOf('active'))

  expect([before, between, await seats()]).toEqual([1, 0, 1])
  expect(data.member).toMatchObject({ status: 'active', active: true })
})

it('a member whose identity is gone is invited after a reactivation', async () => {
  const { emulator, reactivate } = roster()
  emulator.members.removeIdentity(emailOf('deactivated'))

  const { data } = await reactivate(emailOf('deactivated'))

  expect(data.member).toMatchObject({ status: 'invited', svc_id: null })
})

it('a permanent removal keeps the account: the person has the same identity when added again', async () => {
  const { added, emulator, memberOf, remove } = roster()
  const before = await memberOf(emailOf('active'))
  await remove(emailOf('active'), '?permanent=true')
  await added([emailOf('active')])

  emulator.members.activate(emailOf('active'))

  expect((await memberOf(emailOf('active')))?.svc_id).toBe(before?.svc_id)
})

it('an invite returns the member, who is link_sent, and a link that supersedes the old one', async () => {
  const { emulator, invite } = roster()

  const [first, second] = [await invite(emailOf('invited')), await invite(emailOf('invited'))]

  for (const { data } of [first, second])
    expect(data).toMatchObject({ member: { status: 'link_sent' }, activation_link: aLink })
  expect(() => emulator.members.activate(first.data.activation_link)).toThrow()
  expect(emulator.members.activate(second.data.activation_link)).toMatchObject({
    status: 'active',
    svc_id: aLink,
  })
})

it.each([
  ['deactivate', 'unknown@example.com', 404, 'not_found'],
  ['reactivate', 'unknown@example.com', 404, 'not_found'],
  ['invite', 'unknown@example.com', 404, 'not_found'],
  ['invite', emailOf('active'), 409, 'already_active'],
  ['invite', emailOf('deactivated'), 409, 'deactivated'],
] as const)('%s of %s is %i %s', async (method, id, expected, code) => {
  const { error, status } = await roster()[method](id)

  expect([status, error?.code]).toEqual([expected, code])
})

it('the list has the organization, and the role member only, but resolve finds any role', async () => {
  const roles = ['owner', 'admin', 'developer', 'member'] as const
  const everyRole = roles.map((role) => ({ email: `${role}@example.com`, role }))
  const { get, resolve } = rosterOf(inProcess({ members: everyRole, org: { name: 'Engines' } }))

  expect((await get(members)).data).toEqual({
    members: [expect.objectContaining({ role: 'member' })],
    organization: { id: expect.anything(), name: 'Engines' },
  })
  for (const { email, role } of everyRole)
    expect(await resolve({ email })).toMatchObject({ found: true, member: { role } })
})
