import { expect, expectTypeOf } from 'vitest'
import type {
  AddParams,
  BillingSummary,
  Member,
  MemberRole,
  NewMember,
  ResolveParams,
} from '../../src/org.ts'
import { emailOf, members, oneOfEach, rosterOf, statuses } from '../emulator/support/roster.ts'
import { inProcess } from '../emulator/support/service.ts'
import { signInAt } from '../emulator/support/sign-in.ts'
import { aBill, aMember, rosterOperations } from '../support/roster-operations.ts'
import { ok } from '../support/scripted-service.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { documentedCalls, otherThan } from './documented-calls.ts'
import { statement, statements } from './statement.ts'

// The organization API: sections 2.9, 2.10, 3.3 and 4.9 of the contract.

const { service, received, rejected, failed, sent, strictClients } = documentedCalls()

const ada = 'ada@example.com'
const roles = ['owner', 'admin', 'developer', 'member'] as const
const vmemId = /^vmem_[0-9a-f]{24}$/

/** A roster with a member of each status. */
const roster = (options: object = {}) => rosterOf(inProcess({ members: oneOfEach, ...options }))

/** A roster whose active member can sign in. */
const signedInMember = () => signInAt(roster({ users: [{ sub: 'user_1', email: emailOf('active') }] }))

const list = (member: object) => ({ members: [member], organization: { id: 3, name: 'Engines' } })

const bill = async (billing: object = {}, people: object = {}) =>
  (await inProcess({ org: { billing }, ...people }).get<BillingSummary>('/api/sdk/billing')).data

// 2.9, members

statements(
  '2.9',
  [
    ['id', 'number', 8],
    ['member_id', 'string', 'vmem_aaaaaaaaaaaaaaaaaaaaaaaa'],
    ['first_name', 'string', 'Grace'],
    ['last_name', 'string', 'Hopper'],
    ['email', 'string', 'grace@example.com'],
    ['role', 'string', 'member'],
    ['status', 'string', 'active'],
    ['svc_id', 'string', 'svc_2'],
    ['active', 'boolean', true],
    ['created_at', 'string', '2026-01-01T09:30:00+02:00'],
  ],
  (field, type) =>
    `a member has ${field}, and a value that is not of type ${type} is rejected in strict mode`,
  async (field, type, value) => {
    const data = list(aMember({ [field]: value }))

    expect(await received('members.list', data)).toEqual(data)
    expect(await rejected('members.list', list(aMember({ [field]: otherThan[type] })))).toMatchObject({
      code: 'invalid_response',
      message: expect.stringContaining(field),
    })
    expect(await roster().memberOf(emailOf('active'))).toHaveProperty(field)
    expectTypeOf<(typeof field)[]>().toExtend<(keyof Member)[]>()
  },
)

statement('2.9', 'the id of a member is an integer', async () => {
  expect((await roster().memberOf(emailOf('active')))?.id).toSatisfy(Number.isInteger)
  expect(await rejected('members.list', list(aMember({ id: 1.5 })))).toMatchObject({
    code: 'invalid_response',
  })
})

statement('2.9', 'a member_id is vmem_ and 24 hex digits', async () => {
  expect((await roster().memberOf(emailOf('active')))?.member_id).toMatch(vmemId)
})

statement('2.9', 'a member_id is stable', async () => {
  const { deactivate, memberOf } = roster()
  const before = await memberOf(emailOf('active'))

  await deactivate(emailOf('active'))

  expect((await memberOf(emailOf('active')))?.member_id).toBe(before?.member_id)
})

statement('2.9', 'a member_id equals the login claim svc_org_member_id', async () => {
  const { memberOf, tokensFor, verified } = signedInMember()

  const { claims } = await verified((await tokensFor()).id_token)

  expect(claims.svc_org_member_id).toBe((await memberOf(emailOf('active')))?.member_id)
})

statements(
  '2.9',
  roles.map((role) => [role] as const),
  (role) => `${role} is a role of a member`,
  async (role) => {
    const { created } = await rosterOf(inProcess()).added([{ email: ada, role }])

    expect(created).toMatchObject([{ role }])
    expect(await received('members.resolve', { found: true, member: aMember({ role }) })).toMatchObject({
      member: { role },
    })
    expectTypeOf<(typeof roles)[number]>().toExtend<MemberRole>()
  },
)

statements(
  '2.9',
  statuses.map((status) => [status] as const),
  (status) => `${status} is a status of a member`,
  async (status) => {
    const data = list(aMember({ status }))

    expect(await received('members.list', data)).toEqual(data)
    expect((await roster().memberOf(emailOf(status)))?.status).toBe(status)
  },
)

statement('2.9', 'svc_id is null until the member connects their identity', async () => {
  const { added, emulator, memberOf } = rosterOf(inProcess())
  await added([ada])

  expect((await memberOf(ada))?.svc_id).toBeNull()
  emulator.members.activate(ada)
  expect((await memberOf(ada))?.svc_id).toEqual(expect.any(String))
  expectTypeOf<Member['svc_id']>().toEqualTypeOf<string | null>()
})

statements(
  '2.9',
  statuses.map((status) => [status] as const),
  (status) => `a member who is ${status} has active ${status === 'active'}`,
  async (status) => {
    expect((await roster().memberOf(emailOf(status)))?.active).toBe(status === 'active')
  },
)

statement('2.9', 'created_at is ISO 8601 with an offset', async () => {
  expect((await roster().memberOf(emailOf('active')))?.created_at).toMatch(
    /T[\d:]+(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  )
})

const added = (over: object) => ({
  created: [
    {
      ...aMember({ status: 'link_sent', active: false, svc_id: null }),
      activation_link: null,
      invite_method: 'email',
      ...over,
    },
  ],
  skipped: [],
  notified: true,
})

statements(
  '2.9',
  [
    ['activation_link', 'https://console.example.test/activate/a'],
    ['activation_link', null],
    ['invite_method', 'face'],
    ['invite_method', 'email'],
    ['invite_method', 'none'],
    ['reactivated', true],
  ],
  (field, value) => `an added member may have ${field} ${value === null ? 'null' : value}`,
  async (field, value) => {
    const data = added({ [field]: value })

    expect(await received('members.add', data)).toEqual(data)
  },
)

statement('2.9', 'reactivated is optional', async () => {
  expect(await received('members.add', added({}))).toEqual(added({}))
})

// 2.10, billing

const subscription = aBill().subscription

statements(
  '2.10',
  [
    ['plan', 'growth'],
    ['status', 'past_due'],
    ['price_per_seat', 12.5],
    ['in_trial', true],
    ['trial_ends_at', '2026-03-01T00:00:00Z'],
    ['current_period_end', '2026-04-01T00:00:00Z'],
  ],
  (field) => `a subscription has ${field}`,
  async (field, value) => {
    const data = aBill({ subscription: { ...subscription, [field]: value } })

    expect(await received('billing.retrieve', data)).toEqual(data)
    expect((await bill()).subscription).toHaveProperty(field)
  },
)

statements(
  '2.10',
  [
    ['price_per_seat', 'number'],
    ['in_trial', 'boolean'],
  ],
  (field, type) => `the ${field} of a subscription is a ${type}`,
  async (field, type) => {
    const data = aBill({ subscription: { ...subscription, [field]: otherThan[type] } })

    expect(await rejected('billing.retrieve', data)).toMatchObject({ code: 'invalid_response' })
  },
)

statement('2.10', 'the subscription is null before a plan exists', async () => {
  expect((await bill({ plan: null })).subscription).toBeNull()
  expect(await received('billing.retrieve', aBill({ subscription: null }))).toEqual(
    aBill({ subscription: null }),
  )
})

statements(
  '2.10',
  [
    ['seats', 'number', 7],
    ['estimated_next_charge', 'number', 34.965],
    ['currency', 'string', 'USD'],
    ['balance', 'number', -1.25],
    ['invoices', 'array', []],
  ],
  (field, type) => `the billing summary has ${field}, of type ${type}`,
  async (field, type, value) => {
    const data = aBill({ [field]: value })

    expect(await received('billing.retrieve', data)).toEqual(data)
    expect(await rejected('billing.retrieve', aBill({ [field]: otherThan[type] }))).toMatchObject({
      code: 'invalid_response',
    })
  },
)

statement('2.10', 'seats is the number of active members', async () => {
  expect((await bill({}, { members: oneOfEach })).seats).toBe(1)
})

statement('2.10', 'the next charge is seats times price_per_seat, unrounded', async () => {
  const members = [1, 2, 3].map((i) => ({ email: `p${i}@example.com` }))

  expect((await bill({ pricePerSeat: 0.335 }, { members })).estimated_next_charge).toBe(0.335 * 3)
})

const invoice = { period: '2026-02', seats: 2, amount: 25, created_at: '2026-03-01T00:00:00Z' }

statements(
  '2.10',
  [
    ['period', '2025-11'],
    ['seats', 9],
    ['amount', 44.955],
    ['created_at', '2025-12-01T00:00:00Z'],
  ],
  (field) => `an invoice has ${field}`,
  async (field, value) => {
    const data = aBill({ invoices: [{ ...invoice, [field]: value }] })

    expect(await received('billing.retrieve', data)).toEqual(data)
    expect((await bill({ invoices: [invoice] })).invoices[0]).toHaveProperty(field)
  },
)

statements(
  '2.10',
  [
    ['period', 'string'],
    ['seats', 'number'],
    ['amount', 'number'],
  ],
  (field, type) => `the ${field} of an invoice is a ${type}`,
  async (field, type) => {
    const data = aBill({ invoices: [{ ...invoice, [field]: otherThan[type] }] })

    expect(await rejected('billing.retrieve', data)).toMatchObject({ code: 'invalid_response' })
  },
)

// 3.3, states of members

statement('3.3', 'a face invite makes a new member link_sent, with an activation link', async () => {
  const { added, emulator } = rosterOf(inProcess())

  const { created } = await added([ada], { invite: 'face' })

  expect(created).toMatchObject([{ status: 'link_sent' }])
  expect(emulator.members.activationLink(ada)).toEqual(expect.any(String))
})

statements(
  '3.3',
  [
    [true, null],
    [false, expect.any(String)],
  ],
  (notify) => `with notify ${notify}, the link of a face invite is ${notify ? 'not returned' : 'returned'}`,
  async (notify, activation_link) => {
    const { created } = await rosterOf(inProcess()).added([ada], { invite: 'face', notify })

    expect(created).toMatchObject([{ activation_link }])
  },
)

statements(
  '3.3',
  [[true], [false]],
  (notify) => `the link of an email invite is never returned, with notify ${notify}`,
  async (notify) => {
    const { created } = await rosterOf(inProcess()).added([ada], { invite: 'email', notify })

    expect(created[0]?.activation_link).toBeNull()
    expect(['invited', 'link_sent']).toContain(created[0]?.status)
  },
)

statement('3.3', 'adding a deactivated member again reactivates them instead of skipping them', async () => {
  const { created, skipped } = await roster().added([emailOf('deactivated')])

  expect(skipped).toEqual([])
  expect(created).toMatchObject([{ email: emailOf('deactivated'), reactivated: true }])
})

statements(
  '3.3',
  statuses.map((status) => [status] as const),
  (status) => `deactivating a member who is ${status} makes them deactivated`,
  async (status) => {
    expect((await roster().deactivate(emailOf(status))).data.member).toMatchObject({
      status: 'deactivated',
      active: false,
    })
  },
)

statement('3.3', 'a deactivated member is not a seat, so billing stops', async () => {
  const { deactivate, get } = roster()
  await deactivate(emailOf('active'))

  expect((await get('/api/sdk/billing')).data).toMatchObject({ seats: 0, estimated_next_charge: 0 })
})

statement('3.3', 'a deactivated member is kept on the roster', async () => {
  const { deactivate, memberOf } = roster()
  await deactivate(emailOf('active'))

  expect(await memberOf(emailOf('active'))).toMatchObject({ status: 'deactivated' })
})

statement('3.3', 'deactivation deletes no identity, so reactivation makes the member active', async () => {
  const { deactivate, reactivate } = roster()
  await deactivate(emailOf('active'))

  expect((await reactivate(emailOf('active'))).data.member).toMatchObject({ status: 'active', active: true })
})

statement('3.3', 'deactivation revokes the logins of the member', async () => {
  const { deactivate, refresh, tokensFor } = signedInMember()
  const { refresh_token } = await tokensFor()

  await deactivate(emailOf('active'))

  expect(await refresh(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

statement('3.3', 'reactivating a member whose identity is gone makes them invited', async () => {
  const { emulator, reactivate } = roster()
  emulator.members.removeIdentity(emailOf('deactivated'))

  expect((await reactivate(emailOf('deactivated'))).data.member).toMatchObject({
    status: 'invited',
    svc_id: null,
  })
})

statements(
  '3.3',
  statuses.map((status) => [status] as const),
  (status) => `removing a member who is ${status} without permanent is the same as deactivating them`,
  async (status) => {
    const { memberOf, remove } = roster()

    expect((await remove(emailOf(status))).data).toMatchObject({ member: { status: 'deactivated' } })
    expect(await memberOf(emailOf(status))).toMatchObject({ status: 'deactivated' })
  },
)

statements(
  '3.3',
  statuses.map((status) => [status] as const),
  (status) => `removing a member who is ${status} with permanent=true deletes the row`,
  async (status) => {
    const { memberOf, remove } = roster()

    expect((await remove(emailOf(status), '?permanent=true')).status).toBe(200)
    expect(await memberOf(emailOf(status))).toBeNull()
  },
)

statement(
  '3.3',
  'a permanent removal keeps the account: the person has the same identity when added again',
  async () => {
    const { added, emulator, memberOf, remove } = roster()
    const before = await memberOf(emailOf('active'))
    await remove(emailOf('active'), '?permanent=true')
    await added([emailOf('active')])

    emulator.members.activate(emailOf('active'))

    expect((await memberOf(emailOf('active')))?.svc_id).toBe(before?.svc_id)
  },
)

statement(
  '3.3',
  'a resent invite keeps the member link_sent, and its new link supersedes the old one',
  async () => {
    const { emulator, invite } = roster()
    const first = await invite(emailOf('link_sent'))
    const second = await invite(emailOf('link_sent'))

    expect(second.data.member.status).toBe('link_sent')
    expect(() => emulator.members.activate(first.data.activation_link)).toThrow()
    expect(emulator.members.activate(second.data.activation_link).status).toBe('active')
  },
)

// 4.9, endpoints

statements(
  '4.9',
  [
    ['members.list', 'GET', '/api/sdk/members'],
    ['members.resolve', 'POST', '/api/sdk/members/resolve'],
    ['members.add', 'POST', '/api/sdk/members'],
    ['members.deactivate', 'PATCH', '/api/sdk/members/ada%40example.com/deactivate'],
    ['members.remove', 'DELETE', '/api/sdk/members/ada%40example.com'],
    ['members.reactivate', 'PATCH', '/api/sdk/members/ada%40example.com/reactivate'],
    ['members.invite', 'POST', '/api/sdk/members/ada%40example.com/invite'],
    ['billing.retrieve', 'GET', '/api/sdk/billing'],
  ],
  (name, method, path) => `${name} is ${method} ${path}`,
  async (name, method, path) => {
    await received(name, rosterOperations.find((one) => one.name === name)?.data)

    expect(service.lines).toEqual([`${method} ${path}`])
  },
)

statements(
  '4.9',
  [['member_id'], ['email'], ['svc_id']],
  (name) => `a member is found by ${name}`,
  async (name) => {
    const { deactivate, memberOf } = roster()
    const id = String((await memberOf(emailOf('active')))?.[name])
    service.respondTo(
      `PATCH /api/sdk/members/${encodeURIComponent(id)}/deactivate`,
      ok({ member: aMember() }),
    )

    await strictClients().org.members.deactivate(id)

    expect((await deactivate(id)).data.member.email).toBe(emailOf('active'))
  },
)

statement('4.9', 'the list contains the members and the organization with id and name', async () => {
  const { get } = roster({ org: { name: 'Engines' } })

  expect((await get(members)).data).toEqual({
    members: expect.any(Array),
    organization: { id: expect.anything(), name: 'Engines' },
  })
})

statement('4.9', 'the list contains the role member only', async () => {
  const everyRole = roles.map((role) => ({ email: `${role}@example.com`, role }))

  expect((await rosterOf(inProcess({ members: everyRole })).list()).map(({ role }) => role)).toEqual([
    'member',
  ])
})

statements(
  '4.9',
  [
    ['svc_id', { svc_id: 'svc_1' }],
    ['email', { email: ada }],
    ['both', { svc_id: 'svc_1', email: ada }],
  ],
  (what) => `resolve takes ${what}`,
  async (_, params) => {
    service.respondTo('POST /api/sdk/members/resolve', ok({ found: false, member: null }))

    const request = await sent(({ org }) => org.members.resolve(params as ResolveParams))

    expect(await request.json()).toEqual(params)
  },
)

statements(
  '4.9',
  [
    ['found true and the member', { found: true, member: aMember() }],
    ['found false and null', { found: false, member: null }],
  ],
  (what) => `resolve returns ${what}`,
  async (_, data) => {
    expect(await received('members.resolve', data)).toEqual(data)
  },
)

statements(
  '4.9',
  roles.map((role) => [role] as const),
  (role) => `resolve finds a member with the role ${role}`,
  async (role) => {
    const { resolve } = rosterOf(inProcess({ members: [{ email: ada, role }] }))

    expect(await resolve({ email: ada })).toMatchObject({ found: true, member: { role } })
  },
)

statement('4.9', 'resolve without svc_id and email is 400 missing_identifier, and is not sent', async () => {
  expect(await inProcess().post(`${members}/resolve`, {})).toMatchObject({
    status: 400,
    error: { code: 'missing_identifier' },
  })
  expect(await thrownBy(strictClients().org.members.resolve({} as never))).toMatchObject({
    code: 'invalid_params',
  })
  expectTypeOf<Record<never, never>>().not.toExtend<ResolveParams>()
})

statements(
  '4.9',
  [
    ['email', { email: ada }],
    ['first_name', { email: ada, first_name: 'Ada' }],
    ['last_name', { email: ada, last_name: 'Lovelace' }],
    ['role', { email: ada, role: 'admin' }],
  ],
  (field) => `a new member takes ${field}`,
  async (_, member) => {
    service.respondTo('POST /api/sdk/members', ok(added({})))

    const request = await sent(({ org }) => org.members.add({ members: [member as NewMember] }))

    expect(await request.json()).toEqual({ members: [member] })
    expect((await rosterOf(inProcess()).added([member])).created).toMatchObject([member])
  },
)

statement('4.9', 'a new member requires an email', async () => {
  expect(await thrownBy(strictClients().org.members.add({ members: [{} as never] }))).toMatchObject({
    code: 'invalid_params',
    issues: [{ path: 'members.0.email' }],
  })
  expectTypeOf<NewMember['email']>().toEqualTypeOf<string>()
})

statement('4.9', 'the role of a new member is member by default', async () => {
  expect((await rosterOf(inProcess()).added([ada])).created).toMatchObject([{ role: 'member' }])
})

statement('4.9', 'notify is true by default', async () => {
  expect((await rosterOf(inProcess()).added([ada])).notified).toBe(true)
})

statements(
  '4.9',
  [['auto'], ['email'], ['face']] as const,
  (invite) => `members are invited with ${invite}`,
  async (invite) => {
    service.respondTo('POST /api/sdk/members', ok(added({})))

    const request = await sent(({ org }) => org.members.add({ members: [{ email: ada }], invite }))

    expect(await request.json()).toMatchObject({ invite })
    expectTypeOf<NonNullable<AddParams['invite']>>().toEqualTypeOf<'auto' | 'email' | 'face'>()
  },
)

statement('4.9', 'the invite is auto by default', async () => {
  const { add } = rosterOf(inProcess())
  const automatic = await rosterOf(inProcess()).add([ada], { invite: 'auto' })

  expect((await add([ada])).data.created[0]?.invite_method).toBe(automatic.data.created[0]?.invite_method)
})

statement('4.9', 'adding members returns 201 with created, skipped and notified', async () => {
  const { data, status } = await roster().add([ada, emailOf('active')])

  expect(status).toBe(201)
  expect(data).toEqual({
    created: [expect.objectContaining({ email: ada })],
    skipped: [{ email: emailOf('active'), reason: 'duplicate' }],
    notified: true,
  })
})

statement('4.9', 'a reason other than duplicate passes through', async () => {
  const data = { created: [], skipped: [{ email: ada, reason: 'blocked_domain' }], notified: false }

  expect(await received('members.add', data)).toEqual(data)
})

statement('4.9', 'an invalid member is 400 invalid_request with data.errors', async () => {
  expect(await inProcess().post(members, { members: [{ email: ada }, {}] })).toMatchObject({
    status: 400,
    error: { code: 'invalid_request' },
    data: { errors: { 'members.1.email': expect.anything() } },
  })
})

statement('4.9', 'deactivate and reactivate return data.member', async () => {
  expect(await received('members.deactivate', { member: aMember() })).toEqual(aMember())
  expect(await received('members.reactivate', { member: aMember() })).toEqual(aMember())
})

statements(
  '4.9',
  [
    [true, '?permanent=true'],
    [false, '?permanent=false'],
    [undefined, ''],
  ],
  (permanent) =>
    `remove with permanent ${permanent} sends the query ${permanent === undefined ? 'nothing' : permanent}`,
  async (permanent, query) => {
    service.respondTo('DELETE /api/sdk/members/m', ok({ member: null, removed: true }))

    const { url } = await sent(({ org }) => org.members.remove('m', { permanent }))

    expect(new URL(url).search).toBe(query)
  },
)

statements(
  '4.9',
  [
    ['permanent', '?permanent=true', { member: null, removed: true }],
    ['default', '', { member: expect.objectContaining({ status: 'deactivated' }) }],
  ],
  (what) => `the ${what} removal returns its own form`,
  async (_, query, data) => {
    expect((await roster().remove(emailOf('active'), query)).data).toEqual(data)
  },
)

statement('4.9', 'removing a member who is gone succeeds with already_removed', async () => {
  const { remove } = roster()
  await remove(emailOf('active'), '?permanent=true')

  expect(await remove(emailOf('active'), '?permanent=true')).toMatchObject({
    status: 200,
    data: { member: null, already_removed: true },
  })
})

statements(
  '4.9',
  [
    ['reactivate', 'unknown@example.com', 404, 'not_found'],
    ['invite', 'unknown@example.com', 404, 'not_found'],
    ['invite', emailOf('active'), 409, 'already_active'],
    ['invite', emailOf('deactivated'), 409, 'deactivated'],
  ],
  (method, id, status, code) => `${method} of ${id} is ${status} ${code}`,
  async (method, id, status, code) => {
    expect(await roster()[method](id)).toMatchObject({ status, error: { code } })
    expect(await failed(`members.${method}`, status, code)).toMatchObject({ status, code })
  },
)

statement('4.9', 'invite returns the member and a new face-activation link', async () => {
  expect((await roster().invite(emailOf('invited'))).data).toEqual({
    member: expect.objectContaining({ email: emailOf('invited') }),
    activation_link: expect.any(String),
  })
})
