import { expect, it } from 'vitest'
import { type Decision, StoreError } from '../../../src/index.ts'
import {
  aDecision,
  ageCheck,
  credentialCheck,
  faceMatchCheck,
  idCheck,
  livenessCheck,
  locationCheck,
} from '../../support/fixtures.ts'
import { approving, clientWith, eventFor, managed, recordKey, storeWith, subject } from './managed.ts'

/** Replaces every text and number below a value by a canary. */
function withCanaries(value: unknown, path = 'canary'): unknown {
  if (Array.isArray(value)) return value.map((one, i) => withCanaries(one, `${path}_${i}`))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withCanaries(one, `${path}_${name}`)]))
  return path
}

const checks = [idCheck(), livenessCheck(), faceMatchCheck(), ageCheck(), credentialCheck(), locationCheck()]

it('no canary of a session or a decision is in any stored value', async () => {
  const made = managed()
  const real = made.client()
  const stored: string[] = []
  const store = storeWith(made.store, {
    set: async (...call: Parameters<typeof made.store.set>) => {
      stored.push(...call.slice(0, 2).map(String))
      return made.store.set(...call)
    },
    compareAndSet: async (...call: Parameters<typeof made.store.compareAndSet>) => {
      stored.push(...call.slice(0, 3).map(String))
      return made.store.compareAndSet(...call)
    },
  })
  const decision = {
    ...aDecision({ decided_at: 'canary 1', vendor_data: subject, note: 'canary' }),
    checks: checks.map(({ type, status, ...rest }) => ({ type, status, ...(withCanaries(rest) as object) })),
  } as unknown as Decision
  const client = clientWith(real, {
    create: async (...call) => ({
      ...(await real.sessions.create(...call)),
      session_token: 'canary',
      redirect_url: 'canary',
      metadata: { name: 'canary' },
    }),
    decision: async () => decision,
  })
  const verifications = made.manager({
    client,
    store,
    session: {
      workflow_id: 'wf_1',
      metadata: { name: 'canary' },
      redirect_url: 'https://canary.example.test/',
    },
  })

  const { sessionId } = await verifications.start(subject)
  await verifications.handle(eventFor(sessionId ?? '', { decision }))

  expect(stored.length).toBeGreaterThan(5)
  expect(stored.join('\n')).toContain('"type":"credential","status":"passed"')
  expect(stored.join('\n')).not.toContain('canary')
  expect(await verifications.get(subject)).toMatchObject({ state: 'approved', decidedAt: null })
})

it('a record is JSON with a version, and does not contain the subject', async () => {
  const { record, started } = managed({ onChange: () => Promise.reject(new Error('no')) })
  await started().catch(() => {})

  expect(await record()).toMatchObject({ version: 1, changes: [{ from: 'none', to: 'open' }] })
  expect(JSON.stringify(await record())).not.toContain(subject)
})

const session = {
  id: 'sess_1',
  state: 'open',
  url: 'https://id.example.test/s/1',
  expiresAt: '2026-01-01T01:00:00Z',
  createdAt: '2026-01-01T00:00:00Z',
  decidedAt: null,
  checks: [],
  workflow: 'wf_1',
  superseded: false,
}
const record = {
  version: 1,
  id: 'record_1',
  sessions: [session],
  current: 'sess_1',
  start: null,
  history: [],
  changes: [],
  delivery: null,
  updatedAt: '2026-01-01T00:00:00Z',
}

it('reads a record of this version', async () => {
  const { manager, store } = managed()
  await store.set(recordKey, JSON.stringify(record))

  expect(await manager().get(subject)).toMatchObject({ state: 'open', sessionId: 'sess_1', attempts: 1 })
})

it.each([
  ['not JSON', '{"version":1'],
  ['not an object', 'null'],
  ['a list', '[]'],
  ['of another version', JSON.stringify({ ...record, version: 2 })],
  ['without sessions', JSON.stringify({ ...record, sessions: undefined })],
  ['with a session that is null', JSON.stringify({ ...record, sessions: [null] })],
  ['with a session in an unknown state', JSON.stringify({ ...record, sessions: [{ ...session, state: 'lost' }] })],
  ['with a session without a time', JSON.stringify({ ...record, sessions: [{ ...session, createdAt: 'soon' }] })],
  [
    'with a check without a status',
    JSON.stringify({ ...record, sessions: [{ ...session, checks: [{ type: 'age' }] }] }),
  ],
  ['with a start without a time', JSON.stringify({ ...record, start: { run: '1' } })],
  ['with an entry of the history that is text', JSON.stringify({ ...record, history: ['open'] })],
  [
    'with a change without a verification',
    JSON.stringify({ ...record, changes: [{ id: '1', from: 'none', to: 'open' }] }),
  ],
  ['with a time that is a number', JSON.stringify({ ...record, updatedAt: 7 })],
])('a stored text that is %s throws StoreError without the text, and forget deletes it', async (_, text) => {
  const { manager, store } = managed()
  await store.set(recordKey, text)
  const verifications = manager()
  const calls = [
    () => verifications.get(subject),
    () => verifications.start(subject),
    () => verifications.refresh(subject),
    () => verifications.handle(eventFor('sess_1')),
    () => verifications.ensureApproved(subject),
    () =>
      verifications.review(subject, {
        sessionId: 'sess_1',
        status: 'DECLINED',
        by: 'agent-7',
        reason: 'altered',
      }),
  ]

  for (const call of calls) {
    const error = await Promise.resolve(call()).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(StoreError)
    expect(String(error)).not.toContain(text)
  }
  expect(await verifications.reconcile({ all: true })).toMatchObject({
    visited: 1,
    changed: 0,
    failed: 1,
  })
  expect(await verifications.forget(subject)).toBe(true)
  expect(await store.get(recordKey)).toBeNull()
})

it('a current session that the record does not have counts as none', async () => {
  const { manager, store } = managed()
  await store.set(recordKey, JSON.stringify({ ...record, current: 'sess_2' }))

  expect(await manager().get(subject)).toMatchObject({ state: 'none', sessionId: null })
  expect((await manager().start(subject)).state).toBe('open')
})

it.each([
  ['reads', { get: () => Promise.reject(new Error('refused')) }],
  ['locks', { set: () => Promise.reject(new Error('refused')) }],
])('a store that fails at %s throws StoreError', async (_, steps) => {
  const { manager, store, operations } = managed()

  await expect(manager({ store: storeWith(store, steps) }).start(subject)).rejects.toMatchObject({
    name: 'StoreError',
    message: expect.stringContaining('the store of verifications'),
  })
  expect(operations()).toEqual([])
})

it('a store whose compareAndSet never succeeds ends in StoreError', async () => {
  const { manager, store, started } = managed()
  const id = await started()
  const stuck = storeWith(store, { compareAndSet: async () => false })
  const client = approving(managed().client())

  await expect(manager({ store: stuck, client }).handle(eventFor(id))).rejects.toThrow(StoreError)
})
