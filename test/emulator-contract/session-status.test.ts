import { expect, it } from 'vitest'
import { later, listening } from './over-http.ts'
import { decide, decisionOf, sessionAt, statusOf } from './session-steps.ts'

// Section 3.1

it('the person who opens the hosted page brings the session to IN_PROGRESS', async () => {
  const service = await listening()
  const { session_id, url } = await service.session()

  const page = await service.raw('GET', url)

  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toMatch(/^text\/html/)
  expect(await statusOf(service, session_id)).toBe('IN_PROGRESS')
})

it.each(['NOT_STARTED', 'IN_PROGRESS', 'IN_REVIEW', 'APPROVED', 'DECLINED', 'ABANDONED', 'EXPIRED'] as const)(
  'a session can be %s, and says so when it is read, listed and asked for its decision',
  async (status) => {
    const service = await listening()
    const id = await sessionAt(service, status)

    expect(await statusOf(service, id)).toBe(status)
    expect((await service.get(`/api/v2/session?status=${status}`)).data).toMatchObject([{ session_id: id }])
    expect((await decisionOf(service, id)).status).toBe(status)
  },
)

it.each(['APPROVED', 'DECLINED'] as const)('a review ends as %s', async (end) => {
  const service = await listening()
  const id = await sessionAt(service, 'IN_REVIEW')

  await service.emulator.sessions.complete(id, end)

  expect(await statusOf(service, id)).toBe(end)
})

it.each([
  ['NOT_STARTED', 'DECLINED'],
  ['IN_PROGRESS', 'DECLINED'],
  ['IN_PROGRESS', 'APPROVED'],
  ['IN_REVIEW', 'DECLINED'],
  ['IN_REVIEW', 'APPROVED'],
] as const)('a session that is %s can be overridden with %s, which decides it now', async (from, verdict) => {
  const service = await listening()
  const id = await sessionAt(service, from)
  await service.emulator.clock.advance(60_000)

  const { status, data } = await decide(service, id, verdict)

  expect(status).toBe(200)
  expect(data).toMatchObject({ session_id: id, status: verdict })
  expect(await statusOf(service, id)).toBe(verdict)
  const decision = await decisionOf(service, id)
  expect(decision).toMatchObject({ status: verdict, decision: verdict })
  expect(new Date(decision.decided_at ?? '')).toEqual(later(60))
})

it.each([
  ['APPROVED', 'APPROVED'],
  ['APPROVED', 'DECLINED'],
  ['DECLINED', 'APPROVED'],
  ['DECLINED', 'DECLINED'],
] as const)(
  'a session that is %s answers an override with %s with 409 already_decided and its status',
  async (is, verdict) => {
    const service = await listening()
    const id = await sessionAt(service, is)

    const { status, data, error } = await decide(service, id, verdict)

    expect(status).toBe(409)
    expect(data).toBeNull()
    expect(error).toEqual({ code: 'already_decided', message: expect.any(String), status: is })
    expect(await statusOf(service, id)).toBe(is)
  },
)

it('an override is irreversible, whoever asks again', async () => {
  const service = await listening()
  const id = await sessionAt(service, 'IN_REVIEW')

  await decide(service, id, 'DECLINED')
  const again = await decide(service, id, 'APPROVED')

  expect(again.error).toMatchObject({ code: 'already_decided', status: 'DECLINED' })
})

it('a session that was overridden accepts no further checks at the hosted page', async () => {
  const service = await listening()
  const { session_id, url } = await service.session()
  await decide(service, session_id, 'DECLINED')
  const before = await decisionOf(service, session_id)

  await service.raw('GET', url)

  expect(await decisionOf(service, session_id)).toEqual(before)
})

it.each([
  ['nothing', 'NOT_STARTED', undefined],
  ['a failed ID verification', 'IN_REVIEW', { id_verification: 'failed' }],
  ['a failed liveness check', 'IN_REVIEW', { liveness: 'failed' }],
  ['a liveness check in review', 'IN_REVIEW', { liveness: 'review' }],
  ['a failed face match', 'IN_REVIEW', { face_match: 'failed' }],
] as const)('an approval over %s is 409 required_face_checks_incomplete', async (_, from, checks) => {
  const service = await listening()
  const { session_id } = await service.session()
  if (checks) await service.emulator.sessions.complete(session_id, 'IN_REVIEW', { checks })

  const { status, error } = await decide(service, session_id, 'APPROVED')

  expect([status, error?.code]).toEqual([409, 'required_face_checks_incomplete'])
  expect(await statusOf(service, session_id)).toBe(from)
  expect((await decide(service, session_id, 'DECLINED')).status).toBe(200)
})

it.each([
  ['ABANDONED', 409, 'session_closed'],
  ['EXPIRED', 410, 'session_expired'],
] as const)('an override of a session that is %s is %i %s', async (is, expected, code) => {
  const service = await listening()
  const id = await sessionAt(service, is)

  for (const verdict of ['APPROVED', 'DECLINED']) {
    const { status, error } = await decide(service, id, verdict)
    expect([status, error?.code]).toEqual([expected, code])
  }
  expect(await statusOf(service, id)).toBe(is)
})

it('the other reading of the contract: only a session in review is decided, else 409 review_not_pending', async () => {
  const service = await listening({ overrides: 'in_review_only' })
  const [waiting, reviewed] = [await sessionAt(service, 'IN_PROGRESS'), await sessionAt(service, 'IN_REVIEW')]

  const { status, error } = await decide(service, waiting, 'DECLINED')

  expect([status, error?.code]).toEqual([409, 'review_not_pending'])
  expect((await decide(service, reviewed, 'DECLINED')).status).toBe(200)
})

// Section 4.1
it.each(['IN_REVIEW', 'EXPIRED', 'approved', '', null, undefined])(
  'an override takes APPROVED or DECLINED, and nothing else: %s',
  async (verdict) => {
    const service = await listening()
    const id = await sessionAt(service, 'IN_REVIEW')

    const { status, error } = await decide(service, id, verdict)

    expect([status, error?.code]).toEqual([400, 'validation_error'])
    expect(await statusOf(service, id)).toBe('IN_REVIEW')
  },
)

// Sections 2.2 and 8
it.each(['NOT_STARTED', 'IN_PROGRESS'] as const)(
  'a session that is %s expires after its ttl_seconds',
  async (from) => {
    const service = await listening()
    const id = await sessionAt(service, from, { ttl_seconds: 600 })

    await service.emulator.clock.advance(599_000)
    expect(await statusOf(service, id)).toBe(from)
    await service.emulator.clock.advance(2_000)

    expect(await statusOf(service, id)).toBe('EXPIRED')
    expect((await decide(service, id, 'DECLINED')).error?.code).toBe('session_expired')
  },
)

// Section 2.2

it.each([
  [/Pass all/, 'APPROVED'],
  [/Fail all/, 'DECLINED'],
  [/Leave/, 'ABANDONED'],
] as const)(
  'the browser returns to redirect_url with the id and the status of the session: %s, %s',
  async (label, status) => {
    const service = await listening()
    const { session_id, url } = await service.session({ redirect_url: 'https://app.example/done?a=%20b' })

    const location = await service.press(url, label)

    expect(location.startsWith('https://app.example/done?')).toBe(true)
    expect([...new URL(location).searchParams]).toEqual([
      ['a', ' b'],
      ['session_id', session_id],
      ['status', status],
    ])
    expect(await statusOf(service, session_id)).toBe(status)
  },
)

it('a redirect_url without a query is followed by ?session_id=<session_id>&status=<status>', async () => {
  const service = await listening()
  const { session_id, url } = await service.session({ redirect_url: 'https://app.example/done' })

  const location = await service.press(url, /Pass all/)

  expect(location).toBe(`https://app.example/done?session_id=${session_id}&status=APPROVED`)
})
