import { expect, it, vi } from 'vitest'
import { VerificationLimitError } from '../../../src/index.ts'
import { approving, clientWith, dayMs, eventFor, hourMs, managed, minuteMs, redirectUrl, subject } from './managed.ts'

it('sends the subject as vendor_data, whatever the params say', async () => {
  const { manager, emulator } = managed()

  await manager({ session: { workflow_id: 'wf_1', vendor_data: 'other' } as object }).start(subject)

  expect(JSON.parse(emulator.requests[0]?.body ?? '')).toMatchObject({
    workflow_id: 'wf_1',
    vendor_data: subject,
  })
})

it('a start returns an open verification with the address of its session', async () => {
  const { manager, emulator } = managed()

  const verification = await manager().start(subject)

  expect(verification).toEqual({
    subject,
    state: 'open',
    reason: null,
    sessionId: expect.stringMatching(/^sess_/),
    url: expect.stringMatching(/\/s\//),
    expiresAt: '2026-01-01T01:00:00.000Z',
    decidedAt: null,
    checks: [],
    attempts: 1,
    history: [{ sessionId: verification.sessionId, state: 'open', at: '2026-01-01T00:00:00.000Z' }],
    updatedAt: '2026-01-01T00:00:00.000Z',
  })
  expect(emulator.requests).toHaveLength(1)
})

it('params of a start override those of the manager', async () => {
  const { manager, client } = managed()

  const { sessionId } = await manager({
    session: async (who) => ({ workflow_id: 'wf_1', redirect_url: `https://${who}.example.test/` }),
  }).start(subject, { redirect_url: redirectUrl, ttl_seconds: 60 })

  const session = await client().sessions.retrieve(sessionId ?? '')
  expect(session).toMatchObject({ redirect_url: redirectUrl, expires_at: '2026-01-01T00:01:00.000Z' })
})

it('a function that returns the params is called once for each start that creates or resumes a session', async () => {
  const { manager } = managed()
  const session = vi.fn(() => ({ workflow_id: 'wf_1' }))
  const verifications = manager({ session })

  const { sessionId } = await verifications.start(subject)
  expect(session).toHaveBeenCalledExactlyOnceWith(subject)
  expect(await verifications.start(subject)).toMatchObject({ sessionId })

  expect(session).toHaveBeenCalledTimes(2)
})

it('writes its intent before it creates the session', async () => {
  const { manager, client, record } = managed()
  const states: unknown[] = []
  const real = client()
  const spied = clientWith(real, {
    create: async (...call) => {
      states.push((await record()).start, (await manager().get(subject)).state)
      return real.sessions.create(...call)
    },
  })

  await manager({ client: spied }).start(subject)

  expect(states).toEqual([expect.objectContaining({ run: expect.any(String) }), 'starting'])
})

it('ten concurrent starts for one subject in several processes create one session, and all return it', async () => {
  const { manager, count } = managed()
  const managers = Array.from({ length: 10 }, () => manager())

  const all = await Promise.all(managers.map((one) => one.start(subject)))

  expect(new Set(all.map(({ url }) => url)).size).toBe(1)
  expect(all.map(({ state }) => state)).toEqual(Array(10).fill('open'))
  expect(count('sessions.create')).toBe(1)
})

it('an open session is resumed with the same url until it expires', async () => {
  const { manager, passTime, count } = managed()
  const first = await manager().start(subject)

  passTime(hourMs - 1)
  const resumed = await manager().start(subject)
  passTime(1)
  const next = await manager().start(subject)

  expect(resumed).toEqual(first)
  expect(next).toMatchObject({ state: 'open', attempts: 2 })
  expect(next.url).not.toBe(first.url)
  expect(count('sessions.create')).toBe(2)
})

it('a person who finished an expired session in time is not asked again', async () => {
  const { manager, passTime, emulator, started, count } = managed()
  await emulator.sessions.complete(await started(), 'APPROVED')

  passTime(hourMs)
  const verification = await manager().start(subject)

  expect(verification.state).toBe('approved')
  expect(count('sessions.create')).toBe(1)
})

it('a start for which the service returns a session that has ended returns it, and leaves no start behind', async () => {
  const { manager, passTime, started, count } = managed()
  const again = { idempotencyKey: 'one-for-all-starts' }
  const { sessionId } = await manager().start(subject, {}, again)
  passTime(hourMs)

  const next = await manager().start(subject, {}, again)

  expect(count('sessions.create')).toBe(2)
  expect(next).toMatchObject({ state: 'ended', sessionId, attempts: 1 })
  expect(await manager().get(subject)).toEqual(next)
  expect(await started()).not.toBe(sessionId)
})

it('a start creates a session if the service does not know the expired one any more', async () => {
  const { manager, passTime, emulator, started } = managed()
  const id = await started()
  passTime(hourMs)
  emulator.reset()

  const { state, sessionId } = await manager().start(subject)

  expect(state).toBe('open')
  expect(sessionId).not.toBe(id)
})

it('a start creates a session if the service takes most of the lease to say what became of the expired one', async () => {
  const { manager, client, passTime, started, count } = managed()
  await started()
  passTime(hourMs)
  const slow = client()
  const decision: typeof slow.sessions.decision = (id, options) => {
    passTime(25_000)
    return slow.sessions.decision(id, options)
  }

  await manager({ client: clientWith(slow, { decision }), startLeaseMs: 30_000 }).start(subject)

  expect(count('sessions.create')).toBe(2)
  expect(count('sessions.decision')).toBe(1)
})

it('a start fails if it cannot read what became of the expired session', async () => {
  const { manager, passTime, emulator, started, count } = managed()
  await started()
  passTime(hourMs)
  emulator.faults.add({ match: 'sessions.decision', status: 503 })

  await expect(manager().start(subject)).rejects.toMatchObject({ name: 'ServerError' })

  expect(count('sessions.create')).toBe(1)
})

it.each(['ABANDONED', 'EXPIRED', 'DECLINED'] as const)('a session that is %s allows a new start', async (status) => {
  const { manager, emulator, started } = managed()
  const id = await started()
  await emulator.sessions.complete(id, status)
  await manager().refresh(subject)

  const verification = await manager().start(subject)

  expect(verification).toMatchObject({ state: 'open', attempts: 2 })
  expect(verification.sessionId).not.toBe(id)
})

it('while the state is in_review, a start returns the record and creates nothing', async () => {
  const { manager, emulator, started, passTime, count } = managed()
  const id = await started()
  await emulator.sessions.complete(id, 'IN_REVIEW')
  await manager().refresh(subject)
  passTime(dayMs)

  const verification = await manager().start(subject, {}, { renew: 'always' })

  expect(verification).toMatchObject({ state: 'in_review', sessionId: id, url: null, expiresAt: null })
  expect(count('sessions.create')).toBe(1)
})

/** A person whose approval is known to the manager. */
async function approved(options: Parameters<typeof managed>[0] = {}) {
  const made = managed(options)
  const id = await made.started()
  await made.emulator.sessions.complete(id, 'APPROVED')
  await made.manager().handle(eventFor(id))
  return { ...made, id }
}

it('an approved subject is returned as it is', async () => {
  const { manager, id, passTime, count } = await approved()
  passTime(365 * dayMs)

  expect(await manager().start(subject)).toMatchObject({ state: 'approved', sessionId: id })
  expect(count('sessions.create')).toBe(1)
})

it('renew creates a session for an approved subject, counts as an attempt, and the state is open until the outcome', async () => {
  const { manager, id, emulator, transitions } = await approved()

  const renewed = await manager().start(subject, {}, { renew: 'always' })
  const resumed = await manager().start(subject, {}, { renew: 'always' })

  expect(renewed).toMatchObject({ state: 'open', attempts: 2 })
  expect(renewed.sessionId).not.toBe(id)
  expect(resumed).toEqual(renewed)
  await emulator.sessions.complete(renewed.sessionId ?? '', 'DECLINED')
  expect(await manager().refresh(subject)).toMatchObject({ state: 'declined', sessionId: renewed.sessionId })
  expect(transitions()).toEqual(['none > open', 'open > approved', 'approved > open', 'open > declined'])
})

it('renew with olderThanMs creates a session only if the approval is older', async () => {
  const { manager, passTime } = await approved()
  const start = () => manager().start(subject, {}, { renew: { olderThanMs: dayMs } })

  passTime(dayMs)
  expect((await start()).state).toBe('approved')
  passTime(1)
  expect((await start()).state).toBe('open')
})

it('renew with olderThanMs creates a session if the time of the approval is not known', async () => {
  const made = managed()
  const id = await made.started()
  const client = approving(made.client(), { decided_at: 'Ada 1' })
  await made.manager({ client }).handle(eventFor(id))

  expect(await made.manager().get(subject)).toMatchObject({ state: 'approved', decidedAt: null })
  expect(await made.manager().start(subject, {}, { renew: { olderThanMs: dayMs } })).toMatchObject({
    state: 'open',
  })
})

it.each(['none', 'open', 'declined'] as const)('renew changes nothing for a subject who is %s', async (state) => {
  const { manager, emulator, started, count } = managed()
  if (state !== 'none') await started()
  if (state === 'declined') {
    await emulator.sessions.complete(await started(), 'DECLINED')
    await manager().refresh(subject)
  }
  const before = count('sessions.create')

  await manager().start(subject, {}, { renew: { olderThanMs: 0 } })

  expect(count('sessions.create') - before).toBe(state === 'open' ? 0 : 1)
})

/** Starts and declines sessions, one in each ten minutes. */
async function declinedTimes(made: ReturnType<typeof managed>, times: number) {
  const manager = made.manager()
  for (let n = 0; n < times; n++) {
    await made.emulator.sessions.complete(await made.started(manager), 'DECLINED')
    await manager.refresh(subject)
    made.passTime(10 * minuteMs)
  }
}

it('a start beyond the limit throws VerificationLimitError with the time until the oldest leaves the span', async () => {
  const made = managed()
  const { manager, count, passTime } = made
  await declinedTimes(made, 3)
  const retryAfterMs = dayMs - 30 * minuteMs

  const error = await manager()
    .start(subject)
    .catch((thrown) => thrown)

  expect(error).toBeInstanceOf(VerificationLimitError)
  expect(error).toMatchObject({ code: 'verification_limit', retryAfterMs })
  expect(error.message).toContain(`Retry in 23 h 30 min (${retryAfterMs} ms), or set the option limit`)
  expect(await manager().get(subject)).toMatchObject({ state: 'declined', attempts: 3 })
  expect(count('sessions.create')).toBe(3)
  passTime(retryAfterMs - 1)
  await expect(manager().start(subject)).rejects.toMatchObject({
    retryAfterMs: 1,
    message: expect.stringContaining('Retry in 1 ms, or set'),
  })
  passTime(1)
  expect(await manager().start(subject)).toMatchObject({ state: 'open', attempts: 3 })
})

it.each([
  ['hour', hourMs],
  ['month', 30 * dayMs],
])('a renewal beyond the limit of one session each %s throws VerificationLimitError', async (_, perMs) => {
  const { manager } = await approved({ limit: { sessions: 1, perMs } })

  await expect(manager().start(subject, {}, { renew: 'always' })).rejects.toMatchObject({
    name: 'VerificationLimitError',
    retryAfterMs: perMs,
  })
  expect((await manager().get(subject)).state).toBe('approved')
})

it('if more sessions exist than a lowered limit allows, retryAfterMs is the time until one more may be created', async () => {
  const made = managed({ limit: false })
  await declinedTimes(made, 4)

  const error = await made
    .manager({ limit: { sessions: 2, perMs: dayMs } })
    .start(subject)
    .catch((thrown) => thrown)

  expect(error.retryAfterMs).toBe(dayMs - 20 * minuteMs)
})

it('a session of a clock that was years ahead counts until the span after its expiry ends', async () => {
  const { manager, emulator, clock, passTime } = managed({ limit: { sessions: 1, perMs: dayMs } })
  const ahead = manager({ now: () => new Date(clock.timing.wallClock() + 3_650 * dayMs) })
  const { sessionId, expiresAt } = await ahead.start(subject)
  await emulator.sessions.complete(sessionId ?? '', 'DECLINED')
  await manager().refresh(subject)
  const retryAfterMs = Date.parse(expiresAt ?? '') + dayMs - clock.timing.wallClock()
  const limited = (left: number) => ({ code: 'verification_limit', retryAfterMs: left })

  await expect(manager().start(subject)).rejects.toMatchObject(limited(retryAfterMs))
  passTime(retryAfterMs - 1)
  await expect(manager().start(subject)).rejects.toMatchObject(limited(1))
  passTime(1)
  expect(await manager().start(subject)).toMatchObject({ state: 'open', attempts: 1 })
})

it('a session of a clock that was ahead counts if nobody can read when it expires', async () => {
  const { manager, emulator, clock, client } = managed({ limit: { sessions: 1, perMs: dayMs } })
  const { sessions } = client()
  const ahead = manager({
    client: clientWith(client(), {
      create: async (...call) => ({ ...(await sessions.create(...call)), expires_at: 'in an hour' }),
    }),
    now: () => new Date(clock.timing.wallClock() + minuteMs),
  })
  const { sessionId } = await ahead.start(subject)
  await emulator.sessions.complete(sessionId ?? '', 'DECLINED')
  await manager().refresh(subject)

  await expect(manager().start(subject)).rejects.toMatchObject({ code: 'verification_limit', retryAfterMs: dayMs })
})

it('limit: false sets no limit, and attempts counts the sessions of the last 24 hours', async () => {
  const made = managed({ limit: false })
  await declinedTimes(made, 6)

  expect(await made.manager().get(subject)).toMatchObject({ attempts: 6 })
  made.passTime(dayMs - 60 * minuteMs)
  expect(await made.manager().get(subject)).toMatchObject({ attempts: 5 })
})

it('an open verification can be resumed at the limit', async () => {
  const { manager } = managed({ limit: { sessions: 1, perMs: dayMs } })
  const first = await manager().start(subject)

  expect(await manager().start(subject)).toEqual(first)
})

it('the record keeps a hundred sessions, and its history fifty entries', async () => {
  const made = managed({ limit: false, onChange: undefined })
  await declinedTimes(made, 105)

  const { sessions, history, current } = await made.record()

  expect(sessions).toHaveLength(100)
  expect(history).toHaveLength(50)
  expect(current).toBe(sessions.at(-1).id)
})
