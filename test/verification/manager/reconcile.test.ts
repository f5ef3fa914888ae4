import { expect, it, vi } from 'vitest'
import { createVerificationManager, type ReconcileSummary, type VerificationManager } from '../../../src/index.ts'
import { collect } from '../../support/collect.ts'
import { approving, clientWith, hourMs, managed, minuteMs, storeWith, subject } from './managed.ts'

/** People whose sessions ended in different ways, and whose webhooks were all lost. */
async function lostWebhooks(made = managed({ limit: false })) {
  const ends = ['APPROVED', 'DECLINED', 'IN_REVIEW', 'ABANDONED', 'EXPIRED', undefined] as const
  const verifications = made.manager()
  for (const [n, status] of ends.entries()) {
    const { sessionId } = await verifications.start(`person-${n}`)
    if (status) await made.emulator.sessions.complete(sessionId ?? '', status)
  }
  made.changes.length = 0
  made.passTime(16 * minuteMs)
  return { ...made, verifications }
}

const stateOf = async (verifications: VerificationManager, who: string) => (await verifications.get(who)).state

it('finds the changes that lost webhooks would have reported', async () => {
  const { verifications, changes } = await lostWebhooks()

  const items = await collect(verifications.reconcile())

  expect(items.map((item) => item.outcome === 'changed' && `${item.change.subject} ${item.change.to}`).sort()).toEqual([
    'person-0 approved',
    'person-1 declined',
    'person-2 in_review',
    'person-3 ended',
    'person-4 ended',
  ])
  expect(await stateOf(verifications, 'person-5')).toBe('open')
  expect(changes).toHaveLength(5)
})

it('awaiting a reconcile gives the totals, and runs it once', async () => {
  const { verifications, count } = await lostWebhooks()
  const sweep = verifications.reconcile()

  expect(count('sessions.decision')).toBe(0)
  expect(await sweep).toEqual({ visited: 6, changed: 5, failed: 0, failures: [] })
  expect(await sweep).toEqual({ visited: 6, changed: 5, failed: 0, failures: [] })
  expect(count('sessions.decision')).toBe(6)
})

it('visits only records in starting, open and in_review that have not changed for olderThanMs', async () => {
  const { verifications, passTime } = await lostWebhooks()
  await verifications.reconcile()

  expect(await verifications.reconcile()).toEqual({ visited: 0, changed: 0, failed: 0, failures: [] })
  passTime(15 * minuteMs - 1)
  expect(await verifications.reconcile()).toMatchObject({ visited: 0 })
  passTime(1)
  expect(await verifications.reconcile()).toMatchObject({ visited: 2 })
  expect(await verifications.reconcile({ olderThanMs: 60 * minuteMs })).toMatchObject({ visited: 0 })
  expect(await verifications.reconcile({ olderThanMs: 0 })).toMatchObject({ visited: 2 })
})

it('visits only given subjects, by the same rule', async () => {
  const { verifications, passTime } = await lostWebhooks()
  await verifications.start('person-6')
  async function* subjects() {
    yield* ['person-0', 'person-5', 'person-6', 'person-7']
  }

  expect(await collect(verifications.reconcile({ subjects: subjects() }))).toMatchObject([
    { outcome: 'changed', change: { subject: 'person-0' } },
  ])
  passTime(15 * minuteMs)
  expect(await verifications.reconcile({ subjects: ['person-6'] })).toEqual({
    visited: 1,
    changed: 0,
    failed: 0,
    failures: [],
  })
})

it('without onChange, every change is still yielded', async () => {
  const made = managed({ onChange: undefined })
  made.emulator.faults.add({ match: 'sessions.create', reset: true, when: 'after' })
  const verifications = made.manager()
  await verifications.start(subject).catch(() => {})
  made.passTime(16 * minuteMs)

  const items = await collect(made.manager({ client: approving(made.client()) }).reconcile())

  expect(items).toMatchObject([
    { outcome: 'changed', change: { from: 'none', to: 'open' } },
    { outcome: 'changed', change: { from: 'open', to: 'approved' } },
  ])
})

it('a subject that fails yields its error, and the sweep continues', async () => {
  const { verifications, emulator } = await lostWebhooks()
  emulator.faults.add({ match: 'sessions.decision', status: 503, times: 2 })

  const items = await collect(verifications.reconcile({ concurrency: 1 }))

  expect(items.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'changed', 'changed', 'changed'])
  expect(items[0]).toEqual({
    outcome: 'failed',
    subject: 'person-0',
    error: expect.objectContaining({ name: 'ServerError' }),
  })
  expect(await verifications.reconcile()).toMatchObject({ changed: 2, failed: 0 })
})

it('the totals keep the first 1,000 failures, and count all', async () => {
  const people = Array.from({ length: 1001 }, (_, i) => `person-${i}`)
  const made = managed()
  const store = storeWith(made.store, { get: () => Promise.reject(new Error('down')) })

  const { failed, failures } = await made.manager({ store }).reconcile({ subjects: people })

  expect([failed, failures.length, failures[999]?.item]).toEqual([1001, 1000, 'person-999'])
})

it('an onChange that throws is a failure of its subject, and the change is delivered by the next sweep', async () => {
  const { verifications, manager, changes } = await lostWebhooks()
  const failing = manager({ onChange: () => Promise.reject(new Error('no')) })

  const { failures, ...counts } = await failing.reconcile()
  expect(counts).toEqual({ visited: 6, changed: 0, failed: 5 })
  expect(failures).toContainEqual({ item: 'person-0', error: new Error('no') })
  expect(failures).toHaveLength(5)
  expect(await verifications.reconcile()).toEqual({ visited: 5, changed: 5, failed: 0, failures: [] })
  expect(changes).toHaveLength(5)
})

it('a person whose change was not delivered and who is due is visited once', async () => {
  const made = managed()
  const failing = made.manager({ onChange: () => Promise.reject(new Error('no')) })
  await failing.start(subject).catch(() => {})
  made.passTime(16 * minuteMs)

  expect(await made.manager().reconcile({ concurrency: 1 })).toEqual({
    visited: 1,
    changed: 1,
    failed: 0,
    failures: [],
  })
  expect(made.count('sessions.decision')).toBe(1)
})

it('reports the totals after each subject, and what onProgress throws once', async () => {
  const print = vi.spyOn(console, 'error').mockReturnValue()
  const { verifications } = await lostWebhooks()
  const seen: ReconcileSummary[] = []
  const onProgress = (progress: ReconcileSummary) => {
    seen.push(progress)
    throw new Error('no')
  }

  const summary = await verifications.reconcile({ onProgress, concurrency: 1 })

  expect(seen.map(({ visited }) => visited)).toEqual([1, 2, 3, 4, 5, 6])
  expect(seen.at(-1)).toEqual(summary)
  expect(print.mock.calls).toEqual([[expect.stringContaining('onProgress threw: Error: no')]])
})

it.each([1, 3])('reads from the service for at most %d subjects at a time', async (concurrency) => {
  const made = await lostWebhooks()
  const real = made.client()
  let running = 0
  let most = 0
  const client = clientWith(real, {
    decision: async (...call) => {
      running++
      most = Math.max(most, running)
      const decision = await real.sessions.decision(...call)
      running--
      return decision
    },
  })

  await made.manager({ client }).reconcile({ concurrency })

  expect(most).toBe(concurrency)
})

it('an abort ends the sweep between two subjects, without throwing', async () => {
  const { verifications } = await lostWebhooks()
  const controller = new AbortController()
  const items: unknown[] = []

  for await (const item of verifications.reconcile({ concurrency: 1, signal: controller.signal })) {
    items.push(item)
    if (items.length === 2) controller.abort()
  }

  expect(items).toHaveLength(2)
  expect(await verifications.reconcile({ signal: controller.signal })).toEqual({
    visited: 0,
    changed: 0,
    failed: 0,
    failures: [],
  })
})

it('a loop that is left early ends the sweep, after the subjects in progress', async () => {
  const { verifications, changes } = await lostWebhooks()
  const sweep = verifications.reconcile({ concurrency: 2 })

  for await (const _ of sweep) break

  expect(changes).toHaveLength(2)
  expect(await sweep).toMatchObject({ visited: 2 })
})

it('a store that fails to read a list ends the sweep with its error, after the subjects in progress', async () => {
  const { manager, store, changes } = await lostWebhooks()
  const broken = storeWith(store, {
    lists: {
      ...store.lists,
      range: async function* (list) {
        if (!list.endsWith(':open')) return
        yield { key: 'verification:default:person-0', at: 0 }
        throw new Error('the store is down')
      },
    },
  })

  await expect(manager({ store: broken }).reconcile()).rejects.toMatchObject({ name: 'StoreError' })

  expect(changes).toHaveLength(1)
})

it('reconcile without subjects needs a store with scan', async () => {
  const { client, store } = managed()
  const { scan: _, lists: __, ...unscannable } = store
  const verifications = createVerificationManager({ client: client(), store: unscannable, session: {} })

  await expect(verifications.reconcile({ subjects: [] })).resolves.toMatchObject({ visited: 0 })
  // @ts-expect-error it has no scan
  await expect(verifications.reconcile()).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringContaining('scan'),
  })
})

it('visits people whose id has any characters', async () => {
  const { manager, emulator, changes, passTime } = managed()
  const people = ['*', '%_\\', 'a:b', 'ä 日本 🎉', '[a-z]?', ' ']
  for (const who of people) {
    const { sessionId } = await manager().start(who)
    await emulator.sessions.complete(sessionId ?? '', 'APPROVED')
  }
  changes.length = 0
  passTime(16 * minuteMs)

  await manager().reconcile()

  expect(changes.map((change) => change.subject).sort()).toEqual([...people].sort())
})

it('a given subject that is not text is a failure of its own', async () => {
  const { manager } = managed()

  expect(await collect(manager().reconcile({ subjects: [7 as never, ''] }))).toEqual([
    { outcome: 'failed', subject: 7, error: expect.objectContaining({ name: 'InvalidParamsError' }) },
    { outcome: 'failed', subject: '', error: expect.objectContaining({ name: 'InvalidParamsError' }) },
  ])
})

it('a sweep reads one page of a store at a time and keeps no list of subjects', async () => {
  const { manager, store } = managed()
  const next = vi.fn()
  const endless = storeWith(store, {
    lists: {
      ...store.lists,
      range: async function* () {
        for (let n = 0; ; n++) {
          next()
          yield { key: `verification:default:person-${n}`, at: n }
        }
      },
    },
  })
  const controller = new AbortController()
  const get = async () => {
    if (next.mock.calls.length === 10) controller.abort()
    return null
  }

  await manager({ store: { ...endless, get } }).reconcile({ signal: controller.signal })

  expect(next.mock.calls.length).toBeLessThan(20)
})

it.each([{}, { subjects: [subject] }, { all: true }])(
  'reconcile %j visits a record that a clock was ahead of when it was written',
  async (options) => {
    const { manager, emulator, started, clock } = managed()
    const ahead = manager({ now: () => new Date(clock.timing.wallClock() + 30 * 24 * hourMs) })
    const id = await started(ahead)
    await emulator.sessions.complete(id, 'APPROVED')

    const { visited, changed } = await manager().reconcile(options)

    expect([visited, changed]).toEqual([1, 1])
    expect(await manager().get(subject)).toMatchObject({ state: 'approved' })
  },
)
