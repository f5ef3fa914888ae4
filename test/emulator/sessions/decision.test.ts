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

it.each(['NOT_STARTED', 'IN_PROGRESS', 'IN_REVIEW', 'ABANDONED', 'EXPIRED'] as const)(
  'has no outcome while the session is %s',
  async (status) => {
    const service = await overHttp()
    const id = await sessionAt(service, status)

    const decision = await service.decisionOf(id)

    expect(decision).toMatchObject({ status, decision: null, decided_at: null })
    expect(decision.checks).toHaveLength(3)
  },
)

it('echoes vendor_data, also inside the webhook', async () => {
  const { emulator, session, decisionOf } = await overHttp()
  const { session_id } = await session({ vendor_data: 'user-42', callback: 'http://127.0.0.1:9/hook' })

  await emulator.sessions.complete(session_id, 'APPROVED')

  expect(await decisionOf(session_id)).toMatchObject({ vendor_data: 'user-42' })
  const [delivery] = emulator.webhooks.deliveries
  expect(delivery?.event).toMatchObject({ vendor_data: 'user-42', decision: { vendor_data: 'user-42' } })
})

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

it('is APPROVED with a live selfie, a match and a licence that belongs to the person', async () => {
  const service = await overHttp({ workflows: [everyCheck] })
  const id = await sessionAt(service, 'APPROVED', { workflow_id: 'wf_all' })

  const { checks } = await service.decisionOf(id)

  expect(checks.map(({ status }) => status)).toEqual(Array(6).fill('passed'))
  const data = Object.fromEntries(checks.map((check) => [check.type, check.data]))
  expect(data).toMatchObject({
    liveness: { live_score: 1 },
    credential: { match: true, license: { license_number: expect.any(String) } },
  })
})

// Section 3.2
it.each(['pending', 'running', 'passed', 'failed', 'review'] as const)(
  'reports a check with the status %s',
  async (status) => {
    const { emulator, session, decisionOf } = await overHttp()
    const { session_id } = await session()

    emulator.sessions.start(session_id, { checks: { liveness: status } })

    const { checks } = await decisionOf(session_id)
    expect(checks.map((check) => check.status)).toEqual(['pending', status, 'pending'])
  },
)
