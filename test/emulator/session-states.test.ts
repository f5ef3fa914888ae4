import { expect, it } from 'vitest'
import { EmulatorError } from '../../src/emulator.ts'
import { emulated, start } from './emulated.ts'

const minutes = 60_000

it.each([
  // from, verdict, then
  ['NOT_STARTED', 'DECLINED', 200, undefined],
  ['NOT_STARTED', 'APPROVED', 409, 'required_face_checks_incomplete'],
  ['IN_PROGRESS', 'DECLINED', 200, undefined],
  ['IN_PROGRESS', 'APPROVED', 409, 'required_face_checks_incomplete'],
  ['IN_REVIEW', 'DECLINED', 200, undefined],
  ['IN_REVIEW', 'APPROVED', 200, undefined],
  ['APPROVED', 'APPROVED', 409, 'already_decided'],
  ['APPROVED', 'DECLINED', 409, 'already_decided'],
  ['DECLINED', 'APPROVED', 409, 'already_decided'],
  ['DECLINED', 'DECLINED', 409, 'already_decided'],
  ['ABANDONED', 'DECLINED', 409, 'session_closed'],
  ['EXPIRED', 'DECLINED', 410, 'session_expired'],
] as const)('override of a session that is %s with %s', async (from, verdict, status, code) => {
  const { emulator, session, decide, statusOf } = emulated()
  const { session_id } = await session()
  if (from === 'IN_PROGRESS') emulator.sessions.start(session_id)
  else if (from !== 'NOT_STARTED') await emulator.sessions.complete(session_id, from)

  const reply = await decide(session_id, verdict)

  expect(reply.status).toBe(status)
  if (code === undefined) expect(reply.data).toMatchObject({ session_id, status: verdict })
  else expect(reply.error).toMatchObject({ code, ...(code === 'already_decided' && { status: from }) })
  expect(await statusOf(session_id)).toBe(code === undefined ? verdict : from)
})

it.each(['id_verification', 'liveness', 'face_match'] as const)(
  'approves by override only when %s has passed',
  async (type) => {
    const { emulator, session, decide } = emulated()
    const { session_id } = await session()
    await emulator.sessions.complete(session_id, 'IN_REVIEW', { checks: { [type]: 'failed' } })

    const reply = await decide(session_id, 'APPROVED')

    expect(reply).toMatchObject({ status: 409, error: { code: 'required_face_checks_incomplete' } })
    expect((await decide(session_id, 'DECLINED')).status).toBe(200)
  },
)

it('approves by override from IN_PROGRESS once the checks of the face have passed', async () => {
  const { emulator, session, decide } = emulated()
  const { session_id } = await session({ workflow_id: 'wf_professional' })
  emulator.sessions.start(session_id, {
    checks: { id_verification: 'passed', liveness: 'passed', face_match: 'passed' },
  })

  expect(await decide(session_id, 'APPROVED')).toMatchObject({ status: 200, data: { status: 'APPROVED' } })
})

it('does not approve by override where the workflow has no checks of the face', async () => {
  const { emulator, session, decide } = emulated({
    workflows: [{ id: 'wf_age', name: 'Age', features: ['age'] }],
  })
  const { session_id } = await session({ workflow_id: 'wf_age' })
  await emulator.sessions.complete(session_id, 'IN_REVIEW')

  expect((await decide(session_id, 'APPROVED')).error).toMatchObject({
    code: 'required_face_checks_incomplete',
  })
})

it('answers review_not_pending outside a review where it is told to', async () => {
  const { emulator, session, decide } = emulated({ overrides: 'in_review_only' })
  const { session_id } = await session()

  const refused = { status: 409, error: { code: 'review_not_pending' } }
  expect(await decide(session_id, 'DECLINED')).toMatchObject(refused)
  emulator.sessions.start(session_id)
  expect(await decide(session_id, 'DECLINED')).toMatchObject(refused)
  await emulator.sessions.complete(session_id, 'IN_REVIEW')
  expect((await decide(session_id, 'DECLINED')).status).toBe(200)
})

it.each(['IN_REVIEW', 'approved', undefined])(
  'takes no verdict but APPROVED and DECLINED: %s',
  async (status) => {
    const { call, session } = emulated()
    const { session_id } = await session()

    const reply = await call('PATCH', `/api/v2/session/${session_id}/status`, { json: { status } })

    expect(reply).toMatchObject({ status: 400, error: { code: 'validation_error' } })
  },
)

it('lets the clock end a session that nobody finished, to the millisecond', async () => {
  const { emulator, session, statusOf } = emulated()
  const waiting = await session({ ttl_seconds: 60 })
  const begun = await session({ ttl_seconds: 60 })
  const reviewed = await session({ ttl_seconds: 60 })
  const longer = await session({ ttl_seconds: 61 })
  emulator.sessions.start(begun.session_id)
  await emulator.sessions.complete(reviewed.session_id, 'IN_REVIEW')

  await emulator.clock.advance(59_999)
  expect(await statusOf(waiting.session_id)).toBe('NOT_STARTED')
  await emulator.clock.advance(1)

  expect(await statusOf(waiting.session_id)).toBe('EXPIRED')
  expect(await statusOf(begun.session_id)).toBe('EXPIRED')
  expect(await statusOf(reviewed.session_id)).toBe('IN_REVIEW')
  expect(await statusOf(longer.session_id)).toBe('NOT_STARTED')
})

it('notices with the next request that its clock has moved on', async () => {
  let now = start
  const { session, decide } = emulated({ clock: () => now })
  const { session_id } = await session({ ttl_seconds: 60 })

  now = new Date(start.getTime() + minutes)

  expect(await decide(session_id, 'DECLINED')).toMatchObject({
    status: 410,
    error: { code: 'session_expired' },
  })
})

it.each([
  ['APPROVED', ['passed', 'passed', 'passed', 'passed']],
  ['IN_REVIEW', ['passed', 'passed', 'passed', 'review']],
  ['DECLINED', ['passed', 'passed', 'passed', 'failed']],
  ['ABANDONED', ['pending', 'pending', 'pending', 'pending']],
  ['EXPIRED', ['pending', 'pending', 'pending', 'pending']],
] as const)(
  'a session that ends as %s has checks to match, those of the face passed',
  async (end, statuses) => {
    const { emulator, call, session } = emulated()
    const { session_id } = await session({ workflow_id: 'wf_professional' })

    await emulator.sessions.complete(session_id, end)

    const { data } = await call('GET', `/api/v2/session/${session_id}/decision`)
    expect((data as { checks: { status: string }[] }).checks.map(({ status }) => status)).toEqual(statuses)
    expect(data).toMatchObject({
      status: end,
      decision: end === 'APPROVED' || end === 'DECLINED' ? end : null,
    })
  },
)

it('fills in what fits the check that was told, and keeps what is told', async () => {
  const { emulator, call, session } = emulated()
  const { session_id } = await session()

  await emulator.sessions.complete(session_id, 'DECLINED', {
    checks: {
      liveness: { data: { live_score: 0.4 } },
      face_match: { status: 'failed', score: 0.2, error: 'Someone else' },
      id_verification: { data: { fields: { full_name: 'Kim Told' } } },
    },
  })

  const { data } = await call('GET', `/api/v2/session/${session_id}/decision`)
  expect((data as { checks: unknown[] }).checks).toMatchObject([
    { status: 'passed', data: { fields: { full_name: 'Kim Told', country: 'US' } } },
    { status: 'failed', score: 0.4, data: { live_score: 0.4 } },
    { status: 'failed', score: 0.2, data: { threshold: 0.95 }, error: { message: 'Someone else' } },
  ])
})

it('a review can end either way, and what had a result keeps it', async () => {
  const { emulator, call, session } = emulated()
  const { session_id } = await session({ workflow_id: 'wf_professional' })
  await emulator.sessions.complete(session_id, 'IN_REVIEW', { checks: { liveness: 'failed' } })

  await emulator.sessions.complete(session_id, 'APPROVED')

  const { data } = await call('GET', `/api/v2/session/${session_id}/decision`)
  expect(data).toMatchObject({
    decision: 'APPROVED',
    checks: [{ status: 'passed' }, { status: 'failed' }, { status: 'passed' }, { status: 'passed' }],
  })
})

it('refuses controls that make no sense, and changes nothing', async () => {
  const { emulator, session, statusOf } = emulated()
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
  expect(() => emulator.clock.advance(-1)).toThrow(EmulatorError)
})
