import { beforeEach, expect, it } from 'vitest'
import { type Timing, timing } from '../../src/runtime/timing.ts'
import {
  createWebhookHandler,
  memoryStore,
  type Store,
  StoreError,
  type WebhookHandlerOptions,
} from '../../src/webhooks.ts'
import { manualClock } from '../support/timing.ts'
import { aDelivery, clockAt, secret, signedAt } from '../support/webhook.ts'

let clock = manualClock()

beforeEach(() => {
  clock = manualClock()
})

const aStore = () => memoryStore({ now: () => new Date(clock.timing.now()) })

/** A handler whose callback runs until the test ends it, and keeps the signals that it got. */
function aHandler(options: Partial<WebhookHandlerOptions> = {}, time: Partial<Timing> = {}) {
  const errors: unknown[] = []
  const signals: AbortSignal[] = []
  const runs: { end(): void; fail(error: unknown): void }[] = []
  const settings = {
    secret,
    now: clockAt(signedAt),
    on: {
      'verification.approved': (_: unknown, { signal }: { signal: AbortSignal }) => {
        signals.push(signal)
        return new Promise<void>((resolve, reject) => void runs.push({ end: resolve, fail: reject }))
      },
    },
    onError: (error: unknown) => void errors.push(error),
    ...options,
    [timing]: { ...clock.timing, ...time },
  }
  const { handle } = createWebhookHandler(settings as WebhookHandlerOptions)
  const deliver = async () => {
    const handling = handle(await aDelivery())
    await clock.advance(0)
    return handling
  }
  return { deliver, errors, signals, runs }
}

type Compare = Store['compareAndSet']

/** A store whose writes that change a claim are made by `compare`. */
const comparing = (store: Store, compare: (real: Compare, ...args: Parameters<Compare>) => Promise<boolean>) => ({
  ...store,
  compareAndSet: (...args: Parameters<Compare>) => compare(store.compareAndSet, ...args),
})

const never = () => new Promise<boolean>(() => {})
const lost = () => Promise.reject<boolean>(new Error('connection lost'))

it('responds with 200 and reports it if an event cannot be marked as done', async () => {
  const handler = aHandler({ store: comparing(aStore(), never) })
  const handling = handler.deliver()
  await clock.advance(1_000)
  handler.runs[0]?.end()
  await clock.advance(30_000)
  expect(await handling).toMatchObject({ status: 200, outcome: 'processed' })
  expect(handler.errors).toEqual([
    expect.objectContaining({
      name: 'StoreError',
      mayHaveHappened: true,
      message: expect.stringMatching(
        /^The event was handled, but it could not be marked as done \(.*within 5000 ms \(operationTimeoutMs\)\)\. If/,
      ),
    }),
  ])
})

it('a lease that another process took over aborts the signal of the callback, and is reported at once', async () => {
  const store = aStore()
  const handler = aHandler({ store })
  const handling = handler.deliver()
  await clock.advance(10_000)
  await store.set('webhook:evt_1', 'claim:another')
  expect(handler.signals[0]?.aborted).toBe(false)
  await clock.advance(10_000)
  expect(handler.signals[0]?.aborted).toBe(true)
  expect(handler.errors).toEqual([handler.signals[0]?.reason])
  expect(handler.errors).toEqual([expect.any(StoreError)])
  const { length } = clock.timers
  await clock.advance(600_000)
  expect(clock.timers).toHaveLength(length)
  handler.runs[0]?.end()
  expect(await handling).toMatchObject({ status: 200, outcome: 'processed' })
  expect(handler.errors).toHaveLength(1)
  expect(clock.pending()).toBe(0)
})

it.each([
  ['never respond', never],
  ['fail', lost],
])('a lease whose renewals %s is lost when it must have ended, and not later', async (_, compare) => {
  const handler = aHandler({ store: comparing(aStore(), compare) })
  const handling = handler.deliver()
  await clock.advance(59_999)
  expect(handler.signals[0]?.aborted).toBe(false)
  expect(handler.errors).toHaveLength(1)
  await clock.advance(1)
  expect(handler.signals[0]?.aborted).toBe(true)
  expect(handler.errors).toEqual([
    expect.any(StoreError),
    expect.objectContaining({
      name: 'StoreError',
      message: expect.stringMatching(/^The lease of this event ended while its callback ran/),
      cause: handler.errors[0],
    }),
  ])
  handler.runs[0]?.fail(handler.signals[0]?.reason)
  expect(await handling).toMatchObject({ status: 503, outcome: 'failed', headers: { 'retry-after': '5' } })
  expect(handler.errors).toHaveLength(2)
  await clock.advance(5_000)
  expect(clock.pending()).toBe(0)
})

it('counts a lease from when its claim was sent, because the store may have counted from then', async () => {
  const store = aStore()
  const slow: Store = {
    ...comparing(store, never),
    async set(...args) {
      const claimed = await store.set(...args)
      await clock.timing.sleep(4_000, undefined)
      return claimed
    },
  }
  const handler = aHandler({ store: slow })
  void handler.deliver()
  await clock.advance(59_999)
  expect(handler.signals[0]?.aborted).toBe(false)
  await clock.advance(1)
  expect(handler.signals[0]?.aborted).toBe(true)
})

it('runs no further callback of an event whose lease was lost', async () => {
  const store = aStore()
  const seen: string[] = []
  const ends: (() => void)[] = []
  const consumer = { handle: () => new Promise<void>((resolve) => void ends.push(resolve)) }
  const on = { 'verification.approved': () => void seen.push('callback') }
  const handler = aHandler({ store, consumers: [consumer], on })
  const handling = handler.deliver()
  await clock.advance(10_000)
  await store.set('webhook:evt_1', 'claim:another')
  await clock.advance(10_000)
  ends[0]?.()
  expect(await handling).toMatchObject({ status: 503, outcome: 'failed' })
  expect(seen).toEqual([])
  expect(handler.errors).toHaveLength(1)
})

it.each([
  ['forward', 7 * 86_400_000],
  ['back', -7 * 86_400_000],
])('a system clock that is set %s neither ends a claim nor forgets a handled event', async (_, ms) => {
  let wall = Date.UTC(2026, 0, 1)
  const handler = aHandler({}, { wallClock: () => wall })
  const handling = handler.deliver()
  await clock.advance(1_000)
  wall += ms
  expect(await handler.deliver()).toMatchObject({ outcome: 'in_progress' })
  handler.runs[0]?.end()
  expect(await handling).toMatchObject({ outcome: 'processed' })
  wall += ms
  expect(await handler.deliver()).toMatchObject({ outcome: 'duplicate' })
  expect(handler.runs).toHaveLength(1)
})
