import { expect, it } from 'vitest'
import { emailOf, members, oneOfEach, rosterOf } from '../../support/roster.ts'
import { overHttp } from '../../support/service.ts'

// Sections 2.9, 3.3 and 4.9: POST /api/sdk/members

const ada = 'ada@example.com'

const link = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/activate\/[\da-f]{24}$/)

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
  ['a notify that is not a boolean', { members: [{ email: ada }], notify: 'no' }, { notify: expect.any(String) }],
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
