import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Store } from '../../src/webhooks.ts'

const hostileTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u0001',
  '\u0001"a"',
  '\ud800',
  '\udc00x',
  '\ufffd',
  '\ufeffa',
  'é',
  'e\u0301',
  '😀 中文 ؀',
  `'"\\; DROP TABLE svc_store; --`,
  '%s $1 {tag} {{tag}}',
  '*',
  'a:b',
  '__proto__',
  'constructor',
  'NULL',
  'k'.repeat(10_240),
  '😀'.repeat(2_560),
  `${'k'.repeat(10_239)}l`,
]

const many = 50
const concurrently = <T>(call: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: many }, (_, i) => call(i)))

/** How the tests of a store let time pass. */
export interface StoreClock {
  /** Lets milliseconds pass for the store. */
  pass(ms: number): Promise<unknown>
  /** Milliseconds that only grow, at about the rate of the store's clock. */
  now(): number
}

/** For engines that have a clock of their own. */
const realClock: StoreClock = { pass: (ms) => sleep(ms), now: () => performance.now() }

/** Waits until the store returns no value for the key. */
async function expired(store: Store, key: string, clock: StoreClock): Promise<void> {
  for (const deadline = clock.now() + 10_000; clock.now() < deadline; await clock.pass(5))
    if ((await store.get(key)) === null) return
  expect.fail(`${key} did not expire`)
}

/**
 * Tests that a store follows the rules of `Store`.
 *
 * @param clock a clock that the store uses too, if a test can set the time of the store; by default the real time
 */
export function testStore(name: string, open: () => Store, clock: StoreClock = realClock): void {
  const gone = (store: Store, key: string) => expired(store, key, clock)
  let keys = 0
  const aKey = () => `key ${++keys} of ${name}`

  it(`${name} keeps a value until it is deleted`, async () => {
    const [store, key] = [open(), aKey()]
    expect(await store.get(key)).toBeNull()
    expect(await store.set(key, '1')).toBe(true)
    expect(await store.get(key)).toBe('1')
    expect(await store.set(key, '2')).toBe(true)
    expect(await store.get(key)).toBe('2')
    expect(await store.delete(key)).toBe(true)
    expect(await store.delete(key)).toBe(false)
    expect(await store.get(key)).toBeNull()
  })

  it(`${name} treats an expired value as absent in each operation`, async () => {
    const store = open()
    const [read, set, replaced, taken, deleted, freed] = Array.from({ length: 6 }, aKey) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ]
    for (const key of [read, set, replaced, taken, deleted, freed]) await store.set(key, '1', { ttlMs: 30 })
    await gone(store, freed)
    expect(await store.get(read)).toBeNull()
    expect(await store.set(set, '2', { ifAbsent: true })).toBe(true)
    expect(await store.get(set)).toBe('2')
    expect(await store.compareAndSet(replaced, '1', '2')).toBe(false)
    expect(await store.take(taken)).toBeNull()
    expect(await store.delete(deleted)).toBe(false)
    expect(await store.compareAndDelete(freed, '1')).toBe(false)
  })

  it(`${name} keeps a value for its lifetime`, async () => {
    const [store, key] = [open(), aKey()]
    const from = clock.now()
    await store.set(key, '1', { ttlMs: 60 })
    await gone(store, key)
    // The clocks of two programs may differ by a rounded millisecond.
    expect(clock.now() - from).toBeGreaterThan(58)
    await store.set(key, '1', { ttlMs: 3_600_000 })
    expect(await store.get(key)).toBe('1')
  })

  it(`${name} gives an overwritten value its new lifetime, or no expiry if there is none`, async () => {
    const store = open()
    const [forever, replaced, short, shortened] = [aKey(), aKey(), aKey(), aKey()]
    await store.set(forever, '1', { ttlMs: 30 })
    // Long enough that it has not expired before it is replaced, on a busy machine too.
    await store.set(replaced, '1', { ttlMs: 1_500 })
    await store.set(short, '1')
    await store.set(shortened, '1')
    expect(await store.set(forever, '2')).toBe(true)
    expect(await store.compareAndSet(replaced, '1', '2')).toBe(true)
    await store.set(short, '2', { ttlMs: 40 })
    expect(await store.compareAndSet(shortened, '1', '2', { ttlMs: 40 })).toBe(true)
    await gone(store, short)
    await gone(store, shortened)
    await clock.pass(1_500)
    expect(await store.get(forever)).toBe('2')
    expect(await store.get(replaced)).toBe('2')
  })

  it(`${name} does not extend the lifetime of a value that it did not replace`, async () => {
    const [store, key] = [open(), aKey()]
    // Long enough that it has not expired before the next two calls, on a busy machine too.
    await store.set(key, '1', { ttlMs: 1_500 })
    expect(await store.set(key, '2', { ifAbsent: true, ttlMs: 60_000 })).toBe(false)
    expect(await store.compareAndSet(key, '3', '2', { ttlMs: 60_000 })).toBe(false)
    await gone(store, key)
  })

  it(`${name} accepts lifetimes that are fractions, zero, negative, or longer than can be measured`, async () => {
    const [store, key] = [open(), aKey()]
    expect(await store.set(key, '1', { ttlMs: 0.2 })).toBe(true)
    await gone(store, key)
    expect(await store.set(key, '1', { ttlMs: 60_000.75 })).toBe(true)
    expect(await store.get(key)).toBe('1')
    expect(await store.compareAndSet(key, '1', '2', { ttlMs: 0 })).toBe(true)
    expect(await store.get(key)).toBeNull()
    expect(await store.set(key, '1', { ttlMs: 0, ifAbsent: true })).toBe(true)
    expect(await store.set(key, '1', { ttlMs: -5, ifAbsent: true })).toBe(true)
    expect(await store.get(key)).toBeNull()
    for (const ttlMs of [Number.MAX_SAFE_INTEGER, 1e300, Number.POSITIVE_INFINITY]) {
      expect(await store.set(key, '3', { ttlMs })).toBe(true)
      expect(await store.get(key)).toBe('3')
    }
    expect(await store.set(key, '4', { ttlMs: 0, ifAbsent: true })).toBe(false)
    expect(await store.set(key, '4', { ttlMs: 0 })).toBe(true)
    expect(await store.get(key)).toBeNull()
  })

  it(`${name} writes with ifAbsent only if the key has no value`, async () => {
    const [store, key] = [open(), aKey()]
    expect(await store.set(key, '1', { ifAbsent: true })).toBe(true)
    expect(await store.set(key, '2', { ifAbsent: true })).toBe(false)
    expect(await store.get(key)).toBe('1')
    expect(await store.set(key, '2', { ifAbsent: false })).toBe(true)
    expect(await store.get(key)).toBe('2')
  })

  it(`${name} replaces and deletes a value only if it equals the expected one`, async () => {
    const [store, key] = [open(), aKey()]
    expect(await store.compareAndSet(key, '1', '2')).toBe(false)
    expect(await store.compareAndDelete(key, '1')).toBe(false)
    await store.set(key, '1')
    expect(await store.compareAndSet(key, '0', '2')).toBe(false)
    expect(await store.compareAndDelete(key, '0')).toBe(false)
    expect(await store.compareAndSet(key, '1', '2')).toBe(true)
    expect(await store.get(key)).toBe('2')
    expect(await store.compareAndDelete(key, '1')).toBe(false)
    expect(await store.get(key)).toBe('2')
    expect(await store.compareAndDelete(key, '2')).toBe(true)
    expect(await store.get(key)).toBeNull()
  })

  it(`${name} lets one of many concurrent writes with ifAbsent succeed`, async () => {
    const [store, key] = [open(), aKey()]
    const won = await concurrently((i) => store.set(key, String(i), { ifAbsent: true }))
    expect(won.filter(Boolean)).toHaveLength(1)
    expect(await store.get(key)).toBe(String(won.indexOf(true)))
  })

  it(`${name} lets one of many concurrent writes with ifAbsent replace an expired value`, async () => {
    const [store, key] = [open(), aKey()]
    await store.set(key, 'old', { ttlMs: 0.5 })
    await gone(store, key)
    const won = await concurrently((i) => store.set(key, String(i), { ifAbsent: true }))
    expect(won.filter(Boolean)).toHaveLength(1)
    expect(await store.get(key)).toBe(String(won.indexOf(true)))
  })

  it(`${name} lets one of many concurrent compareAndSet calls succeed`, async () => {
    const [store, key] = [open(), aKey()]
    await store.set(key, 'old')
    const won = await concurrently((i) => store.compareAndSet(key, 'old', String(i)))
    expect(won.filter(Boolean)).toHaveLength(1)
    expect(await store.get(key)).toBe(String(won.indexOf(true)))
  })

  it(`${name} gives a value to one of many callers that take it concurrently`, async () => {
    const [store, key] = [open(), aKey()]
    await store.set(key, '1')
    const taken = await concurrently(() => store.take(key))
    expect(taken.filter((value) => value !== null)).toEqual(['1'])
    expect(await store.get(key)).toBeNull()
  })

  it(`${name} lets one of many concurrent deletions succeed, with either operation`, async () => {
    const [store, key] = [open(), aKey()]
    await store.set(key, '1')
    const won = await concurrently((i) =>
      i % 2 === 0 ? store.delete(key) : store.compareAndDelete(key, '1'),
    )
    expect(won.filter(Boolean)).toHaveLength(1)
  })

  it(`${name} distinguishes any two keys`, async () => {
    const [store, start] = [open(), aKey()]
    for (const prefixed of [(text: string) => text, (text: string) => `${start}${text}`]) {
      const own = hostileTexts.map(prefixed)
      for (const [i, key] of own.entries()) {
        expect(await store.set(key, String(i), { ifAbsent: true })).toBe(true)
      }
      for (const [i, key] of own.entries()) expect(await store.get(key)).toBe(String(i))
      for (const [i, key] of own.entries()) expect(await store.take(key)).toBe(String(i))
    }
  })

  it(`${name} returns and compares any value unchanged`, async () => {
    const [store, key] = [open(), aKey()]
    let before = 'first'
    await store.set(key, before)
    for (const value of [...hostileTexts, 'v'.repeat(1 << 20)]) {
      expect(await store.compareAndSet(key, `${value}.`, 'wrong')).toBe(false)
      expect(await store.compareAndSet(key, before, value)).toBe(true)
      expect((await store.get(key)) === value).toBe(true)
      before = value
    }
    expect((await store.take(key)) === before).toBe(true)
  })

  it(`${name} gives the same results as a Map for any sequence of operations`, async () => {
    const store = open()
    const key = fc.constantFrom('a', 'b', '\ud83d', '__proto__')
    const value = fc.constantFrom('', '1', '2', '\ud83d')
    const step = fc.oneof(
      fc.record({ do: fc.constantFrom('get' as const, 'take' as const, 'delete' as const), key }),
      fc.record({ do: fc.constantFrom('set' as const, 'add' as const), key, value }),
      fc.record({ do: fc.constant('compareAndSet' as const), key, expected: value, value }),
      fc.record({ do: fc.constant('compareAndDelete' as const), key, expected: value }),
    )
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const start = `${name} ${++runs} `
        const model = new Map<string, string>()
        for (const each of steps) {
          const found = model.get(each.key) ?? null
          const own = start + each.key
          if (each.do === 'get') expect(await store.get(own)).toBe(found)
          if (each.do === 'take') expect(await store.take(own)).toBe(found)
          if (each.do === 'delete') expect(await store.delete(own)).toBe(found !== null)
          if (each.do === 'take' || each.do === 'delete') model.delete(each.key)
          if (each.do === 'set') expect(await store.set(own, each.value)).toBe(true)
          if (each.do === 'add') {
            expect(await store.set(own, each.value, { ifAbsent: true })).toBe(found === null)
          }
          if (each.do === 'set' || (each.do === 'add' && found === null)) model.set(each.key, each.value)
          if (each.do === 'compareAndSet') {
            expect(await store.compareAndSet(own, each.expected, each.value)).toBe(found === each.expected)
            if (found === each.expected) model.set(each.key, each.value)
          }
          if (each.do === 'compareAndDelete') {
            expect(await store.compareAndDelete(own, each.expected)).toBe(found === each.expected)
            if (found === each.expected) model.delete(each.key)
          }
        }
      }),
      { numRuns: 60 },
    )
  })
}
