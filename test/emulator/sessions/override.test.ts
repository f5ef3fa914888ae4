import { expect, it } from 'vitest'
import { later, overHttp } from '../support/service.ts'
import { sessionAt } from '../support/session-at.ts'

// Sections 3.1 and 4.1: PATCH /api/v2/session/{id}/status

it.each([
  ['NOT_STARTED', 'DECLINED'],
  ['IN_PROGRESS', 'DECLINED'],
  ['IN_PROGRESS', 'APPROVED'],
  ['IN_REVIEW', 'DECLINED'],
  ['IN_REVIEW', 'APPROVED'],
] as const)('decides a session that is %s as %s, at the time of the override', async (from, verdict) => {
  const service = await overHttp()
  const id = await sessionAt(service, from)
  await service.emulator.clock.advance(60_000)

  const { status, data } = await service.decide(id, verdict)

  expect(status).toBe(200)
  expect(data).toMatchObject({ session_id: id, status: verdict })
  expect(await service.statusOf(id)).toBe(verdict)
  const decision = await service.decisionOf(id)
  expect(decision).toMatchObject({ status: verdict, decision: verdict })
  expect(new Date(decision.decided_at ?? '')).toEqual(later(60))
})

it.each([
  ['APPROVED', 'APPROVED'],
  ['APPROVED', 'DECLINED'],
  ['DECLINED', 'APPROVED'],
  ['DECLINED', 'DECLINED'],
] as const)(
  'returns 409 already_decided with the current status if a session that is %s is overridden with %s',
  async (current, verdict) => {
    const service = await overHttp()
    const id = await sessionAt(service, current)

    const { status, data, error } = await service.decide(id, verdict)

    expect(status).toBe(409)
    expect(data).toBeNull()
    expect(error).toEqual({ code: 'already_decided', message: expect.any(String), status: current })
    expect(await service.statusOf(id)).toBe(current)
  },
)

it('cannot be reversed by a second override', async () => {
  const service = await overHttp()
  const id = await sessionAt(service, 'IN_REVIEW')

  await service.decide(id, 'DECLINED')
  const second = await service.decide(id, 'APPROVED')

  expect(second.status).toBe(409)
  expect(second.error).toMatchObject({ code: 'already_decided', status: 'DECLINED' })
})

it('ends the checks: the hosted page changes nothing afterwards', async () => {
  const { raw, session, decide, decisionOf } = await overHttp()
  const { session_id, url } = await session()
  await decide(session_id, 'DECLINED')
  const before = await decisionOf(session_id)

  await raw('GET', url)

  expect(await decisionOf(session_id)).toEqual(before)
})

it.each([
  ['a failed ID verification', { id_verification: 'failed' }],
  ['a failed liveness check', { liveness: 'failed' }],
  ['a liveness check in review', { liveness: 'review' }],
  ['a failed face match', { face_match: 'failed' }],
] as const)('rejects an approval after %s with 409 required_face_checks_incomplete', async (_, checks) => {
  const { emulator, session, decide, statusOf } = await overHttp()
  const { session_id } = await session()
  await emulator.sessions.complete(session_id, 'IN_REVIEW', { checks })

  const { status, error } = await decide(session_id, 'APPROVED')

  expect([status, error?.code]).toEqual([409, 'required_face_checks_incomplete'])
  expect(await statusOf(session_id)).toBe('IN_REVIEW')
  expect((await decide(session_id, 'DECLINED')).status).toBe(200)
})

it.each(['NOT_STARTED', 'IN_PROGRESS'] as const)(
  'rejects an approval of a session that is %s and whose face checks have not run',
  async (from) => {
    const { emulator, session, decide, statusOf } = await overHttp()
    const { session_id } = await session()
    if (from === 'IN_PROGRESS') emulator.sessions.start(session_id)

    const { status, error } = await decide(session_id, 'APPROVED')

    expect([status, error?.code]).toEqual([409, 'required_face_checks_incomplete'])
    expect(await statusOf(session_id)).toBe(from)
  },
)

it('rejects an approval if the workflow has no face checks', async () => {
  const { emulator, session, decide } = await overHttp({
    workflows: [{ id: 'wf_age', name: 'Age', features: ['age'] }],
  })
  const { session_id } = await session({ workflow_id: 'wf_age' })
  await emulator.sessions.complete(session_id, 'IN_REVIEW')

  const { status, error } = await decide(session_id, 'APPROVED')

  expect([status, error?.code]).toEqual([409, 'required_face_checks_incomplete'])
})

it('approves as soon as the face checks have passed, although the licence was not checked', async () => {
  const service = await overHttp()
  const id = await sessionAt(service, 'IN_PROGRESS', { workflow_id: 'wf_professional' })

  const { status, data } = await service.decide(id, 'APPROVED')

  expect([status, data.status]).toEqual([200, 'APPROVED'])
  expect((await service.decisionOf(id)).checks.at(-1)).toMatchObject({
    type: 'credential',
    status: 'pending',
  })
})

it.each([
  ['ABANDONED', 409, 'session_closed'],
  ['EXPIRED', 410, 'session_expired'],
] as const)('rejects an override of a session that is %s with %i %s', async (current, expected, code) => {
  const service = await overHttp()
  const id = await sessionAt(service, current)

  for (const verdict of ['APPROVED', 'DECLINED']) {
    const { status, error } = await service.decide(id, verdict)
    expect([status, error?.code]).toEqual([expected, code])
  }
  expect(await service.statusOf(id)).toBe(current)
})

it("rejects an override outside a review with 409 review_not_pending if the reading overrides is 'in_review_only'", async () => {
  const service = await overHttp({ readings: { overrides: 'in_review_only' } })

  for (const from of ['NOT_STARTED', 'IN_PROGRESS'] as const) {
    const { status, error } = await service.decide(await sessionAt(service, from), 'DECLINED')
    expect([status, error?.code]).toEqual([409, 'review_not_pending'])
  }
  const reviewed = await sessionAt(service, 'IN_REVIEW')
  expect((await service.decide(reviewed, 'DECLINED')).status).toBe(200)
})

it.each(['IN_REVIEW', 'EXPIRED', 'approved', '', null, undefined])(
  'rejects a verdict other than APPROVED and DECLINED with 400 validation_error: %s',
  async (verdict) => {
    const service = await overHttp()
    const id = await sessionAt(service, 'IN_REVIEW')

    const { status, error } = await service.decide(id, verdict)

    expect([status, error?.code]).toEqual([400, 'validation_error'])
    expect(await service.statusOf(id)).toBe('IN_REVIEW')
  },
)
