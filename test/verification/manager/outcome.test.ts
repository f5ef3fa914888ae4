import { expect, it, vi } from 'vitest'
import { type Decision, InvalidResponseError, type WebhookEvent } from '../../../src/index.ts'
import { recordingLogger } from '../../support/recording-logger.ts'
import { clientWith, eventFor, hourMs, managed, minuteMs, recordKey, subject } from './managed.ts'

const decisionOf = (more: object) => ({ status: 'IN_PROGRESS', decision: null, checks: [], ...more }) as Decision

/** A manager for which the service has these decisions, by session. */
const deciding = (made: ReturnType<typeof managed>, decisions: Readonly<Record<string, object>>) =>
  made.manager({
    client: clientWith(made.client(), { decision: async (id) => decisionOf(decisions[id] ?? {}) }),
  })

const approval = { status: 'APPROVED', decision: 'APPROVED', decided_at: '2026-01-01T00:10:00Z' }
const denial = { status: 'DECLINED', decision: 'DECLINED', decided_at: '2026-01-01T00:10:00Z' }

it('get returns state none for a subject without a record', async () => {
  const { manager, operations } = managed()

  expect(await manager().get(subject)).toEqual({
    subject,
    state: 'none',
    reason: null,
    sessionId: null,
    url: null,
    expiresAt: null,
    decidedAt: null,
    checks: [],
    attempts: 0,
    history: [],
    updatedAt: null,
  })
  expect(operations()).toEqual([])
})

it('get reads only the store', async () => {
  const { manager, emulator, started, operations } = managed()
  await emulator.sessions.complete(await started(), 'APPROVED')

  expect((await manager().get(subject)).state).toBe('open')
  expect(operations()).toEqual(['sessions.create'])
})

it('the outcome of an event comes from sessions.decision, never from the event', async () => {
  const { manager, emulator, started } = managed()
  const id = await started()
  await emulator.sessions.complete(id, 'APPROVED')

  const change = await manager().handle(eventFor(id, { type: 'verification.declined', status: 'DECLINED' }))

  const verification = await manager().get(subject)
  expect(change).toMatchObject({ subject, from: 'open', to: 'approved', verification })
  expect(verification).toMatchObject({
    state: 'approved',
    sessionId: id,
    url: null,
    expiresAt: null,
    decidedAt: '2026-01-01T00:00:00.000Z',
    checks: [
      { type: 'id_verification', status: 'passed' },
      { type: 'liveness', status: 'passed' },
      { type: 'face_match', status: 'passed' },
    ],
    history: [
      { sessionId: id, state: 'open' },
      { sessionId: id, state: 'approved' },
    ],
  })
})

it('a status of APPROVED without a decision is not an approval', async () => {
  const made = managed()
  const id = await made.started()

  const change = await deciding(made, { [id]: { status: 'APPROVED' } }).handle(eventFor(id))

  expect(change).toBeNull()
  expect((await made.manager().get(subject)).state).toBe('open')
})

it.each([
  ['IN_REVIEW', 'in_review', null],
  ['ABANDONED', 'ended', 'abandoned'],
  ['EXPIRED', 'ended', 'expired'],
  ['DECLINED', 'declined', null],
  ['APPROVED', 'approved', null],
] as const)('a session that is %s makes the state %s with the reason %s', async (status, state, reason) => {
  const { manager, emulator, started } = managed()
  const id = await started()
  await emulator.sessions.complete(id, status)

  const verification = await manager().refresh(subject)

  expect(verification).toMatchObject({ state, reason, sessionId: id, url: null, expiresAt: null })
  expect(verification).toEqual(await manager().get(subject))
})

it('a record of 1.0.0-rc.1, which has no reason, is read as expired if it has ended', async () => {
  const { manager, emulator, started, store } = managed()
  await emulator.sessions.complete(await started(), 'ABANDONED')
  await manager().refresh(subject)
  const record = await store.get(recordKey)
  await store.set(recordKey, String(record).replaceAll(/"reason":(null|"abandoned"),/g, ''))

  expect(await store.get(recordKey)).not.toContain('"reason"')
  expect(await manager().get(subject)).toMatchObject({ state: 'ended', reason: 'expired' })
})

it('a refresh of an open session keeps it open, and records its checks', async () => {
  const { manager, emulator, started, passTime } = managed()
  const id = await started()
  emulator.sessions.start(id, { checks: { id_verification: 'passed' } })
  passTime(minuteMs)

  const verification = await manager().refresh(subject)

  expect(verification).toMatchObject({ state: 'open', sessionId: id, updatedAt: '2026-01-01T00:01:00.000Z' })
  expect(verification.checks[0]).toEqual({ type: 'id_verification', status: 'passed' })
})

it('a refresh that finds nothing new writes nothing', async () => {
  const { manager, started, passTime, store } = managed()
  await started()
  await manager().refresh(subject)
  const before = await store.get(recordKey)
  passTime(minuteMs)

  await manager().refresh(subject)

  expect(await store.get(recordKey)).toBe(before)
})

it('refresh of an unknown subject returns state none, and sends nothing', async () => {
  const { manager, operations } = managed()

  expect(await manager().refresh(subject)).toMatchObject({ subject, state: 'none' })
  expect(operations()).toEqual([])
})

it('refresh finds the session of a start whose outcome was unknown', async () => {
  const { manager, emulator, transitions } = managed()
  emulator.faults.add({ match: 'sessions.create', reset: true, when: 'after' })
  await manager()
    .start(subject)
    .catch(() => {})

  expect(await manager().refresh(subject)).toMatchObject({ state: 'open', attempts: 1 })
  expect(transitions()).toEqual(['none > open'])
})

it('refresh leaves the state starting if the service lists no session', async () => {
  const { manager, emulator } = managed()
  emulator.faults.add({ match: 'sessions.create', status: 503 })
  await manager()
    .start(subject)
    .catch(() => {})

  expect(await manager().refresh(subject)).toMatchObject({ state: 'starting', sessionId: null })
})

it('if the status of a decision is not listed, the session says whether it has ended', async () => {
  const made = managed()
  const id = await made.started()
  await made.emulator.sessions.complete(id, 'ABANDONED')

  const change = await deciding(made, { [id]: { status: 'PENDING' } }).handle(eventFor(id))

  expect(change?.to).toBe('ended')
})

it('a decision that is not listed throws InvalidResponseError and changes nothing', async () => {
  const made = managed()
  const id = await made.started()

  await expect(deciding(made, { [id]: { decision: 'MAYBE' } }).refresh(subject)).rejects.toThrow(InvalidResponseError)

  expect((await made.manager().get(subject)).state).toBe('open')
})

it.each([
  ['null', null],
  ['text', 'approved'],
  ['checks that are not a list', { checks: { type: 'liveness' } }],
  ['checks without a type', { checks: [null, 7, { status: 'passed' }, { type: 'liveness', status: 'passed' }] }],
])('a decision that is %s crashes nothing', async (_, decision) => {
  const made = managed()
  await made.started()
  const client = clientWith(made.client(), { decision: async () => decision as never })

  const { state, checks } = await made.manager({ client }).refresh(subject)

  expect(state).toBe('open')
  expect(checks).toEqual(checks.length === 0 ? [] : [{ type: 'liveness', status: 'passed' }])
})

it.each([
  ['the subject is unknown', (id: string) => eventFor(id, { vendor_data: 'user-43' })],
  ['the event has no vendor_data', (id: string) => eventFor(id, { vendor_data: undefined })],
  ['the vendor_data of the event is not text', (id: string) => eventFor(id, { vendor_data: 42 })],
  ['the vendor_data of the event is empty', (id: string) => eventFor(id, { vendor_data: '' })],
  ['the session is not in the record', () => eventFor('sess_other')],
  ['the event is not an object', () => null as unknown as WebhookEvent],
])('handle returns null, changes nothing and writes to the log at debug if %s', async (_, event) => {
  const { logger, records } = recordingLogger()
  const { manager, client, emulator, started, store, count } = managed()
  const id = await started()
  await emulator.sessions.complete(id, 'APPROVED')
  const before = await store.get(recordKey)

  expect(await manager({ client: client({ logger }) }).handle(event(id))).toBeNull()

  expect(records).toContainEqual(['debug', 'verifications.handle: no record has the session of the event.', {}])
  expect(await store.get(recordKey)).toBe(before)
  expect(count('sessions.decision')).toBe(0)
})

/** A person whose first session has expired without a decision, and whose second one is open. */
async function withOlder(made = managed()) {
  const older = await made.started()
  made.passTime(hourMs)
  const newer = await made.started()
  return { ...made, older, newer }
}

it.each([
  ['DECLINED', denial],
  ['IN_REVIEW', { status: 'IN_REVIEW' }],
])('an event for an older session that is %s changes only the history', async (_, decision) => {
  const made = await withOlder()
  const { older, newer, manager } = made
  const before = await manager().get(subject)

  const change = await deciding(made, { [older]: decision }).handle(eventFor(older))

  expect(change).toBeNull()
  expect(await manager().get(subject)).toEqual({
    ...before,
    history:
      decision === denial
        ? [...before.history, expect.objectContaining({ sessionId: older, state: 'declined' })]
        : before.history,
    updatedAt: expect.any(String),
  })
  expect(before.sessionId).toBe(newer)
})

it('an older session that is approved makes the state approved, with its id, time and checks', async () => {
  const made = await withOlder()
  const { older, manager } = made
  const checks = [{ type: 'liveness', status: 'passed', data: {} }]

  const change = await deciding(made, { [older]: { ...approval, checks } }).handle(eventFor(older))

  expect(change).toMatchObject({ from: 'open', to: 'approved' })
  expect(await manager().get(subject)).toMatchObject({
    state: 'approved',
    sessionId: older,
    decidedAt: '2026-01-01T00:10:00Z',
    checks: [{ type: 'liveness', status: 'passed' }],
    attempts: 2,
  })
})

it.each([
  ['DECLINED', denial],
  ['ABANDONED', { status: 'ABANDONED' }],
  ['APPROVED', approval],
])('a newer session that is %s does not change an approval through an older one', async (_, decision) => {
  const made = await withOlder()
  const { older, newer, manager } = made
  await deciding(made, { [older]: approval }).handle(eventFor(older))
  const before = await manager().get(subject)

  expect(await deciding(made, { [newer]: decision }).handle(eventFor(newer))).toBeNull()

  expect(await manager().get(subject)).toMatchObject({
    state: 'approved',
    sessionId: older,
    checks: before.checks,
  })
})

it('a session that had ended and is decided later gets the outcome', async () => {
  const made = managed()
  const id = await made.started()
  await deciding(made, { [id]: { status: 'EXPIRED' } }).handle(eventFor(id))

  expect(await deciding(made, { [id]: approval }).handle(eventFor(id))).toMatchObject({
    from: 'ended',
    to: 'approved',
  })
})

it('while a renewal is open, sessions older than it change the history only', async () => {
  const made = await withOlder()
  const { older, newer, manager } = made
  await deciding(made, { [newer]: approval }).handle(eventFor(newer))
  const renewed = await manager().start(subject, {}, { renew: 'always' })

  const change = await deciding(made, { [older]: approval }).handle(eventFor(older))

  expect(change).toBeNull()
  expect(await manager().get(subject)).toMatchObject({ state: 'open', sessionId: renewed.sessionId })
  expect((await manager().get(subject)).history.at(-1)).toMatchObject({ sessionId: older, state: 'approved' })
})

it('a repeated event for an approved session costs no request', async () => {
  const made = managed()
  const id = await made.started()
  await made.emulator.sessions.complete(id, 'APPROVED')
  await made.manager().handle(eventFor(id))

  expect(await made.manager().handle(eventFor(id))).toBeNull()

  expect(made.count('sessions.decision')).toBe(1)
})

it('handle passes the signal of its context to the request', async () => {
  const made = managed()
  const id = await made.started()
  const decision = vi.fn(async () => decisionOf({}))
  const { signal } = new AbortController()

  await made.manager({ client: clientWith(made.client(), { decision }) }).handle(eventFor(id), { signal })

  expect(decision).toHaveBeenCalledExactlyOnceWith(id, { signal })
})

it('a failed read rejects and changes nothing, so that the event is delivered again', async () => {
  const { manager, emulator, started, store } = managed()
  const id = await started()
  const before = await store.get(recordKey)
  emulator.faults.add({ match: 'sessions.decision', status: 503 })

  await expect(manager().handle(eventFor(id))).rejects.toMatchObject({ name: 'ServerError' })

  expect(await store.get(recordKey)).toBe(before)
})

it('a session that the service no longer has is in the log, with what to do', async () => {
  const { logger, warnings } = recordingLogger()
  const { manager, client, emulator, started } = managed()
  const id = await started()
  emulator.faults.add({ match: 'sessions.decision', status: 404 })

  await expect(manager({ client: client({ logger }) }).refresh(subject)).rejects.toMatchObject({ code: 'not_found' })

  expect(warnings.map(([message]) => message)).toContain(
    `verifications: The service has no session ${id}. If it was deleted there, call forget(subject), so that the person can start again.`,
  )
})
