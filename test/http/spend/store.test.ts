import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type ListingStore, OutcomeUnknownError, StoreError } from '../../../src/index.ts'
import { steppedStore } from '../../support/counting-store.ts'
import { check, checks, minute, processes, respondWith } from './processes.ts'

it('a call of the only process takes one store operation', async () => {
  const { clients, operations } = processes({ limit: { calls: 20 } })
  await checks(clients[0], 20)
  expect(operations).toHaveLength(20)
})

it('a process that calls often takes slots ahead: 0.2 operations for each of 1,000 calls', async () => {
  const { clients, operations } = processes({ limit: { calls: 1_000 } })
  expect(await checks(clients[0], 1_000)).toBe(1_000)
  expect(operations.length).toBeLessThan(250)
})

it('a burst of calls takes two operations', async () => {
  const { clients, operations, sent } = processes({ limit: { calls: 1_000 } })
  await Promise.all(Array.from({ length: 100 }, () => check(clients[0])))
  expect(sent).toHaveLength(100)
  expect(operations.length).toBeLessThanOrEqual(2)
})

it('a process that calls seldom keeps no more than a quarter of its calls from the others', async () => {
  const { clients } = processes({ limit: { calls: 1_000 }, aheadMs: Array.from({ length: 100 }, () => 0) })
  let passed = 0
  for (const client of clients) passed += await checks(client, 12)
  expect(passed).toBeGreaterThanOrEqual(800)
})

it('rejected calls take an operation each second, because what a process knows may have changed', async () => {
  const { clients, operations, clock } = processes({ limit: { calls: 1 } })
  await check(clients[0])
  operations.length = 0
  await checks(clients[0], 100)
  expect(operations).toHaveLength(0)
  await clock.advance(1_001)
  await checks(clients[0], 100)
  expect(operations).toHaveLength(1)
})

it('every value lives for the window and ten minutes', async () => {
  const lifetimes: unknown[] = []
  const { clients } = processes({
    limit: { perKey: { calls: 5, perMs: 2 * minute } },
    withStore: (store) => ({
      ...store,
      set: (key, value, options) => {
        lifetimes.push([key.split(':')[1], options?.ttlMs])
        return store.set(key, value, options)
      },
      compareAndSet: (key, expected, value, options) => {
        lifetimes.push([key.split(':')[1], options?.ttlMs])
        return store.compareAndSet(key, expected, value, options)
      },
    }),
  })
  await checks(clients[0], 2, 'ada')
  const ofKey = [String(2 * minute), 12 * minute]
  const ofAll = [String(minute), 11 * minute]
  expect(lifetimes).toEqual([ofKey, ofAll, ofKey, ofAll])
})

/** A store whose operations fail, or never end, while it is down. */
function failing(fail: () => Promise<never>) {
  const state = { isDown: false }
  const withStore = (store: ListingStore) => steppedStore(store, (_, run) => (state.isDown ? fail() : run()))
  return { state, withStore }
}

it('sends nothing if the store fails, and calls again once it does not', async () => {
  const { state, withStore } = failing(() => Promise.reject(new Error('connection lost')))
  const { clients, sent } = processes({ withStore })
  state.isDown = true
  const error = await check(clients[0])

  expect(error).toBeInstanceOf(StoreError)
  expect(error).toMatchObject({
    operation: 'checks.liveness',
    idempotencyKey: expect.any(String),
    message: expect.stringMatching(/store of the spend limit.*Nothing was sent, so you can call again\.$/),
  })
  expect(sent).toHaveLength(0)
  state.isDown = false
  expect(await check(clients[0])).toBeUndefined()
})

it('an operation that never returns ends with its time limit, and with it the calls that wait for it', async () => {
  const { state, withStore } = failing(() => new Promise<never>(() => {}))
  const { clients, clock } = processes({ withStore })
  state.isDown = true
  const stuck = check(clients[0])
  await clock.advance(3_000)
  const behind = check(clients[0])
  await clock.advance(2_000)

  expect(await Promise.all([stuck, behind])).toMatchObject([{ code: 'store_failed' }, { code: 'store_failed' }])
  state.isDown = false
  expect(await check(clients[0])).toBeUndefined()
})

it('reports an unknown outcome if the store fails before the retry of a call that may have been executed', async () => {
  const { state, withStore } = failing(() => Promise.reject(new Error('connection lost')))
  const { clients, clock, sent } = processes({
    withStore,
    options: { maxRetries: 1 },
    respond: () => respondWith(503, { 'retry-after': '50' }),
  })
  await clock.advance(30_000)
  const calling = check(clients[0])
  await clock.advance(0)
  state.isDown = true
  await clock.advance(50_000)

  expect(await calling).toBeInstanceOf(OutcomeUnknownError)
  expect(await calling).toMatchObject({ cause: { code: 'store_failed' } })
  expect(sent).toHaveLength(1)
})

it('gives up after 100 writes that other processes were faster than', async () => {
  let writes = 0
  const { clients, clock, sent } = processes({
    withStore: (store) => ({
      ...store,
      set: async () => {
        writes++
        return false
      },
    }),
  })
  const calling = check(clients[0])
  await clock.advance(5_000)

  expect(await calling).toMatchObject({
    code: 'store_failed',
    message:
      'checks.liveness: the spend limit could not be written, because other processes kept changing it. Nothing was sent, so you can call again.',
  })
  expect(writes).toBe(100)
  expect(sent).toHaveLength(0)
})

it.each([
  'not JSON',
  'null',
  '7',
  '{"calls":1}',
  '{"window":1,"calls":-1}',
  '{"window":"1","calls":1}',
  '{"window":1,"calls":1,"pause":{"untilMs":1}}',
  '{"window":1,"calls":1,"pause":{"untilMs":1,"waitMs":0}}',
])('sends nothing if the store contains %s', async (value) => {
  const { clients, inner, sent } = processes({})
  await inner.set('spend-limit:60000:all:default', value)

  const error = await check(clients[0])

  expect(error).toBeInstanceOf(StoreError)
  expect(String(error)).toMatch(/contains another value under the name of the spend limit/)
  expect(sent).toHaveLength(0)
})

it('a call that times out while the store counts it is not counted', async () => {
  let proceed = () => {}
  const { clients, clock, sent } = processes({
    limit: { calls: 1 },
    options: { timeoutMs: 20 },
    withStore: (store) => ({
      ...store,
      set: async (...call) => {
        await new Promise<void>((resolve) => (proceed = resolve))
        return store.set(...call)
      },
    }),
  })
  const calling = check(clients[0])
  await clock.advance(20)
  expect(await calling).toMatchObject({ code: 'timeout', mayHaveArrived: false })
  proceed()
  await setImmediate()

  expect(await check(clients[0])).toBeUndefined()
  expect(sent).toHaveLength(1)
})
