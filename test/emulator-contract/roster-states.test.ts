import { expect, it } from 'vitest'
import { listening, type Service } from './over-http.ts'

interface Member {
  readonly member_id: string
  readonly status: string
  readonly svc_id: string | null
  readonly active: boolean
}

interface Invited {
  readonly member: Member
  readonly activation_link: string
}

const statuses = ['invited', 'link_sent', 'active', 'deactivated'] as const

/** One member of each status, whose email says which. */
const roster = () =>
  listening({ members: statuses.map((status) => ({ email: `${status}@example.com`, status })) })

const pathOf = (ref: string, action = '') => `/api/sdk/members/${encodeURIComponent(ref)}${action}`

const memberOf = async ({ post }: Service, email: string) =>
  (await post<{ member: Member | null }>('/api/sdk/members/resolve', { email })).data.member

// Section 2.9
it('active is the same as the status active', async () => {
  const service = await roster()

  for (const status of statuses)
    expect(await memberOf(service, `${status}@example.com`)).toMatchObject({
      status,
      active: status === 'active',
    })
})

// Sections 3.3 and 4.9

it.each(statuses)('deactivates a member who is %s, and keeps the row and the identity', async (status) => {
  const service = await roster()
  const before = await memberOf(service, `${status}@example.com`)

  const answer = await service.patch<{ member: Member }>(pathOf(`${status}@example.com`, '/deactivate'))

  expect(answer.status).toBe(200)
  const deactivated = { ...before, status: 'deactivated', active: false }
  expect(answer.data).toEqual({ member: deactivated })
  expect(await memberOf(service, `${status}@example.com`)).toEqual(deactivated)
})

it('reactivates a deactivated member whose identity exists: active', async () => {
  const service = await roster()

  const { status, data } = await service.patch(pathOf('deactivated@example.com', '/reactivate'))

  expect(status).toBe(200)
  expect(data).toEqual({ member: expect.objectContaining({ status: 'active', active: true }) })
})

it('reactivates a deactivated member whose identity is gone: invited, without an svc_id', async () => {
  const service = await roster()
  service.emulator.members.removeIdentity('deactivated@example.com')

  const { status, data } = await service.patch(pathOf('deactivated@example.com', '/reactivate'))

  expect(status).toBe(200)
  expect(data).toEqual({
    member: expect.objectContaining({ status: 'invited', active: false, svc_id: null }),
  })
})

it('adding a deactivated member again brings them back instead of skipping them', async () => {
  const service = await roster()
  const before = await memberOf(service, 'deactivated@example.com')

  const { data } = await service.post('/api/sdk/members', {
    members: [{ email: 'deactivated@example.com' }, { email: 'new@example.com' }],
  })

  expect(data).toMatchObject({
    created: [{ member_id: before?.member_id, reactivated: true }, { email: 'new@example.com' }],
    skipped: [],
  })
  expect((data as { created: object[] }).created[1]).not.toHaveProperty('reactivated')
  expect((await memberOf(service, 'deactivated@example.com'))?.status).not.toBe('deactivated')
})

it.each(statuses)('removing a member who is %s deactivates them', async (status) => {
  const service = await roster()

  for (const query of ['', '?permanent=false']) {
    const answer = await service.call('DELETE', pathOf(`${status}@example.com`) + query)
    expect(answer.status).toBe(200)
    expect(answer.data).toMatchObject({ member: { status: 'deactivated', active: false } })
  }
})

it.each(statuses)('removing a member who is %s permanently deletes the row, once', async (status) => {
  const service = await roster()
  const remove = () => service.call('DELETE', `${pathOf(`${status}@example.com`)}?permanent=true`)

  const [first, second] = [await remove(), await remove()]
  const later = await service.call('DELETE', pathOf(`${status}@example.com`))

  expect([first.status, first.data]).toEqual([200, { member: null, removed: true }])
  expect([second.status, second.data]).toEqual([200, { member: null, already_removed: true }])
  expect([later.status, later.data]).toEqual([200, { member: null, already_removed: true }])
  expect(await memberOf(service, `${status}@example.com`)).toBeNull()
})

it('a permanent removal deletes no account: who is added anew is another member with the same identity', async () => {
  const service = await roster()
  const before = await memberOf(service, 'active@example.com')
  await service.call('DELETE', `${pathOf('active@example.com')}?permanent=true`)

  const { data } = await service.post<{ created: Member[] }>('/api/sdk/members', {
    members: [{ email: 'active@example.com' }],
  })
  service.emulator.members.activate('active@example.com')

  expect(data.created).toHaveLength(1)
  expect(data.created[0]).not.toHaveProperty('reactivated')
  const after = await memberOf(service, 'active@example.com')
  expect(after).toMatchObject({ status: 'active', svc_id: before?.svc_id })
  expect(after?.member_id).not.toBe(before?.member_id)
})

it.each(['invited', 'link_sent'])(
  'invites a member who is %s again: a new link, which supersedes the old',
  async (status) => {
    const service = await roster()
    const invite = () => service.call<Invited>('POST', pathOf(`${status}@example.com`, '/invite'))

    const [first, second] = [await invite(), await invite()]

    expect(first.status).toBe(200)
    expect(first.data).toEqual({
      member: expect.objectContaining({ status: 'link_sent' }),
      activation_link: expect.stringMatching(/^https?:\/\//),
    })
    expect(second.data.activation_link).not.toBe(first.data.activation_link)
    expect(() => service.emulator.members.activate(first.data.activation_link)).toThrow()
    service.emulator.members.activate(second.data.activation_link)
    expect((await memberOf(service, `${status}@example.com`))?.status).toBe('active')
  },
)

it.each([
  ['active', 'already_active'],
  ['deactivated', 'deactivated'],
])('an invite of a member who is %s is 409 %s', async (status, code) => {
  const service = await roster()

  const answer = await service.call('POST', pathOf(`${status}@example.com`, '/invite'))

  expect([answer.status, answer.error?.code]).toEqual([409, code])
  expect((await memberOf(service, `${status}@example.com`))?.status).toBe(status)
})

it.each([
  ['PATCH', '/deactivate'],
  ['PATCH', '/reactivate'],
  ['POST', '/invite'],
])('%s %s of somebody unknown is 404 not_found', async (method, action) => {
  const { call } = await roster()

  for (const ref of ['vmem_0123456789abcdef01234567', 'nobody@example.com', 'svc_nobody']) {
    const { status, error } = await call(method, pathOf(ref, action))
    expect([status, error?.code]).toEqual([404, 'not_found'])
  }
})

it('a member is named by vmem_ id, by email or by svc_id, percent-encoded', async () => {
  const email = 'ada+roster/1?#%@example.com'
  const service = await listening({ members: [{ email, svc_id: 'svc_ada' }] })
  const { member_id = '' } = (await memberOf(service, email)) ?? {}

  for (const ref of [member_id, email, 'svc_ada']) {
    const deactivated = await service.patch(pathOf(ref, '/deactivate'))
    expect(deactivated.data).toMatchObject({ member: { member_id, status: 'deactivated' } })
    expect((await service.patch(pathOf(ref, '/reactivate'))).data).toMatchObject({
      member: { status: 'active' },
    })
    expect((await service.call('POST', pathOf(ref, '/invite'))).error?.code).toBe('already_active')
  }
  expect((await service.call('DELETE', `${pathOf('svc_ada')}?permanent=true`)).data).toEqual({
    member: null,
    removed: true,
  })
})
