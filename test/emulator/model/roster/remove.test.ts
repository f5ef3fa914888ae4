import { expect, it } from 'vitest'
import { emailOf, oneOfEach, rosterOf } from '../../support/roster.ts'
import { overHttp } from '../../support/service.ts'

// Sections 3.3 and 4.9: DELETE /api/sdk/members/{member_id}

const oneRoster = async () => rosterOf(await overHttp({ members: oneOfEach }))

it('rejects a permanent that is neither true nor false with 400 invalid_request', async () => {
  const { memberOf, remove } = await oneRoster()

  const { status, data, error } = await remove(emailOf('active'), '?permanent=maybe')

  expect([status, error?.code]).toEqual([400, 'invalid_request'])
  expect(data).toEqual({ errors: { permanent: expect.any(String) } })
  expect(await memberOf(emailOf('active'))).toMatchObject({ status: 'active' })
})
