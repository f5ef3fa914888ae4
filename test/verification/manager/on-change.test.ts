import { expect, it, vi } from 'vitest'
import { StoreError, type VerificationChange, type VerificationManager } from '../../../src/index.ts'
import { patient } from '../../support/patience.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import {
  busyElsewhere,
  clientWith,
  eventFor,
  hourMs,
  managed,
  minuteMs,
  runKey,
  storeWith,
  subject,
} from './managed.ts'

const leaseMs = 30_000

/** A person with an open session that the service has approved. */
async function approvedAtService(options: Parameters<typeof managed>[0] = {}) {
  const made = managed(options)
  const id = await made.started()
  await made.emulator.sessions.complete(id, 'APPROVED')
  made.changes.length = 0
  return { ...made, id }
}

it('onChange runs for every change of state, none to open included', async () => {
  const { manager, emulator, started, transitions, changes, passTime } = managed()
  const first = await started()
  await emulator.sessions.complete(first, 'IN_REVIEW')
  await manager().refresh(subject)
  await emulator.sessions.complete(first, 'DECLINED')
  await manager().refresh(subject)
  const second = await started()
  passTime(hourMs)
  await manager().refresh(subject)
  const third = await started()
  await emulator.sessions.complete(third, 'APPROVED')
  await manager().handle(eventFor(third))

  expect(transitions()).toEqual([
    'none > open',
    'open > in_review',
    'in_review > declined',
    'declined > open',
    'open > ended',
    'ended > open',
    'open > approved',
  ])
  expect(changes.map(({ verification }) => verification.sessionId)).toEqual([
    first,
    first,
    first,
    second,
    second,
    third,
    third,
  ])
  for (const { to, verification } of changes) expect(verification).toMatchObject({ subject, state: to })
})

it('onChange does not run if the state stays the same', async () => {
  const { manager, changes, id } = await approvedAtService()
  await manager().handle(eventFor(id))
  changes.length = 0

  await manager().handle(eventFor(id))
  await manager().refresh(subject)
  await manager().start(subject)

  expect(changes).toEqual([])
})

const runsAgain: readonly [string, (verifications: VerificationManager, id: string) => PromiseLike<unknown>][] = [
  ['handle', (verifications, id) => verifications.handle(eventFor(id))],
  ['refresh', (verifications) => verifications.refresh(subject)],
  ['reconcile', (verifications) => verifications.reconcile()],
]

it.each(runsAgain)('if onChange throws, handle rejects, and the next %s runs it again', async (_, next) => {
  const { manager, changes, id } = await approvedAtService()
  const failure = new Error('the database is down')
  const failing = manager({ onChange: () => Promise.reject(failure) })

  await expect(failing.handle(eventFor(id))).rejects.toBe(failure)
  expect((await manager().get(subject)).state).toBe('approved')
  await next(manager(), id)

  const verification = await manager().get(subject)
  expect(changes).toEqual([{ id: expect.any(String), subject, from: 'open', to: 'approved', verification }])
  await next(manager(), id)
  expect(changes).toHaveLength(1)
})

it('each run of onChange for a change has the id of the change, and so has what handle returns', async () => {
  const { manager, changes, id } = await approvedAtService()
  const ids: string[] = []
  const failing = manager({
    onChange: ({ id }: VerificationChange) => {
      ids.push(id)
      throw new Error('no')
    },
  })
  await failing.handle(eventFor(id)).catch(() => {})
  await failing.refresh(subject).catch(() => {})

  const change = await manager().handle(eventFor(id))

  expect(change).toMatchObject({ from: 'open', to: 'approved' })
  expect([...ids, changes[0]?.id]).toEqual([change?.id, change?.id, change?.id])
})

it('a start rejects with what onChange throws, and the next one returns the url', async () => {
  const { manager, changes } = managed()
  const failing = manager({
    onChange: () => {
      throw new Error('no')
    },
  })

  await expect(failing.start(subject)).rejects.toThrow('no')
  expect(await failing.start(subject)).toMatchObject({ state: 'open', attempts: 1 })
  await manager().refresh(subject)

  expect(changes).toHaveLength(1)
})

it('changes that were missed are delivered in their order, each as it was', async () => {
  const { manager, emulator, id } = await approvedAtService()
  const failing = manager({ onChange: () => Promise.reject(new Error('no')) })
  await failing.handle(eventFor(id)).catch(() => {})
  const { sessionId } = await failing.start(subject, {}, { renew: 'always' }).catch(() => manager().get(subject))
  await emulator.sessions.complete(sessionId ?? '', 'DECLINED')
  const seen: VerificationChange[] = []

  await manager({ onChange: (change: VerificationChange) => seen.push(change) }).refresh(subject)

  expect(seen.map(({ from, to, verification }) => [from, to, verification.state, verification.sessionId])).toEqual([
    ['open', 'approved', 'approved', id],
    ['approved', 'open', 'open', sessionId],
    ['open', 'declined', 'declined', sessionId],
  ])
})

it('the signal of onChange aborts when another process has taken its lease', async () => {
  const { manager, store, record, clock } = managed()
  const onChange = vi.fn(
    (_: VerificationChange, { signal }: { signal: AbortSignal }) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  )
  const start = thrownBy(manager({ onChange }).start(subject))
  await vi.waitUntil(() => onChange.mock.calls.length > 0, patient)

  await store.set(runKey((await record()).delivery), 'another process')
  await clock.advance(10_000)

  expect(await start).toMatchObject({ name: 'StoreError', message: expect.stringContaining('lease') })
})

it('a process that waits for onChange in another one gives up after two leases, with StoreError', async () => {
  const { manager, store, id, clock } = await approvedAtService({ waitsTakeTime: true })
  await busyElsewhere(store, 'delivery')
  const startedAt = clock.timing.now()

  await expect(manager().handle(eventFor(id))).rejects.toMatchObject({
    name: 'StoreError',
    operation: 'verifications.handle',
    mayHaveHappened: false,
    message: expect.stringContaining('The state is recorded'),
  })

  const waitedMs = clock.timing.now() - startedAt
  expect(waitedMs).toBeGreaterThanOrEqual(2 * leaseMs)
  expect(waitedMs).toBeLessThan(2 * leaseMs + 2_000)
})

const verdict = { status: 'APPROVED', by: 'agent-7', reason: 'The photo is fine' } as const

it.each<[string, (verifications: VerificationManager, id: string, options: object) => PromiseLike<unknown>, object]>([
  ['handle', (verifications, id, options) => verifications.handle(eventFor(id), options), { mayHaveArrived: false }],
  ['refresh', (verifications, _, options) => verifications.refresh(subject, options), { mayHaveArrived: false }],
  [
    'review',
    (verifications, sessionId, options) => verifications.review(subject, { sessionId, ...verdict }, options),
    { mayHaveArrived: true, message: expect.stringContaining('The verdict was given') },
  ],
])('%s waits for onChange in another process until its deadlineMs, or its signal', async (name, call, facts) => {
  const { manager, client, store, started, emulator, clock, passTime } = managed({ waitsTakeTime: true })
  const id = await started()
  await emulator.sessions.complete(id, 'IN_REVIEW')
  await busyElsewhere(store, 'delivery')
  const { sessions } = client()
  const slow = clientWith(client(), {
    decision: (...params) => {
      passTime(3_000)
      return sessions.decision(...params)
    },
  })
  const startedAt = clock.timing.now()
  const limited = await thrownBy(call(manager({ client: slow }), id, { deadlineMs: 5_000 }))
  const waitedMs = clock.timing.now() - startedAt
  const stop = new AbortController()
  const aborted = call(manager(), id, { signal: stop.signal })
  stop.abort()

  expect(limited).toMatchObject({ name: 'TimeoutError', operation: `verifications.${name}`, limitMs: 5_000, ...facts })
  expect(waitedMs).toBe(5_000)
  expect(await thrownBy(aborted)).toMatchObject({ name: 'AbortedError' })
})

it('the signal of onChange aborts when the same process forgets the person', async () => {
  const { manager, id } = await approvedAtService()
  const verifications = manager({
    onChange: (_: VerificationChange, { signal }: { signal: AbortSignal }) =>
      verifications.forget(subject).then(() => signal.throwIfAborted()),
  })

  const error = await thrownBy(verifications.handle(eventFor(id)))

  expect(error).toMatchObject({ name: 'StoreError', message: expect.stringContaining('the person was forgotten') })
  expect(await verifications.get(subject)).toMatchObject({ state: 'none' })
})

/** A person whose session was declined while a start, which created nothing and failed, hid that. */
async function hiddenDecline() {
  const made = managed({ waitsTakeTime: true })
  const id = await made.started()
  made.passTime(hourMs)
  made.emulator.faults.add({ match: 'sessions.create', status: 503 })
  const open = clientWith(made.client(), {
    decision: async () => ({ status: 'IN_PROGRESS', decision: null, checks: [] }),
  })
  await expect(made.manager({ client: open }).start(subject)).rejects.toThrow()
  const declined = clientWith(made.client(), {
    decision: async () => ({ status: 'DECLINED', decision: 'DECLINED', checks: [] }),
  })
  expect(await made.manager({ client: declined }).handle(eventFor(id))).toBeNull()
  const startedAt = made.clock.timing.now()
  return { ...made, client: declined, waitedMs: () => made.clock.timing.now() - startedAt }
}

it('a change that a start hid is delivered by refresh, without waiting for a lease', async () => {
  const { manager, client, transitions, waitedMs } = await hiddenDecline()

  expect(await manager({ client }).refresh(subject)).toMatchObject({ state: 'declined' })

  expect(transitions()).toEqual(['none > open', 'open > declined'])
  expect(waitedMs()).toBeLessThan(leaseMs / 2)
})

it('a change that a start hid is delivered by the next start, before its own', async () => {
  const { manager, client, transitions, waitedMs } = await hiddenDecline()

  expect(await manager({ client }).start(subject)).toMatchObject({ state: 'open' })

  expect(transitions()).toEqual(['none > open', 'open > declined', 'declined > open'])
  expect(waitedMs()).toBeLessThan(leaseMs / 2)
})

it('a change whose write got no response is delivered by the next webhook, without waiting for a lease', async () => {
  const { manager, store, id, clock, changes } = await approvedAtService({ waitsTakeTime: true })
  const lossy = storeWith(store, {
    compareAndSet: async (...call) => {
      await store.compareAndSet(...call)
      throw new Error('the response was lost')
    },
    get: (key) => store.get(key),
  })
  await expect(manager({ store: lossy }).handle(eventFor(id))).rejects.toThrow(StoreError)
  const startedAt = clock.timing.now()

  await manager().handle(eventFor(id))

  expect(changes).toMatchObject([{ to: 'approved' }])
  expect(clock.timing.now() - startedAt).toBeLessThan(leaseMs / 2)
})

it('onChange can call the manager for the same subject', async () => {
  const { manager, emulator, started } = managed()
  const seen: string[] = []
  const verifications: VerificationManager = manager({
    onChange: async ({ from, to }: VerificationChange) => {
      seen.push(`${from} > ${to}`)
      if (to === 'ended') expect((await verifications.start(subject)).state).toBe('open')
    },
  })
  const id = await started(verifications)
  await emulator.sessions.complete(id, 'ABANDONED')

  expect(await verifications.handle(eventFor(id))).toMatchObject({ to: 'ended' })

  expect(seen).toEqual(['none > open', 'open > ended', 'ended > open'])
})

it('a change that is added while onChange runs is delivered by the same process', async () => {
  const { manager, emulator, started } = managed()
  const id = await started()
  await emulator.sessions.complete(id, 'IN_REVIEW')
  const seen: string[] = []
  const verifications: VerificationManager = manager({
    onChange: async ({ to }: VerificationChange) => {
      seen.push(to)
      if (to !== 'in_review') return
      await emulator.sessions.complete(id, 'APPROVED')
      expect(await verifications.handle(eventFor(id))).toMatchObject({ to: 'approved' })
    },
  })

  await verifications.handle(eventFor(id))

  expect(seen).toEqual(['in_review', 'approved'])
})

it('without onChange no change is kept, and handle returns it all the same', async () => {
  const { manager, id, record } = await approvedAtService()

  const change = await manager({ onChange: undefined }).handle(eventFor(id))

  expect(change).toMatchObject({ from: 'open', to: 'approved' })
  expect((await record()).changes).toEqual([])
})

it('delivering a change does not count as a change of the record', async () => {
  const { manager, id, passTime } = await approvedAtService()
  const slow = manager({ onChange: () => passTime(minuteMs) })

  await slow.handle(eventFor(id))

  expect((await manager().get(subject)).updatedAt).toBe('2026-01-01T00:00:00.000Z')
})

it('a manager that was forgotten while onChange waits delivers nothing', async () => {
  const { manager, id } = await approvedAtService()
  await manager({ onChange: () => Promise.reject(new Error('no')) })
    .handle(eventFor(id))
    .catch(() => {})
  await manager().forget(subject)
  const onChange = vi.fn()

  await manager({ onChange }).refresh(subject)

  expect(onChange).not.toHaveBeenCalled()
})
