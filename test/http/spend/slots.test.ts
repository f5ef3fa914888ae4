import { setImmediate } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { OutcomeUnknownError, SpendLimitError, type Store, StoreError } from '../../../src/index.ts'
import { check, processes, respondWith, type Sent } from './processes.ts'

const minute = 60_000

// The first call loads code, which takes real time.
beforeAll(() => check(processes({ limit: { calls: 1, perMs: minute } }).clients[0]))

/** The largest number of calls that may have been charged in a span. Attempts with one key are one call. */
const mostCharged = (sent: readonly Sent[], perMs: number): number =>
  Math.max(
    ...sent.map(
      ({ at }) =>
        new Set(sent.filter((one) => one.at >= at && one.at < at + perMs).map(({ key }) => key)).size,
    ),
  )

/** The same numbers at each run, from 0 to 1. */
function randomNumbers(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

// The simulation takes the orders of few calls. Only more than 60 share buckets.
it('sends 150 calls in any minute of the store, and not more, whatever the clocks of processes show', async () => {
  const calls = 150
  const random = randomNumbers(calls)
  const { clients, clock, sent } = processes({
    limit: { calls, perMs: minute },
    aheadMs: [0, -5_000, 62_000],
    options: { maxRetries: 2 },
    respond: () => {
      const draw = random()
      if (draw < 0.1) return respondWith(503)
      if (draw < 0.15) return respondWith(429, { 'retry-after': '45' })
      return undefined
    },
  })
  const calling: Promise<unknown>[] = []
  for (let step = 0; step < 100; step++) {
    for (let n = 0; n < calls / 10; n++)
      calling.push(check(clients[Math.floor(random() * clients.length)] as (typeof clients)[0]))
    await clock.advance(Math.floor(random() * 3_000))
  }
  await clock.advance(10 * minute)
  await Promise.all(calling)

  expect(mostCharged(sent, minute)).toBe(calls)
})

it('counts a retry that waits from when it is sent', async () => {
  let requests = 0
  const { clients, clock, sent } = processes({
    limit: { calls: 1, perMs: minute },
    options: { maxRetries: 1 },
    respond: () => (requests++ === 0 ? respondWith(503, { 'retry-after': '50' }) : undefined),
  })
  const [first, other] = clients
  const calling = check(first)
  await clock.advance(50_000)
  expect(await calling).toBeUndefined()
  await clock.advance(50_000)

  expect(await check(other)).toBeInstanceOf(SpendLimitError)
  expect(sent.map(({ at }) => at)).toEqual([0, 50_000])
  await clock.advance(11_000)
  expect(await check(other)).toBeUndefined()
})

it('gives a retry a new slot if its slot has left the span', async () => {
  let requests = 0
  const { clients, clock } = processes({
    limit: { calls: 1, perMs: 30_000 },
    options: { maxRetries: 1 },
    respond: () => (requests++ === 0 ? respondWith(503, { 'retry-after': '50' }) : undefined),
  })
  const [first, other] = clients
  const calling = check(first)
  await clock.advance(50_000)
  expect(await calling).toBeUndefined()

  expect(await check(other)).toBeInstanceOf(SpendLimitError)
})

it('does not send a retry that finds no slot, and reports what may have been charged', async () => {
  const { clients, clock, sent } = processes({
    limit: { calls: 1, perMs: 30_000 },
    options: { maxRetries: 1 },
    respond: ({ process }) => (process === 0 ? respondWith(503, { 'retry-after': '50' }) : undefined),
  })
  const [first, other] = clients
  const calling = check(first)
  await clock.advance(40_000)
  expect(await check(other)).toBeUndefined()
  await clock.advance(10_000)
  const error = await calling

  expect(error).toBeInstanceOf(OutcomeUnknownError)
  expect(error).toMatchObject({ cause: { code: 'spend_limit', reason: 'limit_reached', attempts: 1 } })
  expect(sent).toHaveLength(2)
})

it('reports a retry that finds no slot as SpendLimitError if nothing can have been charged', async () => {
  const { clients, clock } = processes({
    limit: { calls: 1, perMs: 30_000 },
    options: { maxRetries: 1 },
    respond: ({ process }) => (process === 0 ? respondWith(429, { 'retry-after': '50' }) : undefined),
  })
  const [first, other] = clients
  const calling = check(first)
  await clock.advance(40_000)
  expect(await check(other)).toBeUndefined()
  await clock.advance(10_000)

  expect(await calling).toMatchObject({ code: 'spend_limit', attempts: 1 })
})

it('reports an unknown outcome if the store fails before the retry of a call that may have been executed', async () => {
  let isDown = false
  const { clients, clock, sent } = processes({
    limit: { calls: 1, perMs: minute },
    options: { maxRetries: 1 },
    respond: () => respondWith(503),
    withStore: (store) => ({
      ...store,
      get: async (key) => {
        if (isDown) throw new Error('connection lost')
        return store.get(key)
      },
    }),
  })
  const calling = check(clients[0])
  await clock.advance(0)
  isDown = true
  await clock.advance(1_000)
  const error = await calling

  expect(error).toBeInstanceOf(OutcomeUnknownError)
  expect(error).toMatchObject({ cause: { code: 'store_failed' } })
  expect(sent).toHaveLength(1)
})

it('counts a call again if its credentials took long to load', async () => {
  let clock: ReturnType<typeof processes>['clock'] | undefined
  const cluster = processes({
    limit: { calls: 1, perMs: minute },
    loadKey: () => clock?.passTime(30_000),
  })
  clock = cluster.clock
  const [first, other] = cluster.clients
  await check(first)
  await clock.advance(50_000)

  expect(await check(other)).toBeInstanceOf(SpendLimitError)
  expect(cluster.sent.map(({ at }) => at)).toEqual([30_000])
})

it('sends nothing if the store takes too long to count a call each time', async () => {
  let clock: ReturnType<typeof processes>['clock'] | undefined
  const cluster = processes({
    limit: { calls: 10, perMs: minute },
    withStore: (store) => {
      const late = async <T>(result: Promise<T>) => {
        clock?.passTime(1_500)
        return result
      }
      return {
        ...store,
        set: (...call) => late(store.set(...call)),
        compareAndSet: (...call) => late(store.compareAndSet(...call)),
      }
    },
  })
  clock = cluster.clock

  const error = await check(cluster.clients[0])

  expect(error).toBeInstanceOf(StoreError)
  expect(error).toMatchObject({ message: expect.stringMatching(/took longer than 1000 ms/) })
  expect(cluster.sent).toHaveLength(0)
})

it('does not count a call whose credentials could not be loaded', async () => {
  const { clients } = processes({
    limit: { calls: 1, perMs: minute },
    loadKey: () => {
      throw new Error('no secret manager')
    },
  })

  for (let n = 0; n < 3; n++) {
    expect(await check(clients[0])).not.toBeInstanceOf(SpendLimitError)
    await setImmediate()
  }
})

it.each(['get', 'set', 'compareAndSet'] as const)(
  'no call waits behind a %s that never returns',
  async (operation) => {
    let isSilent = false
    const { clients, clock, sent } = processes({
      limit: { calls: 1_000, perMs: minute },
      withStore: (store) => {
        const once = (): boolean => {
          const was = isSilent
          isSilent = false
          return was
        }
        const never = new Promise<never>(() => {})
        return {
          ...store,
          [operation]: (...call: never[]) => (once() ? never : Reflect.apply(store[operation], store, call)),
        }
      },
    })
    const [client] = clients
    if (operation !== 'set') await check(client)
    isSilent = true
    const stuck = check(client)
    await clock.advance(0)

    expect(await check(client)).toBeUndefined()
    await clock.advance(5_000)
    expect(await stuck).toMatchObject({ code: 'store_failed' })
    expect(sent.length).toBeGreaterThan(0)
  },
)

/** Counts the operations of a store. */
function counting() {
  const counts = { operations: 0 }
  const withStore = (store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...call: unknown[]) => {
          counts.operations++
          return Reflect.apply(value, target, call)
        }
      },
    })
  return { counts, withStore }
}

it('takes three store operations for a call of a high limit, and none for most rejected calls', async () => {
  const { counts, withStore } = counting()
  const { clients } = processes({ limit: { calls: 1_200, perMs: 24 * 60 * minute }, withStore })
  for (let n = 0; n < 1_200; n++) await check(clients[n % 2] as (typeof clients)[0])
  const allowed = counts.operations
  for (let n = 0; n < 1_000; n++) await check(clients[n % 2] as (typeof clients)[0])

  expect(allowed / 1_200).toBeLessThan(4)
  // Of each process, one search of all buckets. The other operations ask for a 402.
  expect(counts.operations - allowed - 1_000).toBeLessThan(2 * 70)
})

it('counts concurrent calls of a process with one write', async () => {
  const { counts, withStore } = counting()
  const { clients, sent } = processes({ limit: { calls: 100_000, perMs: 24 * 60 * minute }, withStore })
  await check(clients[0])
  counts.operations = 0
  await Promise.all(Array.from({ length: 100 }, () => check(clients[0])))

  expect(sent).toHaveLength(101)
  expect(counts.operations).toBeLessThanOrEqual(100 + 2)
})
