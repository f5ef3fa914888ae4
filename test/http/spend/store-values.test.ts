import { beforeAll, expect, it } from 'vitest'
import type { Store } from '../../../src/index.ts'
import { check, processes, respondWith } from './processes.ts'

const minute = 60_000

// The first call loads code, which takes real time.
beforeAll(() => check(processes({ limit: { calls: 1, perMs: minute } }).clients[0]))

/** Records how long each value is stored, by its key. */
function lifetimes() {
  const seen = new Map<string, Set<number | undefined>>()
  const note = (key: string, ttlMs: number | undefined) =>
    seen.set(key, (seen.get(key) ?? new Set()).add(ttlMs))
  const withStore = (store: Store): Store => ({
    ...store,
    set: (key, value, options) => {
      note(key, options?.ttlMs)
      return store.set(key, value, options)
    },
    compareAndSet: (key, expected, value, options) => {
      note(key, options?.ttlMs)
      return store.compareAndSet(key, expected, value, options)
    },
  })
  return { seen, withStore }
}

it('stores each counted call, and the bucket to fill, for the span of the limit and one second', async () => {
  const { seen, withStore } = lifetimes()
  const { clients, sent } = processes({ limit: { calls: 150, perMs: minute }, withStore })
  for (let n = 0; n < 150; n++) await check(clients[n % 2] as (typeof clients)[0])

  expect(sent).toHaveLength(150)
  expect(seen.has('spend-limit:60000:head:default')).toBe(true)
  expect(new Set([...seen.values()].flatMap((values) => [...values]))).toEqual(new Set([61_000]))
})

it.each([
  [402, [40_000, 30_000, 80_000]],
  [500, [40_000, 30_000]],
  [200, [40_000, 30_000]],
])(
  'stores each value of an empty wallet with a lifetime if the probe gets a %d',
  async (status, lifetimesOfProbe) => {
    const { seen, withStore } = lifetimes()
    let respond: () => Response | Promise<Response | undefined> = () => respondWith(402)
    const { clients, clock } = processes({
      limit: { calls: 100, perMs: minute, probeAfterMs: 40_000 },
      withStore,
      respond: () => respond(),
      options: { timeoutMs: 10 * minute },
    })
    await check(clients[0])
    await clock.advance(40_000)
    let resolve = (_?: Response) => {}
    respond = () => new Promise((later) => (resolve = later))
    const probe = check(clients[0])
    await clock.advance(minute)
    resolve(status === 200 ? undefined : respondWith(status))
    await probe
    await clock.advance(0)

    expect(seen.get('spend-limit:empty:default')).toEqual(new Set([20 * minute]))
    expect(seen.get('spend-limit:probe:default')).toEqual(new Set(lifetimesOfProbe))
  },
)

it.each(['-1', '1.5', '10', '1e9', 'none'])(
  'counts each call if the bucket to fill is said to be %s',
  async (head) => {
    const { clients, inner, sent } = processes({ limit: { calls: 10, perMs: minute } })
    for (let n = 0; n < 20; n++) {
      await inner.set('spend-limit:60000:head:default', head)
      await check(clients[n % 2] as (typeof clients)[0])
    }

    expect(sent).toHaveLength(10)
  },
)
