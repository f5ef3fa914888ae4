import { expect, it } from 'vitest'
import { listening, start } from './over-http.ts'
import { decisionOf, sessionAt } from './session-steps.ts'

// Section 2.4

it.each(['APPROVED', 'DECLINED'] as const)(
  'the decision of a session that is %s has four fields',
  async (end) => {
    const service = await listening()
    const id = await sessionAt(service, end, { workflow_id: 'wf_all' })

    const decision = await decisionOf(service, id)

    expect(Object.keys(decision).sort()).toEqual(['checks', 'decided_at', 'decision', 'status'])
    expect(decision).toMatchObject({ status: end, decision: end })
    expect(new Date(decision.decided_at ?? '')).toEqual(start)
    expect(decision.checks.map(({ type }) => type)).toEqual([
      'id_verification',
      'liveness',
      'face_match',
      'age',
      'credential',
      'location',
    ])
  },
)

it.each(['NOT_STARTED', 'IN_PROGRESS', 'IN_REVIEW', 'ABANDONED', 'EXPIRED'] as const)(
  'the decision of a session that is %s is no outcome',
  async (status) => {
    const service = await listening()
    const id = await sessionAt(service, status)

    const decision = await decisionOf(service, id)

    expect(decision).toMatchObject({ status, decision: null, decided_at: null })
    expect(decision.checks).toHaveLength(3)
  },
)

it('APPROVED means that ID, selfie, match and licence have passed', async () => {
  const service = await listening()
  const id = await sessionAt(service, 'APPROVED', { workflow_id: 'wf_all' })

  const { checks } = await decisionOf(service, id)

  expect(checks.map(({ status }) => status)).toEqual(Array(6).fill('passed'))
  const data = Object.fromEntries(checks.map((check) => [check.type, check.data]))
  expect(data).toMatchObject({
    liveness: { live_score: 1 },
    credential: { match: true, license: { license_number: expect.any(String) } },
  })
})

// Section 3.2
it.each(['pending', 'running', 'passed', 'failed', 'review'] as const)(
  'a check can be %s',
  async (status) => {
    const service = await listening()
    const { session_id } = await service.session()

    service.emulator.sessions.start(session_id, { checks: { liveness: status } })

    const { checks } = await decisionOf(service, session_id)
    expect(checks.map((check) => check.status)).toEqual(['pending', status, 'pending'])
  },
)
