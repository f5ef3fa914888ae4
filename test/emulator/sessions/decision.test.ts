import { expect, it } from 'vitest'
import { everyCheck } from '../support/checks.ts'
import { overHttp, start } from '../support/service.ts'
import { sessionAt } from '../support/session-at.ts'

// Section 2.4

it.each(['APPROVED', 'DECLINED'] as const)(
  'has five fields and a check for each feature, if the session is %s',
  async (end) => {
    const service = await overHttp({ workflows: [everyCheck] })
    const id = await sessionAt(service, end, { workflow_id: 'wf_all' })

    const decision = await service.decisionOf(id)

    expect(Object.keys(decision).sort()).toEqual([
      'checks',
      'decided_at',
      'decision',
      'status',
      'vendor_data',
    ])
    expect(decision).toMatchObject({ status: end, decision: end })
    expect(new Date(decision.decided_at ?? '')).toEqual(start)
    expect(decision.checks.map(({ type }) => type)).toEqual(everyCheck.features)
  },
)

it('lists checks that have not run as pending, without data', async () => {
  const { emulator, session, decisionOf } = await overHttp()
  const { session_id } = await session()
  const pending = (type: string) => ({ type, status: 'pending', data: {}, error: null })
  const checks = ['id_verification', 'liveness', 'face_match'].map(pending)

  expect(await decisionOf(session_id)).toEqual({
    status: 'NOT_STARTED',
    decision: null,
    decided_at: null,
    checks,
    vendor_data: null,
  })
  emulator.sessions.start(session_id)

  expect(await decisionOf(session_id)).toEqual({
    status: 'IN_PROGRESS',
    decision: null,
    decided_at: null,
    checks,
    vendor_data: null,
  })
})
