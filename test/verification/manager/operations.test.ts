import { expect, it } from 'vitest'
import { createEventProcessor, memoryStore, type WebhookEvent } from '../../../src/webhooks.ts'
import { countingStore } from '../../support/counting-store.ts'
import { eventFor, managed, subject } from './managed.ts'

/** Each method, and the operations of the store that it may take: with and without `onChange`. */
const limits: readonly (readonly [what: string, withOnChange: number, without: number, run: Run])[] = [
  ['a start that creates a session', 5, 4, async ({ verifications }) => verifications.start(subject)],
  [
    'a start that resumes',
    1,
    1,
    async ({ verifications, reset }) => {
      await verifications.start(subject)
      reset()
      await verifications.start(subject)
    },
  ],
  [
    'a webhook that changes a state, claim included',
    6,
    4,
    async ({ verifications, reset, process, complete }) => {
      const { sessionId } = await verifications.start(subject)
      await complete(String(sessionId))
      reset()
      await process(eventFor(String(sessionId)))
    },
  ],
  [
    'a webhook that changes nothing, claim included',
    3,
    3,
    async ({ verifications, reset, process }) => {
      const { sessionId } = await verifications.start(subject)
      await verifications.refresh(subject)
      reset()
      await process(eventFor(String(sessionId)))
    },
  ],
  [
    'a webhook that comes again',
    2,
    2,
    async ({ verifications, reset, process }) => {
      const { sessionId } = await verifications.start(subject)
      await process(eventFor(String(sessionId)))
      reset()
      await process(eventFor(String(sessionId)))
    },
  ],
  ['get', 1, 1, async ({ verifications }) => verifications.get(subject)],
  ['ensureApproved', 1, 1, async ({ verifications }) => verifications.ensureApproved(subject).catch(() => {})],
  [
    'refresh that changes a state',
    4,
    2,
    async ({ verifications, reset, complete }) => {
      const { sessionId } = await verifications.start(subject)
      await complete(String(sessionId))
      reset()
      await verifications.refresh(subject)
    },
  ],
  [
    'forget',
    2,
    2,
    async ({ verifications, reset }) => {
      await verifications.start(subject)
      reset()
      await verifications.forget(subject)
    },
  ],
  ['count', 2, 2, async ({ verifications }) => verifications.count('in_review')],
]

type Run = (made: ReturnType<typeof counted>) => Promise<unknown>

function counted(onChange?: () => void) {
  const { store, operations } = countingStore(memoryStore())
  const made = managed({ store, onChange })
  const verifications = made.manager()
  const processor = createEventProcessor({ store, consumers: [verifications] })
  return {
    verifications,
    operations,
    reset: () => operations.splice(0),
    process: (event: WebhookEvent) => processor.process(event),
    complete: (id: string) => made.emulator.sessions.complete(id, 'APPROVED'),
  }
}

it.each(limits)(
  '%s takes at most %i operations of the store with onChange, and %i without',
  async (what, withOnChange, without, run) => {
    for (const [onChange, limit] of [
      [() => {}, withOnChange],
      [undefined, without],
    ] as const) {
      const made = counted(onChange)

      await run(made)

      const { operations } = made
      expect(operations.length, `${what}: ${operations.join(', ')}`).toBeLessThanOrEqual(limit)
    }
  },
)

it('the operations of reconcile and list grow with the people who are pending, not with all', async () => {
  const made = counted()
  const add = async (count: number, status?: 'APPROVED') => {
    for (let n = 0; n < count; n++) {
      const who = `${status} ${n} ${made.operations.length}`
      const { sessionId } = await made.verifications.start(who)
      if (status) await made.complete(String(sessionId))
      if (status) await made.verifications.refresh(who)
    }
  }
  const cost = async () => {
    made.reset()
    await made.verifications.reconcile({ olderThanMs: 0 })
    for await (const _ of made.verifications.list({ state: 'open' }));
    return made.operations.length
  }
  await add(3)
  await cost()
  const before = await cost()
  await add(50, 'APPROVED')

  expect(await cost()).toBe(before)
  await add(1)
  expect(await cost()).toBeGreaterThan(before)
})
