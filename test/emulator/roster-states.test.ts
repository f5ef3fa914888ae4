import { expect, it } from 'vitest'
import { EmulatorError } from '../../src/emulator.ts'
import { oneOfEach, organization } from './organization.ts'

const link = expect.stringMatching(/^https:\/\/identity\.example\/activate\/[\da-f]{24}$/)

it.each([
  ['auto', true, 'link_sent', 'face', null],
  ['auto', false, 'link_sent', 'face', link],
  ['face', true, 'link_sent', 'face', null],
  ['face', false, 'link_sent', 'face', link],
  ['email', true, 'invited', 'email', null],
  ['email', false, 'invited', 'none', null],
])('an invite by %s with notify %s', async (invite, notify, status, method, activationLink) => {
  const { add } = organization()

  const result = await add(['ada@example.com'], { invite, notify })

  expect(result).toMatchObject({
    created: [
      { status, invite_method: method, activation_link: activationLink, svc_id: null, active: false },
    ],
    skipped: [],
    notified: notify,
  })
  expect(result.created[0]).not.toHaveProperty('reactivated')
})

it('an option returns the link although it was emailed', async () => {
  const { add } = organization({ org: { activationLinks: 'always' } })
  expect((await add(['ada@example.com'])).created[0]?.activation_link).toEqual(link)
})

it('a link that was not returned is the one that was emailed', async () => {
  const { emulator, add } = organization()
  await add(['ada@example.com'])
  const emailed = emulator.members.activationLink('ada@example.com')
  expect(emulator.members.activate(emailed as string)).toMatchObject({ email: 'ada@example.com' })
})

it('keeps names and role as they were told, and the role member otherwise', async () => {
  const { add } = organization()
  const { created } = await add([
    { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', role: 'developer' },
    { email: 'bob@example.com' },
  ])
  expect(created).toMatchObject([
    { first_name: 'Ada', last_name: 'Lovelace', role: 'developer' },
    { first_name: null, last_name: null, role: 'member' },
  ])
})

it('skips who is there already, in any case and within one call', async () => {
  const { add, list } = organization({ members: oneOfEach })

  const { created, skipped } = await add(
    ['Active@Example.com', 'invited@example.com', 'link_sent@example.com', 'ada@x.y', 'ADA@x.y'],
    { notify: false },
  )

  expect(created.map(({ email }) => email)).toEqual(['ada@x.y'])
  expect(skipped).toEqual(
    ['Active@Example.com', 'invited@example.com', 'link_sent@example.com', 'ADA@x.y'].map((email) => ({
      email,
      reason: 'duplicate',
    })),
  )
  expect(await list()).toHaveLength(5)
})

it('tells that nobody was notified where all were skipped', async () => {
  const { add } = organization({ members: oneOfEach })
  expect(await add(['active@example.com'])).toMatchObject({ created: [], notified: false })
})

it('adding a deactivated member brings the same one back, active where the identity exists', async () => {
  const { add, list, deactivate } = organization({ members: oneOfEach })
  const [before] = (await list()).slice(3)

  const { created, skipped } = await add([{ email: 'Deactivated@example.com', first_name: 'Dee' }])

  expect(skipped).toEqual([])
  expect(created).toEqual([
    {
      ...before,
      first_name: 'Dee',
      status: 'active',
      active: true,
      reactivated: true,
      activation_link: null,
      invite_method: 'none',
    },
  ])
  await deactivate('deactivated@example.com')
  const twice = await add(['deactivated@example.com', 'deactivated@example.com'])
  expect([twice.created.length, twice.skipped.length]).toEqual([1, 1])
})

it('adding a deactivated member without an identity invites them anew', async () => {
  const { emulator, add } = organization({ members: oneOfEach })
  emulator.members.removeIdentity('deactivated@example.com')

  const { created } = await add(['deactivated@example.com'], { notify: false })

  expect(created).toMatchObject([{ status: 'link_sent', reactivated: true, activation_link: link }])
})

it('each status can be deactivated, and the row stays', async () => {
  const { deactivate, list, member } = organization({ members: oneOfEach })

  for (const { email } of oneOfEach)
    expect(member(await deactivate(email))).toMatchObject({ email, status: 'deactivated', active: false })

  expect(await list()).toHaveLength(4)
})

it('a link from before the deactivation does not count after it', async () => {
  const { emulator, deactivate, reactivate } = organization({ members: oneOfEach })
  const emailed = emulator.members.activationLink('link_sent@example.com') as string

  await deactivate('link_sent@example.com')
  await reactivate('link_sent@example.com')

  expect(emulator.members.activationLink('link_sent@example.com')).toBeNull()
  expect(() => emulator.members.activate(emailed)).toThrow(EmulatorError)
})

it('deactivation ends the activation link and keeps the identity', async () => {
  const { emulator, deactivate, list } = organization({ members: oneOfEach })
  const emailed = emulator.members.activationLink('link_sent@example.com') as string
  const [, , { svc_id } = {}] = await list()

  await deactivate('link_sent@example.com')
  await deactivate('active@example.com')

  expect(() => emulator.members.activate(emailed)).toThrow(EmulatorError)
  expect((await list())[2]?.svc_id).toBe(svc_id)
})

it.each([
  ['with an identity', false, 'active'],
  ['whose identity is gone', true, 'invited'],
])('reactivates one %s', async (_, isGone, status) => {
  const { emulator, reactivate, member } = organization({ members: oneOfEach })
  if (isGone) emulator.members.removeIdentity('deactivated@example.com')

  const back = member(await reactivate('deactivated@example.com'))

  expect(back).toMatchObject({ status, active: !isGone })
  expect(back.svc_id === null).toBe(isGone)
})

it('reactivates one who never connected an identity as invited', async () => {
  const { deactivate, reactivate, member } = organization({ members: oneOfEach })
  await deactivate('link_sent@example.com')
  expect(member(await reactivate('link_sent@example.com'))).toMatchObject({ status: 'invited' })
})

it('leaves one who is not deactivated as they are', async () => {
  const { reactivate, member } = organization({ members: oneOfEach })
  for (const { email, status } of oneOfEach.slice(0, 3))
    expect(member(await reactivate(email))).toMatchObject({ status })
})

it('removes by deactivating, for good when asked, and not twice', async () => {
  const { remove, list } = organization({ members: oneOfEach })
  const id = 'active@example.com'
  const removed = async (query?: string) => {
    const { status, data } = await remove(id, query)
    return { status, data }
  }

  const deactivated = { status: 200, data: { member: { email: id, status: 'deactivated' } } }
  expect(await removed()).toMatchObject(deactivated)
  expect(await removed('?permanent=false')).toMatchObject(deactivated)
  expect(await removed('?permanent=true')).toEqual({ status: 200, data: { member: null, removed: true } })
  expect((await list()).map(({ email }) => email)).not.toContain(id)
  for (const query of ['', '?permanent=true'])
    expect(await removed(query)).toEqual({ status: 200, data: { member: null, already_removed: true } })
})

it('one who was removed for good and comes back is somebody new with the same identity', async () => {
  const { emulator, add, remove, list } = organization({ members: oneOfEach })
  const [, , before] = await list()
  await remove('active@example.com', '?permanent=true')

  const [added] = (await add(['active@example.com'])).created
  const back = emulator.members.activate('active@example.com')

  expect(added).toMatchObject({ status: 'link_sent', svc_id: null })
  expect(added).not.toHaveProperty('reactivated')
  expect(back.member_id).not.toBe(before?.member_id)
  expect(back.svc_id).toBe(before?.svc_id)
})

it('refuses a removal whose permanent is neither true nor false', async () => {
  const { remove } = organization({ members: oneOfEach })
  expect(await remove('active@example.com', '?permanent=maybe')).toMatchObject({
    status: 400,
    error: { code: 'invalid_request' },
    data: { errors: { permanent: expect.any(String) } },
  })
})

it('an invite gives a new link that supersedes the old one', async () => {
  const { emulator, add, invite } = organization()
  const { created } = await add(['ada@example.com'], { notify: false })
  const old = created[0]?.activation_link as string

  const { status, data } = await invite('ada@example.com')

  const { activation_link } = data as { activation_link: string }
  expect(status).toBe(200)
  expect(data).toMatchObject({ member: { status: 'link_sent' }, activation_link: link })
  expect(activation_link).not.toBe(old)
  expect(() => emulator.members.activate(old)).toThrow(EmulatorError)
  expect(emulator.members.activate(activation_link)).toMatchObject({ status: 'active' })
})

it('an invited member gets a link, and an active or deactivated one a 409', async () => {
  const { invite } = organization({ members: oneOfEach })

  expect(await invite('invited@example.com')).toMatchObject({
    status: 200,
    data: { member: { status: 'link_sent' } },
  })
  expect(await invite('active@example.com')).toMatchObject({ status: 409, error: { code: 'already_active' } })
  expect(await invite('deactivated@example.com')).toMatchObject({
    status: 409,
    error: { code: 'deactivated' },
  })
})

it('knows a member by vmem_ id, by email in any case, and by svc_id', async () => {
  const { deactivate, list, member } = organization({
    members: [{ email: 'Ada+x@example.com', svc_id: 'svc/ada?#1' }],
  })
  const [ada] = await list()

  for (const id of [ada?.member_id, 'Ada+x@example.com', 'ada+X@EXAMPLE.com', 'svc/ada?#1'])
    expect(member(await deactivate(id as string))).toMatchObject({ email: 'Ada+x@example.com' })
  expect(await deactivate('SVC/ada?#1')).toMatchObject({ status: 404 })
})

it('answers 404 not_found for somebody unknown', async () => {
  const { deactivate, reactivate, invite } = organization()
  for (const call of [deactivate, reactivate, invite])
    expect(await call('vmem_000000000000000000000000')).toMatchObject({
      status: 404,
      error: { code: 'not_found' },
    })
})

it('activates by id, and refuses what cannot be activated', () => {
  const { emulator } = organization({ members: oneOfEach })

  const active = emulator.members.activate('invited@example.com')

  expect(active).toMatchObject({ status: 'active', active: true, svc_id: expect.stringMatching(/^svc_/) })
  for (const id of ['active@example.com', 'deactivated@example.com', 'nobody@example.com'])
    expect(() => emulator.members.activate(id)).toThrow(EmulatorError)
  expect(() => emulator.members.activationLink('nobody@example.com')).toThrow(EmulatorError)
  expect(() => emulator.members.removeIdentity('nobody@example.com')).toThrow(EmulatorError)
  expect(emulator.members.activationLink('invited@example.com')).toBeNull()
})
