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

it('stores no value of a limit for longer than a second more than its span', async () => {
  const { seen, withStore } = lifetimes()
  const { clients, sent } = processes({ limit: { calls: 150, perMs: minute }, withStore })
  for (let n = 0; n < 150; n++) await check(clients[n % 2] as (typeof clients)[0])

  expect(sent).toHaveLength(150)
  expect(seen.has('spend-limit:60000:head:default')).toBe(true)
  expect(new Set([...seen.values()].flatMap((values) => [...values]))).toEqual(new Set([61_000]))
})

it.each([402, 500, 200])(
  'stores what a 402 says for 20 minutes, and a probe for 30 seconds, if the probe gets a %d',
  async (status) => {
    const { seen, withStore } = lifetimes()
    let respond: () => Response | Promise<Response> = () => respondWith(402)
    const { clients, clock } = processes({
      limit: { calls: 100, perMs: minute, probeAfterMs: 40_000 },
      withStore,
      respond: () => respond(),
      options: { timeoutMs: 10 * minute },
    })
    await check(clients[0])
    await clock.advance(40_000)
    let resolve = (_: Response) => {}
    respond = () => new Promise((later) => (resolve = later))
    const probe = check(clients[0])
    await clock.advance(minute)
    resolve(respondWith(status))
    await probe
    await clock.advance(0)

    expect(seen.get('spend-limit:empty:default')).toEqual(new Set([20 * minute]))
    const waits = { 200: [], 402: [80_000], 500: [] }[status]
    expect(seen.get('spend-limit:probe:default')).toEqual(new Set([40_000, 30_000, ...(waits ?? [])]))
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
