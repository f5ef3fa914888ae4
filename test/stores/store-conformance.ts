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
const atOnce = <T>(call: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: many }, (_, i) => call(i)))

/** Waits until an engine with a clock of its own holds the key no longer. */
async function gone(store: Store, key: string): Promise<void> {
  await expect.poll(() => store.get(key), { interval: 5, timeout: 5_000 }).toBeNull()
}

/** The rules of `Store`, as tests that any store must pass. */
export function keepsTheRulesOfStores(name: string, open: () => Store): void {
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

  it(`${name} lets each operation see an expired value as absent`, async () => {
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

  it(`${name} keeps a value with a lifetime for that long`, async () => {
    const [store, key] = [open(), aKey()]
    const from = performance.now()
    await store.set(key, '1', { ttlMs: 60 })
    await gone(store, key)
    // Clocks of two programs may differ by a rounded millisecond.
    expect(performance.now() - from).toBeGreaterThan(58)
    await store.set(key, '1', { ttlMs: 3_600_000 })
    expect(await store.get(key)).toBe('1')
  })

  it(`${name} gives an overwritten value the new lifetime, or none`, async () => {
    const store = open()
    const [forever, replaced, short, shortened] = [aKey(), aKey(), aKey(), aKey()]
    await store.set(forever, '1', { ttlMs: 30 })
    await store.set(replaced, '1', { ttlMs: 30 })
    await store.set(short, '1')
    await store.set(shortened, '1')
    expect(await store.set(forever, '2')).toBe(true)
    expect(await store.compareAndSet(replaced, '1', '2')).toBe(true)
    await store.set(short, '2', { ttlMs: 40 })
    expect(await store.compareAndSet(shortened, '1', '2', { ttlMs: 40 })).toBe(true)
    await gone(store, short)
    await gone(store, shortened)
    expect(await store.get(forever)).toBe('2')
    expect(await store.get(replaced)).toBe('2')
  })

  it(`${name} does not lengthen the life of a value that it did not write`, async () => {
    const [store, key] = [open(), aKey()]
    await store.set(key, '1', { ttlMs: 50 })
    expect(await store.set(key, '2', { ifAbsent: true, ttlMs: 60_000 })).toBe(false)
    expect(await store.compareAndSet(key, '3', '2', { ttlMs: 60_000 })).toBe(false)
    await gone(store, key)
  })

  it(`${name} takes lifetimes of a part of a millisecond, of none, and of more than can be`, async () => {
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

  it(`${name} writes with ifAbsent only where there is nothing`, async () => {
    const [store, key] = [open(), aKey()]
    expect(await store.set(key, '1', { ifAbsent: true })).toBe(true)
    expect(await store.set(key, '2', { ifAbsent: true })).toBe(false)
    expect(await store.get(key)).toBe('1')
    expect(await store.set(key, '2', { ifAbsent: false })).toBe(true)
    expect(await store.get(key)).toBe('2')
  })

  it(`${name} replaces and deletes a value only where it is the expected one`, async () => {
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

  it(`${name} lets one of many callers win that set with ifAbsent at once`, async () => {
    const [store, key] = [open(), aKey()]
    const won = await atOnce((i) => store.set(key, String(i), { ifAbsent: true }))
    expect(won.filter(Boolean)).toHaveLength(1)
    expect(await store.get(key)).toBe(String(won.indexOf(true)))
  })

  it(`${name} lets one of many callers win the place of an expired value`, async () => {
    const [store, key] = [open(), aKey()]
    await store.set(key, 'old', { ttlMs: 0.5 })
    await gone(store, key)
    const won = await atOnce((i) => store.set(key, String(i), { ifAbsent: true }))
    expect(won.filter(Boolean)).toHaveLength(1)
    expect(await store.get(key)).toBe(String(won.indexOf(true)))
  })

  it(`${name} lets one of many callers win that replace the same value at once`, async () => {
    const [store, key] = [open(), aKey()]
    await store.set(key, 'old')
    const won = await atOnce((i) => store.compareAndSet(key, 'old', String(i)))
    expect(won.filter(Boolean)).toHaveLength(1)
    expect(await store.get(key)).toBe(String(won.indexOf(true)))
  })

  it(`${name} gives a value to one of many callers that take it at once`, async () => {
    const [store, key] = [open(), aKey()]
    await store.set(key, '1')
    const taken = await atOnce(() => store.take(key))
    expect(taken.filter((value) => value !== null)).toEqual(['1'])
    expect(await store.get(key)).toBeNull()
  })

  it(`${name} lets one of many callers win that delete at once, by any means`, async () => {
    const [store, key] = [open(), aKey()]
    await store.set(key, '1')
    const won = await atOnce((i) => (i % 2 === 0 ? store.delete(key) : store.compareAndDelete(key, '1')))
    expect(won.filter(Boolean)).toHaveLength(1)
  })

  it(`${name} tells any two keys apart`, async () => {
    const [store, start] = [open(), aKey()]
    for (const spell of [(text: string) => text, (text: string) => `${start}${text}`]) {
      const own = hostileTexts.map(spell)
      for (const [i, key] of own.entries()) {
        expect(await store.set(key, String(i), { ifAbsent: true })).toBe(true)
      }
      for (const [i, key] of own.entries()) expect(await store.get(key)).toBe(String(i))
      for (const [i, key] of own.entries()) expect(await store.take(key)).toBe(String(i))
    }
  })

  it(`${name} gives any value back as it was, and compares it so`, async () => {
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

  it(`${name} answers as a plain map does, whatever is asked of it`, async () => {
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
