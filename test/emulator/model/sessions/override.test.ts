import { expect, it } from 'vitest'
import { inProcess, overHttp } from '../../support/service.ts'
import { sessionAt } from '../../support/session-at.ts'

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

it('rejects an approval if the workflow has no face checks', async () => {
  const { emulator, session, decide } = await overHttp({
    workflows: [{ id: 'wf_age', name: 'Age', features: ['age'] }],
  })
  const { session_id } = await session({ workflow_id: 'wf_age' })
  await emulator.sessions.complete(session_id, 'IN_REVIEW')

  const { status, error } = await decide(session_id, 'APPROVED')

  expect([status, error?.code]).toEqual([409, 'required_face_checks_incomplete'])
})

it('approves as soon as the face checks have passed, although the license was not checked', async () => {
  const service = await overHttp()
  const id = await sessionAt(service, 'IN_PROGRESS', { workflow_id: 'wf_professional' })

  const { status, data } = await service.decide(id, 'APPROVED')

  expect([status, data.status]).toEqual([200, 'APPROVED'])
  expect((await service.decisionOf(id)).checks.at(-1)).toMatchObject({
    type: 'credential',
    status: 'pending',
  })
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

it.each([
  ['APPROVED', 409, 'already_decided'],
  ['DECLINED', 409, 'already_decided'],
  ['EXPIRED', 410, 'session_expired'],
  ['ABANDONED', 409, 'session_closed'],
] as const)('an override of a session that is %s is %i %s', async (from, expected, code) => {
  const service = inProcess()
  const id = await sessionAt(service, from)

  const { status, error } = await service.decide(id, 'DECLINED')

  expect([status, error?.code]).toEqual([expected, code])
  // Section 4.1: the error has the current status.
  if (code === 'already_decided') expect(error?.status).toBe(from)
})
