import { expect, it } from 'vitest'
import { emailOf, members, oneOfEach, rosterOf } from '../../support/roster.ts'
import { inProcess } from '../../support/service.ts'

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

it.each([0, 1, 500, 501])('adds 1 to 500 members in one call: %i', async (count) => {
  const people = Array.from({ length: count }, (_, i) => `p${i}@example.com`)

  expect((await rosterOf(inProcess()).add(people)).status).toBe(count === 0 || count === 501 ? 400 : 201)
})

it('a permanent removal keeps the account: the person has the same identity when added again', async () => {
  const { added, emulator, memberOf, remove } = roster()
  const before = await memberOf(emailOf('active'))
  await remove(emailOf('active'), '?permanent=true')
  await added([emailOf('active')])

  emulator.members.activate(emailOf('active'))

  expect((await memberOf(emailOf('active')))?.svc_id).toBe(before?.svc_id)
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

it('a deactivated member is active again if they have an identity, or else invited', async () => {
  const { deactivate, emulator, reactivate } = roster()
  const statusAfter = async (request: typeof deactivate, email: string) => (await request(email)).data.member.status
  const email = emailOf('active')

  expect(await statusAfter(deactivate, email)).toBe('deactivated')
  expect(await statusAfter(reactivate, email)).toBe('active')
  await deactivate(email)
  emulator.members.removeIdentity(email)
  expect(await statusAfter(reactivate, email)).toBe('invited')
})

it('an invite replaces the link, with which the person becomes active', async () => {
  const { emulator, invite } = roster()
  const email = emailOf('link_sent')
  const first = emulator.members.activationLink(email) as string

  const { data } = await invite(email)

  expect(data).toMatchObject({ member: { status: 'link_sent' }, activation_link: aLink })
  expect(() => emulator.members.activate(first)).toThrow()
  expect(emulator.members.activate(data.activation_link)).toMatchObject({ status: 'active', active: true })
})

it('removal deactivates, or deletes, and succeeds for a member who is gone', async () => {
  const { memberOf, remove } = roster()
  const [active, invited] = [emailOf('active'), emailOf('invited')]

  expect((await remove(active)).data).toMatchObject({ member: { status: 'deactivated', active: false } })
  expect((await remove(invited, '?permanent=true')).data).toEqual({ member: null, removed: true })
  expect(await memberOf(invited)).toBeNull()
  expect((await remove(invited)).data).toEqual({ member: null, already_removed: true })
})

it('a request for a member that does not exist, or whose status does not allow it, is rejected', async () => {
  const { deactivate, invite, reactivate } = roster()
  const codeOf = async (request: typeof invite | typeof deactivate, id: string) => {
    const { error, status } = await request(id)
    return [status, error?.code]
  }

  for (const request of [invite, deactivate, reactivate])
    expect(await codeOf(request, 'unknown@example.com')).toEqual([404, 'not_found'])
  expect(await codeOf(invite, emailOf('active'))).toEqual([409, 'already_active'])
  expect(await codeOf(invite, emailOf('deactivated'))).toEqual([409, 'deactivated'])
})
