import { expect, it } from 'vitest'
import { emailOf, members, oneOfEach, rosterOf } from '../support/roster.ts'
import { overHttp } from '../support/service.ts'

// Sections 2.9, 3.3 and 4.9: POST /api/sdk/members

const ada = 'ada@example.com'
const bob = 'bob@example.com'

const link = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/activate\/[\da-f]{24}$/)

it('returns 201 with the documented fields of the added member, who has no identity yet', async () => {
  const { add } = rosterOf(await overHttp())

  const { status, data } = await add(
    [{ email: ada, first_name: 'Ada', last_name: 'Lovelace', role: 'developer' }],
    { notify: false },
  )

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
        created_at: '2026-03-01T12:00:00+00:00',
        activation_link: link,
        invite_method: 'face',
      },
    ],
    skipped: [],
    notified: false,
  })
})

it('uses the role member and no names unless they are given', async () => {
  const { added } = rosterOf(await overHttp())

  const { created } = await added([ada, { email: bob, role: 'admin' }])

  expect(created).toMatchObject([
    { first_name: null, last_name: null, role: 'member' },
    { first_name: null, last_name: null, role: 'admin' },
  ])
})

it.each([
  [{}, 'link_sent', 'face', null, true],
  [{ notify: true, invite: 'auto' }, 'link_sent', 'face', null, true],
  [{ notify: false, invite: 'auto' }, 'link_sent', 'face', link, false],
  [{ notify: true, invite: 'face' }, 'link_sent', 'face', null, true],
  [{ notify: false, invite: 'face' }, 'link_sent', 'face', link, false],
  // The contract does not say whether an email invite gives invited or link_sent.
  [{ notify: true, invite: 'email' }, 'invited', 'email', null, true],
  [{ notify: false, invite: 'email' }, 'invited', 'none', null, false],
])(
  'returns the link of a face invite that is not emailed, and no other: %j',
  async (terms, status, invite_method, activation_link, notified) => {
    const { added } = rosterOf(await overHttp())

    const result = await added([ada], terms)

    expect(result).toMatchObject({
      created: [{ status, invite_method, activation_link, svc_id: null, active: false }],
      skipped: [],
      notified,
    })
    expect(result.created[0]).not.toHaveProperty('reactivated')
  },
)

it("returns the link of an emailed face invite too if the reading activationLinks is 'always'", async () => {
  const { added } = rosterOf(await overHttp({ readings: { activationLinks: 'always' } }))

  expect((await added([ada])).created[0]?.activation_link).toEqual(link)
})

it('skips members of the roster and repetitions in one call as duplicates, in any case', async () => {
  const { added, list } = rosterOf(await overHttp({ members: oneOfEach }))

  const { created, skipped } = await added(
    ['Active@Example.com', emailOf('invited'), emailOf('link_sent'), ada, 'ADA@example.com'],
    { notify: false },
  )

  expect(created.map(({ email }) => email)).toEqual([ada])
  expect(skipped).toEqual(
    ['Active@Example.com', emailOf('invited'), emailOf('link_sent'), 'ADA@example.com'].map((email) => ({
      email,
      reason: 'duplicate',
    })),
  )
  expect(await list()).toHaveLength(5)
})

it('notified is false if all members were skipped', async () => {
  const { add } = rosterOf(await overHttp({ members: oneOfEach }))

  const { status, data } = await add([emailOf('active')])

  expect(status).toBe(201)
  expect(data).toMatchObject({ created: [], notified: false })
})

it('reactivates a deactivated member with the same email, who is active if the identity exists', async () => {
  const { added, memberOf } = rosterOf(await overHttp({ members: oneOfEach }))
  const before = await memberOf(emailOf('deactivated'))

  const { created, skipped } = await added([
    { email: 'Deactivated@example.com', first_name: 'Dee' },
    'new@example.com',
  ])

  expect(skipped).toEqual([])
  expect(created[0]).toEqual({
    ...before,
    first_name: 'Dee',
    status: 'active',
    active: true,
    reactivated: true,
    activation_link: null,
    invite_method: 'none',
  })
  expect(created[1]).not.toHaveProperty('reactivated')
  expect(await memberOf(emailOf('deactivated'))).toMatchObject({ status: 'active' })
})

it('skips the second of two entries for one deactivated member', async () => {
  const { added } = rosterOf(await overHttp({ members: oneOfEach }))

  const { created, skipped } = await added([emailOf('deactivated'), emailOf('deactivated')])

  expect([created.length, skipped.length]).toEqual([1, 1])
})

it('invites a deactivated member without an identity again', async () => {
  const { emulator, added } = rosterOf(await overHttp({ members: oneOfEach }))
  emulator.members.removeIdentity(emailOf('deactivated'))

  const { created } = await added([emailOf('deactivated')], { notify: false })

  expect(created).toMatchObject([{ status: 'link_sent', reactivated: true, activation_link: link }])
})

it.each([
  ['no members', {}, { members: 'is required' }],
  ['an entry without an email', { members: [{ email: ada }, {}] }, { 'members.1.email': 'is required' }],
  [
    'an email that is not an address',
    { members: [{ email: 'ada' }] },
    { 'members.0.email': 'is not an email address' },
  ],
  ['an unknown role', { members: [{ email: ada, role: 'boss' }] }, { 'members.0.role': expect.any(String) }],
  ['an unknown kind of invite', { members: [{ email: ada }], invite: 'fax' }, { invite: expect.any(String) }],
  [
    'a notify that is not a boolean',
    { members: [{ email: ada }], notify: 'no' },
    { notify: expect.any(String) },
  ],
  [
    'two invalid fields',
    { members: [{ email: ada }, { first_name: 'Bob' }], notify: 'yes' },
    { 'members.1.email': expect.any(String), notify: expect.any(String) },
  ],
])('rejects %s with 400 invalid_request, and names the fields in data.errors', async (_, body, errors) => {
  const { post, list } = rosterOf(await overHttp())

  const { status, data, error } = await post(members, body)

  expect([status, error?.code]).toEqual([400, 'invalid_request'])
  expect(error?.message).toContain(Object.keys(errors)[0])
  expect(data).toEqual({ errors })
  expect(await list()).toEqual([])
})

it('rejects a body that is not JSON with 400 invalid_request, in the same form', async () => {
  const { call } = await overHttp()

  const { status, data, error } = await call('POST', members, {
    headers: { 'Content-Type': 'application/json' },
  })

  expect([status, error?.code]).toEqual([400, 'invalid_request'])
  expect(data).toEqual({ errors: { body: expect.any(String) } })
})

// Section 8

const people = (count: number) => Array.from({ length: count }, (_, i) => `p${i}@example.com`)

it.each([1, 500])('accepts %i members in one call', async (count) => {
  const { add } = rosterOf(await overHttp())

  const { status, data } = await add(people(count))

  expect([status, data.created.length]).toEqual([201, count])
})

it.each([0, 501])('rejects %i members in one call with 400 invalid_request', async (count) => {
  const { post, list } = rosterOf(await overHttp())

  const { status, data, error } = await post(members, { members: people(count).map((email) => ({ email })) })

  expect([status, error?.code]).toEqual([400, 'invalid_request'])
  expect(data).toEqual({ errors: { members: 'must contain 1 to 500 members' } })
  expect(await list()).toEqual([])
})
