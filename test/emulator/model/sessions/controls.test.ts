// Misspelled on purpose: cspell:ignore APROVED

import { expect, it } from 'vitest'
import { EmulatorError } from '../../../../src/emulator.ts'
import { inProcess } from '../../support/service.ts'

it.each([
  ['APPROVED', ['passed', 'passed', 'passed', 'passed']],
  ['IN_REVIEW', ['passed', 'passed', 'passed', 'review']],
  ['DECLINED', ['failed', 'passed', 'passed', 'passed']],
  ['ABANDONED', ['pending', 'pending', 'pending', 'pending']],
  ['EXPIRED', ['pending', 'pending', 'pending', 'pending']],
] as const)('complete gives the checks of a session that ends as %s matching statuses', async (end, statuses) => {
  const { emulator, session, decisionOf } = inProcess()
  const { session_id } = await session({ workflow_id: 'wf_professional' })

  await emulator.sessions.complete(session_id, end)

  const decision = await decisionOf(session_id)
  expect(decision.checks.map(({ status }) => status)).toEqual(statuses)
  expect(decision).toMatchObject({
    status: end,
    decision: end === 'APPROVED' || end === 'DECLINED' ? end : null,
  })
})

it.each([
  ['the first check fails', {}, ['failed', 'passed', 'passed']],
  ['only the given check fails', { face_match: 'failed' }, ['passed', 'passed', 'failed']],
  ['the first other check fails', { id_verification: 'passed' }, ['passed', 'failed', 'passed']],
  ['a failure by data counts', { liveness: { data: { live_score: 0.5 } } }, ['passed', 'failed', 'passed']],
  [
    'no check fails if all are given as passed',
    { id_verification: 'passed', liveness: 'passed', face_match: 'passed' },
    ['passed', 'passed', 'passed'],
  ],
] as const)('complete with DECLINED: %s', async (_, checks, statuses) => {
  const { emulator, session, decisionOf } = inProcess()
  const { session_id } = await session()

  await emulator.sessions.complete(session_id, 'DECLINED', { checks })

  const decision = await decisionOf(session_id)
  expect(decision.checks.map(({ status }) => status)).toEqual(statuses)
  expect(decision.decision).toBe('DECLINED')
})

it.each([
  ['the first check without a result', { id_verification: 'passed' }, ['passed', 'failed', 'passed']],
  ['none, if a check has failed already', { liveness: 'failed' }, ['passed', 'failed', 'passed']],
  [
    'the first, if all have passed',
    { id_verification: 'passed', liveness: 'passed', face_match: 'passed' },
    ['failed', 'passed', 'passed'],
  ],
] as const)('complete with DECLINED fails, of a started session, %s', async (_, checks, statuses) => {
  const { emulator, session, decisionOf } = inProcess()
  const { session_id } = await session()
  emulator.sessions.start(session_id, { checks })

  await emulator.sessions.complete(session_id, 'DECLINED')

  expect((await decisionOf(session_id)).checks.map(({ status }) => status)).toEqual(statuses)
})

it('complete keeps the given facts of a check, and fills in the rest to match', async () => {
  const { emulator, session, decisionOf } = inProcess()
  const { session_id } = await session()

  await emulator.sessions.complete(session_id, 'DECLINED', {
    checks: {
      liveness: { data: { live_score: 0.4 } },
      face_match: { status: 'failed', score: 0.2, error: 'Another person' },
      id_verification: { data: { fields: { full_name: 'Kim Given' } } },
    },
  })

  expect((await decisionOf(session_id)).checks).toMatchObject([
    { status: 'passed', data: { fields: { full_name: 'Kim Given', country: 'US' } } },
    { status: 'failed', score: 0.4, data: { live_score: 0.4 } },
    { status: 'failed', score: 0.2, data: { threshold: 0.95 }, error: { message: 'Another person' } },
  ])
})

it('complete keeps the results of checks that are done when it ends a review', async () => {
  const { emulator, session, decisionOf } = inProcess()
  const { session_id } = await session({ workflow_id: 'wf_professional' })
  await emulator.sessions.complete(session_id, 'IN_REVIEW', { checks: { liveness: 'failed' } })

  await emulator.sessions.complete(session_id, 'APPROVED')

  expect(await decisionOf(session_id)).toMatchObject({
    decision: 'APPROVED',
    checks: [{ status: 'passed' }, { status: 'failed' }, { status: 'passed' }, { status: 'passed' }],
  })
})

it('start and complete reject an unknown session, an unknown check and a transition that does not exist', async () => {
  const { emulator, session, statusOf } = inProcess()
  const { session_id } = await session()

  await expect(emulator.sessions.complete('sess_unknown', 'APPROVED')).rejects.toThrow(EmulatorError)
  await expect(
    emulator.sessions.complete(session_id, 'APPROVED', { checks: { credential: 'passed' } }),
  ).rejects.toThrow('no check credential')
  expect(await statusOf(session_id)).toBe('NOT_STARTED')
  await emulator.sessions.complete(session_id, 'IN_REVIEW')
  expect(() => emulator.sessions.start(session_id)).toThrow(EmulatorError)
  await expect(emulator.sessions.complete(session_id, 'IN_REVIEW')).rejects.toThrow(EmulatorError)
  await emulator.sessions.complete(session_id, 'ABANDONED')
  for (const end of ['APPROVED', 'DECLINED', 'IN_REVIEW', 'ABANDONED', 'EXPIRED'] as const)
    await expect(emulator.sessions.complete(session_id, end)).rejects.toThrow(EmulatorError)
  expect(await statusOf(session_id)).toBe('ABANDONED')
})
