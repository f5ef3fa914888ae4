import { expect, it } from 'vitest'
import { everyCheck } from '../../support/checks.ts'
import { overHttp, start } from '../../support/service.ts'
import { sessionAt } from '../../support/session-at.ts'

// Section 2.4

it.each(['APPROVED', 'DECLINED'] as const)(
  'has five fields and a check for each feature, if the session is %s',
  async (end) => {
    const service = await overHttp({ workflows: [everyCheck] })
    const id = await sessionAt(service, end, { workflow_id: 'wf_all', vendor_data: 'user-42' })

    const decision = await service.decisionOf(id)

    expect(Object.keys(decision).sort()).toEqual(['checks', 'decided_at', 'decision', 'status', 'vendor_data'])
    expect(decision).toMatchObject({ status: end, decision: end, vendor_data: 'user-42' })
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

it('APPROVED means that the ID is verified, the selfie live, the faces equal and the license the person’s', async () => {
  const service = await overHttp()
  const id = await sessionAt(service, 'APPROVED', { workflow_id: 'wf_professional' })

  const { checks } = await service.decisionOf(id)

  expect(checks).toMatchObject([
    { type: 'id_verification', status: 'passed' },
    { type: 'liveness', status: 'passed', data: { live_score: 1 } },
    { type: 'face_match', status: 'passed' },
    { type: 'credential', status: 'passed', data: { match: true } },
  ])
  const { similarity, threshold } = checks[2]?.data ?? {}
  expect(Number(similarity)).toBeGreaterThanOrEqual(Number(threshold))
})
