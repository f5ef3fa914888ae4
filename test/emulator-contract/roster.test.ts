import { expect, it } from 'vitest'
import { listening } from './over-http.ts'

interface Member {
  readonly id: number
  readonly member_id: string
  readonly email: string
  readonly role: string
  readonly status: string
  readonly svc_id: string | null
  readonly active: boolean
}

interface Added extends Member {
  readonly activation_link: string | null
  readonly invite_method: string
  readonly reactivated?: true
}

interface AddResult {
  readonly created: readonly Added[]
  readonly skipped: readonly { readonly email: string; readonly reason: string }[]
  readonly notified: boolean
}

const members = '/api/sdk/members'
const ada = 'ada@example.com'

const link = expect.stringMatching(/^https?:\/\/\S+$/)

// Section 2.9

it('an added member has the documented fields, and no identity yet', async () => {
  const { post } = await listening()

  const { status, data } = await post<AddResult>(members, {
    members: [{ email: ada, first_name: 'Ada', last_name: 'Lovelace', role: 'developer' }],
    notify: false,
  })

  expect(status).toBe(201)
  expect(data).toEqual({
    created: [
      {
        id: expect.toSatisfy(Number.isInteger),
        member_id: expect.stringMatching(/^vmem_[0-9a-f]{24}$/),
        first_name: 'Ada',
        last_name: 'Lovelace',
        email: ada,
        role: 'developer',
        status: 'link_sent',
        svc_id: null,
        active: false,
        created_at: expect.stringMatching(/^2026-03-01T12:00:00(\.0+)?[+-]\d\d:\d\d$/),
        activation_link: link,
        invite_method: 'face',
      },
    ],
    skipped: [],
    notified: false,
  })
})

it('an id and a member_id belong to one member', async () => {
  const { post } = await listening()

  const { data } = await post<AddResult>(members, { members: [{ email: ada }, { email: 'bob@example.com' }] })

  const [a, b] = data.created
  expect(a?.id).not.toBe(b?.id)
  expect(a?.member_id).not.toBe(b?.member_id)
})

it('a member who activates by face is active, and has an svc_id', async () => {
  const { emulator, get, post } = await listening()
  await post(members, { members: [{ email: ada }] })

  emulator.members.activate(ada)

  const { data } = await get<{ members: Member[] }>(members)
  expect(data.members).toMatchObject([{ status: 'active', active: true, svc_id: expect.stringMatching(/./) }])
})

// Section 4.9: list and resolve

const everyRole = ['owner', 'admin', 'developer', 'member'].map((role) => ({
  email: `${role}@example.com`,
  role: role as 'member',
  svc_id: `svc_${role}`,
}))

it('the list names the organization, and holds the role member only', async () => {
  const { get } = await listening({ members: everyRole, org: { name: 'Engines' } })

  const { status, data } = await get<{ members: Member[] }>(members)

  expect(status).toBe(200)
  expect(data).toEqual({
    members: [expect.objectContaining({ email: 'member@example.com', role: 'member' })],
    organization: { id: expect.anything(), name: 'Engines' },
  })
})

it('a listed member has the fields of a member, and none of an added one', async () => {
  const { get } = await listening({ members: everyRole })

  const { data } = await get<{ members: Member[] }>(members)

  expect(Object.keys(data.members[0] ?? {}).sort()).toEqual([
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

it.each(everyRole)(
  'resolve finds any role, by svc_id and by email: $role',
  async ({ email, role, svc_id }) => {
    const { post } = await listening({ members: everyRole })

    for (const by of [{ email }, { svc_id }]) {
      const { status, data } = await post(`${members}/resolve`, by)
      expect(status).toBe(200)
      expect(data).toEqual({ found: true, member: expect.objectContaining({ email, role, svc_id }) })
    }
  },
)

it('resolve of somebody unknown is a success that found nobody', async () => {
  const { post } = await listening()

  const { status, data } = await post(`${members}/resolve`, { email: ada })

  expect(status).toBe(200)
  expect(data).toEqual({ found: false, member: null })
})

it.each([{}, { name: 'Ada' }])(
  'resolve with neither svc_id nor email is 400 missing_identifier',
  async (by) => {
    const { post } = await listening()

    const { status, error } = await post(`${members}/resolve`, by)

    expect([status, error?.code]).toEqual([400, 'missing_identifier'])
  },
)

// Section 4.9: add

it('the role is member, unless another is given', async () => {
  const { post } = await listening()

  const { data } = await post<AddResult>(members, {
    members: [{ email: ada }, { email: 'bob@example.com', role: 'admin' }],
  })

  expect(data.created.map(({ role }) => role)).toEqual(['member', 'admin'])
})

it.each([
  [{}, null, 'face', true],
  [{ notify: true, invite: 'auto' }, null, 'face', true],
  [{ notify: true, invite: 'face' }, null, 'face', true],
  [{ notify: false }, link, 'face', false],
  [{ notify: false, invite: 'face' }, link, 'face', false],
  [{ invite: 'email' }, null, 'email', true],
])(
  'an add with %j returns the link only of a face invite that is not emailed',
  async (terms, expected, method, notified) => {
    const { post } = await listening()

    const { data } = await post<AddResult>(members, { members: [{ email: ada }], ...terms })

    expect(data.created).toMatchObject([{ activation_link: expected, invite_method: method }])
    expect(data.notified).toBe(notified)
    if (method === 'face') expect(data.created[0]?.status).toBe('link_sent')
    else expect(['invited', 'link_sent']).toContain(data.created[0]?.status)
  },
)

it('an email invite is never returned as a link', async () => {
  const { post } = await listening()

  const { data } = await post<AddResult>(members, {
    members: [{ email: ada }],
    invite: 'email',
    notify: false,
  })

  expect(data.created).toMatchObject([{ activation_link: null }])
})

it('somebody who is there already is skipped as a duplicate, in one call and in two', async () => {
  const { get, post } = await listening({ members: [{ email: 'active@example.com' }] })

  const { status, data } = await post<AddResult>(members, {
    members: [{ email: ada }, { email: ada }, { email: 'active@example.com' }],
  })

  expect(status).toBe(201)
  expect(data.created.map(({ email }) => email)).toEqual([ada])
  expect(data.skipped).toEqual([
    { email: ada, reason: 'duplicate' },
    { email: 'active@example.com', reason: 'duplicate' },
  ])
  expect((await get<{ members: Member[] }>(members)).data.members).toHaveLength(2)
})

it.each([
  ['no list', {}, 'members'],
  ['an entry without an email', { members: [{ first_name: 'Ada' }] }, 'members.0.email'],
  ['an unknown role', { members: [{ email: ada, role: 'boss' }] }, 'members.0.role'],
  ['an unknown way to invite', { members: [{ email: ada }], invite: 'letter' }, 'invite'],
  ['a notify that is no boolean', { members: [{ email: ada }], notify: 'no' }, 'notify'],
])('an add with %s is 400 invalid_request, with the field in data.errors', async (_, body, field) => {
  const { get, post } = await listening()

  const { status, data, error } = await post<{ errors: object }>(members, body)

  expect([status, error?.code]).toEqual([400, 'invalid_request'])
  expect(data).toEqual({ errors: { [field]: expect.anything() } })
  expect((await get<{ members: Member[] }>(members)).data.members).toEqual([])
})
