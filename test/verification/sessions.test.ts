import { expect, it } from 'vitest'
import { aDecision, aSession, idCheck, livenessCheck } from '../support/fixtures.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

it('lists by a status that is not in the contract, and by extraParams', async () => {
  service.respondTo('GET /api/v2/session', ok([]))
  const { client } = testClient()
  const params = { status: 'ON_HOLD', limit: 0, vendor_data: undefined }

  await client.sessions.list(params, { extraParams: { cursor: 'abc=' } })

  const query = new URL(service.requests[0]?.url ?? '').searchParams
  expect([...query]).toEqual([
    ['status', 'ON_HOLD'],
    ['limit', '0'],
    ['cursor', 'abc='],
  ])
})

it('returns a session that went back to an earlier status, because the client checks no transitions', async () => {
  service.respondTo(
    'GET /api/v2/session/sess_1',
    ok(aSession({ status: 'DECLINED' })),
    ok(aSession({ status: 'NOT_STARTED' })),
  )
  const { client } = testClient({ responseValidation: 'strict' })

  const first = await client.sessions.retrieve('sess_1')
  const second = await client.sessions.retrieve('sess_1')

  expect([first.status, second.status]).toEqual(['DECLINED', 'NOT_STARTED'])
})

const modes = ['strict', 'warn', 'off'] as const

it.each(modes.flatMap((mode) => [null, undefined].map((data) => ({ mode, data }))))(
  'gives a check whose data is $data an empty object, with responseValidation $mode',
  async ({ mode, data }) => {
    service.respondTo(
      'GET /api/v2/session/sess_1/decision',
      ok(aDecision({ checks: [idCheck({ data }), livenessCheck()] })),
    )
    const { client } = testClient({ responseValidation: mode })

    const { checks } = await client.sessions.decision('sess_1')

    expect(checks).toEqual([idCheck({ data: {} }), livenessCheck()])
  },
)
