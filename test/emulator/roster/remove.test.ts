import { expect, it } from 'vitest'
import { emailOf, oneOfEach, rosterOf, statuses } from '../support/roster.ts'
import { overHttp } from '../support/service.ts'

// Sections 3.3 and 4.9: DELETE /api/sdk/members/{member_id}

const oneRoster = async () => rosterOf(await overHttp({ members: oneOfEach }))

it.each(statuses)('deactivates a member who is %s without permanent=true', async (status) => {
  const { list, remove } = await oneRoster()

  for (const query of ['', '?permanent=false']) {
    const response = await remove(emailOf(status), query)
    expect(response.status).toBe(200)
    expect(response.data).toMatchObject({
      member: { email: emailOf(status), status: 'deactivated', active: false },
    })
  }
  expect(await list()).toHaveLength(statuses.length)
})

it.each(statuses)(
  'deletes the row of a member who is %s with permanent=true, and succeeds with already_removed afterwards',
  async (status) => {
    const { list, memberOf, remove } = await oneRoster()

    const first = await remove(emailOf(status), '?permanent=true')
    const second = await remove(emailOf(status), '?permanent=true')
    const third = await remove(emailOf(status))

    expect([first.status, first.data]).toEqual([200, { member: null, removed: true }])
    expect([second.status, second.data]).toEqual([200, { member: null, already_removed: true }])
    expect([third.status, third.data]).toEqual([200, { member: null, already_removed: true }])
    expect(await memberOf(emailOf(status))).toBeNull()
    expect(await list()).toHaveLength(statuses.length - 1)
  },
)

it('keeps the account: a person who is added again is another member with the same identity', async () => {
  const { added, emulator, memberOf, remove } = await oneRoster()
  const email = emailOf('active')
  const before = await memberOf(email)
  await remove(email, '?permanent=true')

  const { created } = await added([email])
  emulator.members.activate(email)

  expect(created).toMatchObject([{ status: 'link_sent', svc_id: null }])
  expect(created[0]).not.toHaveProperty('reactivated')
  const after = await memberOf(email)
  expect(after).toMatchObject({ status: 'active', svc_id: before?.svc_id })
  expect(after?.member_id).not.toBe(before?.member_id)
})

it('rejects a permanent that is neither true nor false with 400 invalid_request', async () => {
  const { memberOf, remove } = await oneRoster()

  const { status, data, error } = await remove(emailOf('active'), '?permanent=maybe')

  expect([status, error?.code]).toEqual([400, 'invalid_request'])
  expect(data).toEqual({ errors: { permanent: expect.any(String) } })
  expect(await memberOf(emailOf('active'))).toMatchObject({ status: 'active' })
})
