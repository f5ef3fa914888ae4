import type { ProbedStore, StoreCall } from './probed-store.ts'
import type { StoreClock } from './store-clock.ts'
import { hostileTexts, longTexts } from './texts.ts'

/** Rejects if the store breaks the rule. */
export type StoreRule = (store: ProbedStore, clock: StoreClock) => Promise<void>

/** How late a value may expire, in milliseconds. An engine may have a coarse clock. */
const graceMs = 2_000

/** Long enough that a value has not expired before the next call, on a busy machine too. */
const shortMs = 1_500

const many = 50

/** Returns keys that no earlier run used, because the store may be a database that still contains them. */
function keysOfOneRule(): () => string {
  const start = crypto.randomUUID()
  let keys = 0
  return () => `key ${++keys} of ${start}`
}

/** Waits until the value has expired. */
async function expired(store: ProbedStore, key: string, ttlMs: number, clock: StoreClock): Promise<void> {
  const deadline = clock.now() + ttlMs + graceMs
  for (;;) {
    // Read before the comparison, so that a read comes after the deadline, however long the machine was busy.
    const isLast = clock.now() > deadline
    if ((await store.get(key).result()) === null) return
    if (isLast) throw new Error(`a value with ttlMs: ${ttlMs} did not expire`)
    await clock.pass(5)
  }
}

const concurrently = <Result>(call: (i: number) => StoreCall<Result>) =>
  Promise.all(Array.from({ length: many }, (_, i) => call(i).result()))

/** Rejects unless one call succeeded. Returns which. */
function onlyOne(results: readonly unknown[], succeeded: unknown): number {
  const successes = results.filter((result) => result === succeeded).length
  if (successes === 1) return results.indexOf(succeeded)
  throw new Error(`${successes} of ${results.length} concurrent calls succeeded instead of one`)
}

async function distinguishes(store: ProbedStore, keys: readonly string[]): Promise<void> {
  for (const [i, key] of keys.entries()) await store.set(key, String(i), { ifAbsent: true }).returns(true)
  for (const [i, key] of keys.entries()) await store.get(key).returns(String(i))
  for (const [i, key] of keys.entries()) await store.take(key).returns(String(i))
}

async function returnsUnchanged(store: ProbedStore, values: readonly string[]): Promise<void> {
  const key = keysOfOneRule()()
  let before = 'first'
  await store.set(key, before).returns(true)
  for (const value of values) {
    await store.compareAndSet(key, `${value}.`, 'wrong').returns(false)
    await store.compareAndSet(key, before, value).returns(true)
    await store.get(key).returns(value)
    before = value
  }
  await store.take(key).returns(before)
}

/** Writes a value under each key, some at a time. */
async function setAll(store: ProbedStore, keys: readonly string[]): Promise<void> {
  for (let i = 0; i < keys.length; i += many)
    await Promise.all(keys.slice(i, i + many).map((key) => store.set(key, '1').returns(true)))
}

/** Returns whole numbers below a limit that look random, and are the same in every run. */
function fixedNumbers(): (limit: number) => number {
  let state = 1
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647
    return state % limit
  }
}

/** Performs one operation on a store and on a Map, and compares the results. */
async function compareStep(
  store: ProbedStore,
  model: Map<string, string>,
  { operation, key, expected, value }: { operation: number; key: string; expected: string; value: string },
): Promise<void> {
  const found = model.get(key) ?? null
  switch (operation) {
    case 0:
      return store.get(key).returns(found)
    case 1:
      model.delete(key)
      return store.take(key).returns(found)
    case 2:
      model.delete(key)
      return store.delete(key).returns(found !== null)
    case 3:
      model.set(key, value)
      return store.set(key, value).returns(true)
    case 4:
      if (found === null) model.set(key, value)
      return store.set(key, value, { ifAbsent: true }).returns(found === null)
    case 5:
      if (found === expected) model.set(key, value)
      return store.compareAndSet(key, expected, value).returns(found === expected)
    default:
      if (found === expected) model.delete(key)
      return store.compareAndDelete(key, expected).returns(found === expected)
  }
}

/** Rules that let time pass. */
const timed = {
  async 'treats an expired value as absent in each operation'(store, clock) {
    const aKey = keysOfOneRule()
    const [read, set, replaced, taken, deleted, freed] = [aKey(), aKey(), aKey(), aKey(), aKey(), aKey()]
    for (const key of [read, set, replaced, taken, deleted, freed])
      await store.set(key, '1', { ttlMs: 30 }).returns(true)
    await expired(store, freed, 30, clock)
    await store.get(read).returns(null)
    await store.set(set, '2', { ifAbsent: true }).returns(true)
    await store.get(set).returns('2')
    await store.compareAndSet(replaced, '1', '2').returns(false)
    await store.take(taken).returns(null)
    await store.delete(deleted).returns(false)
    await store.compareAndDelete(freed, '1').returns(false)
  },

  async 'keeps a value for its lifetime'(store, clock) {
    const key = keysOfOneRule()()
    const from = clock.now()
    await store.set(key, '1', { ttlMs: 60 }).returns(true)
    await expired(store, key, 60, clock)
    const keptMs = clock.now() - from
    // The clocks of two programs may differ by a rounded millisecond.
    if (keptMs <= 58) throw new Error(`a value with ttlMs: 60 expired after ${Math.round(keptMs)} ms`)
    await store.set(key, '1', { ttlMs: 3_600_000 }).returns(true)
    await store.get(key).returns('1')
  },

  async 'gives an overwritten value its new lifetime, or no expiry if there is none'(store, clock) {
    const aKey = keysOfOneRule()
    const [forever, kept, short, shortened] = [aKey(), aKey(), aKey(), aKey()]
    await store.set(forever, '1', { ttlMs: 30 }).returns(true)
    await store.set(kept, '1', { ttlMs: shortMs }).returns(true)
    await store.set(short, '1').returns(true)
    await store.set(shortened, '1').returns(true)
    await store.set(forever, '2').returns(true)
    await store.compareAndSet(kept, '1', '2').returns(true)
    await store.set(short, '2', { ttlMs: 40 }).returns(true)
    await store.compareAndSet(shortened, '1', '2', { ttlMs: 40 }).returns(true)
    await expired(store, short, 40, clock)
    await expired(store, shortened, 40, clock)
    await clock.pass(shortMs)
    await store.get(forever).returns('2')
    await store.get(kept).returns('2')
  },

  async 'does not extend the lifetime of a value that it did not replace'(store, clock) {
    const key = keysOfOneRule()()
    await store.set(key, '1', { ttlMs: shortMs }).returns(true)
    await store.set(key, '2', { ifAbsent: true, ttlMs: 60_000 }).returns(false)
    await store.compareAndSet(key, '3', '2', { ttlMs: 60_000 }).returns(false)
    await expired(store, key, shortMs, clock)
  },

  async 'accepts lifetimes that are fractions, zero, negative, or longer than can be measured'(store, clock) {
    const key = keysOfOneRule()()
    await store.set(key, '1', { ttlMs: 0.2 }).returns(true)
    await expired(store, key, 0.2, clock)
    await store.set(key, '1', { ttlMs: 60_000.75 }).returns(true)
    await store.get(key).returns('1')
    await store.compareAndSet(key, '1', '2', { ttlMs: 0 }).returns(true)
    await store.get(key).returns(null)
    await store.set(key, '1', { ttlMs: 0, ifAbsent: true }).returns(true)
    await store.set(key, '1', { ttlMs: -5, ifAbsent: true }).returns(true)
    await store.get(key).returns(null)
    for (const ttlMs of [Number.MAX_SAFE_INTEGER, 1e300, Number.POSITIVE_INFINITY]) {
      await store.set(key, '3', { ttlMs }).returns(true)
      await store.get(key).returns('3')
    }
    await store.set(key, '4', { ttlMs: 0, ifAbsent: true }).returns(false)
    await store.set(key, '4', { ttlMs: 0 }).returns(true)
    await store.get(key).returns(null)
  },

  async 'lets one of many concurrent writes with ifAbsent replace an expired value'(store, clock) {
    const key = keysOfOneRule()()
    await store.set(key, 'old', { ttlMs: 0.5 }).returns(true)
    await expired(store, key, 0.5, clock)
    const results = await concurrently((i) => store.set(key, String(i), { ifAbsent: true }))
    await store.get(key).returns(String(onlyOne(results, true)))
  },

  async 'does not list an expired key, if it has scan'(store, clock) {
    const start = keysOfOneRule()()
    const [expiring, kept] = [`${start} expiring`, `${start} kept`]
    await store.set(expiring, '1', { ttlMs: 30 }).returns(true)
    await store.set(kept, '1', { ttlMs: 3_600_000 }).returns(true)
    await expired(store, expiring, 30, clock)
    await store.scansTo(start, [kept])
  },
} satisfies Record<string, StoreRule>

const untimed = {
  async 'keeps a value until it is deleted'(store) {
    const key = keysOfOneRule()()
    await store.get(key).returns(null)
    await store.set(key, '1').returns(true)
    await store.get(key).returns('1')
    await store.set(key, '2').returns(true)
    await store.get(key).returns('2')
    await store.delete(key).returns(true)
    await store.delete(key).returns(false)
    await store.get(key).returns(null)
    await store.take(key).returns(null)
  },

  async 'writes with ifAbsent only if the key has no value'(store) {
    const key = keysOfOneRule()()
    await store.set(key, '1', { ifAbsent: true }).returns(true)
    await store.set(key, '2', { ifAbsent: true }).returns(false)
    await store.get(key).returns('1')
    await store.set(key, '2', { ifAbsent: false }).returns(true)
    await store.get(key).returns('2')
  },

  async 'replaces and deletes a value only if it equals the expected one'(store) {
    const key = keysOfOneRule()()
    await store.compareAndSet(key, '1', '2').returns(false)
    await store.compareAndDelete(key, '1').returns(false)
    await store.set(key, '1').returns(true)
    await store.compareAndSet(key, '0', '2').returns(false)
    await store.compareAndDelete(key, '0').returns(false)
    await store.compareAndSet(key, '1', '2').returns(true)
    await store.get(key).returns('2')
    await store.compareAndDelete(key, '1').returns(false)
    await store.get(key).returns('2')
    await store.compareAndDelete(key, '2').returns(true)
    await store.get(key).returns(null)
  },

  async 'lets one of many concurrent writes with ifAbsent succeed'(store) {
    const key = keysOfOneRule()()
    const results = await concurrently((i) => store.set(key, String(i), { ifAbsent: true }))
    await store.get(key).returns(String(onlyOne(results, true)))
  },

  async 'lets one of many concurrent compareAndSet calls succeed'(store) {
    const key = keysOfOneRule()()
    await store.set(key, 'old').returns(true)
    const results = await concurrently((i) => store.compareAndSet(key, 'old', String(i)))
    await store.get(key).returns(String(onlyOne(results, true)))
  },

  async 'gives a value to one of many callers that take it concurrently'(store) {
    const key = keysOfOneRule()()
    await store.set(key, '1').returns(true)
    const results = await concurrently(() => store.take(key))
    onlyOne(results, '1')
    await store.get(key).returns(null)
  },

  async 'lets one of many concurrent deletions succeed, with either operation'(store) {
    const key = keysOfOneRule()()
    const deletion = () => store.delete(key)
    const comparison = () => store.compareAndDelete(key, '1')
    for (const [even, odd] of [
      [deletion, deletion],
      [comparison, comparison],
      [deletion, comparison],
    ] as const) {
      await store.set(key, '1').returns(true)
      const results = await concurrently((i) => (i % 2 === 0 ? even() : odd()))
      onlyOne(results, true)
      await store.get(key).returns(null)
    }
  },

  async 'distinguishes any two keys'(store) {
    const start = keysOfOneRule()()
    await distinguishes(store, hostileTexts)
    const prefixed = hostileTexts.map((text) => start + text)
    await distinguishes(store, prefixed)
  },

  async 'distinguishes long keys'(store) {
    const start = keysOfOneRule()()
    const prefixed = longTexts.map((text) => start + text)
    await distinguishes(store, prefixed)
  },

  async 'returns and compares any value unchanged'(store) {
    await returnsUnchanged(store, hostileTexts)
  },

  async 'returns and compares values of up to a megabyte unchanged'(store) {
    await returnsUnchanged(store, [...longTexts, 'v'.repeat(1 << 20)])
  },

  async 'lists the keys that start with a prefix and no others, if it has scan'(store) {
    if (!store.canScan) return
    const start = `${keysOfOneRule()()} `
    const keys = [...hostileTexts, ...hostileTexts.map((text) => `${text}.`)].map((text) => start + text)
    await setAll(store, [...keys, `${start.slice(0, -1)}.`])
    for (const prefix of [start, ...keys, `${start}\ud83d`, `${start}\0b`, `${start}absent`])
      await store.scansTo(
        prefix,
        keys.filter((key) => key.startsWith(prefix)),
      )
  },

  async 'lists every key, however many and however long, if it has scan'(store) {
    if (!store.canScan) return
    const start = keysOfOneRule()()
    const keys = Array.from({ length: 1_100 }, (_, i) => `${start} ${i}`)
    keys.push(...longTexts.map((text) => start + text))
    await setAll(store, keys)
    await store.scansTo(start, keys)
    await store.scansTo(
      start + 'k'.repeat(2_000),
      keys.filter((key) => key.startsWith(`${start}kk`)),
    )
  },

  async 'lists every key that exists during the whole scan while others change, if it has scan'(store) {
    if (!store.canScan) return
    const start = keysOfOneRule()()
    const kept = Array.from({ length: 600 }, (_, i) => `${start} ${i} kept`)
    const changing = Array.from({ length: 600 }, (_, i) => `${start} ${i} changing`)
    await setAll(store, [...kept, ...changing])
    const missing = new Set(kept)
    let steps = 0
    for await (const key of store.scan(start)) {
      missing.delete(key)
      if (++steps % 10 !== 0) continue
      await store.delete(String(changing[steps / 10])).result()
      await store.set(`${start} ~${steps} new`, '1').returns(true)
    }
    for (const key of missing) throw new Error(`scan("${start}") did not yield ${JSON.stringify(key)}`)
  },

  async 'replaces a listed value only if it equals the expected one, if it keeps lists'(store) {
    if (!store.lists) return
    const [key, list] = [keysOfOneRule()(), keysOfOneRule()()]
    const [none, one, two] = [{ value: null }, { value: '1', list, at: 1 }, { value: '2', list, at: 2 }]
    await store.replace(key, one, two).returns(false)
    await store.replace(key, none, one).returns(true)
    await store.replace(key, none, two).returns(false)
    await store.replace(key, two, one).returns(false)
    await store.get(key).returns('1')
    await store.replace(key, one, two).returns(true)
    await store.get(key).returns('2')
    await store.replace(key, one, none).returns(false)
    await store.replace(key, two, none).returns(true)
    await store.get(key).returns(null)
    await store.replace(key, none, none).returns(true)
    await store.listsTo(list, [])
  },

  async 'keeps a key in the list of its last write only, if it keeps lists'(store) {
    if (!store.lists) return
    const [key, first, second] = [keysOfOneRule()(), keysOfOneRule()(), keysOfOneRule()()]
    await store.replace(key, { value: null }, { value: '1', list: first, at: 1 }).returns(true)
    await store.replace(key, { value: '1', list: first }, { value: '2', list: second, at: 2 }).returns(true)
    await store.listsTo(first, [])
    await store.listsTo(second, [key])
    await store.replace(key, { value: '2', list: second }, { value: '2', list: second, at: 3 }).returns(true)
    await store.listsTo(second, [key], { before: 4 })
    await store.listsTo(second, [], { before: 3 })
    await store.replace(key, { value: '2', list: second }, { value: '3' }).returns(true)
    await store.listsTo(second, [])
    await store.get(key).returns('3')
  },

  async 'yields the entries of a list in the order of their time, if it keeps lists'(store) {
    if (!store.lists) return
    const [aKey, list] = [keysOfOneRule(), keysOfOneRule()()]
    const now = 1_800_000_000_000
    const times = [5, 1, 999, 3, 70, 2, 4].map((ms) => now + ms)
    const keys = new Map(times.map((at) => [at, aKey()]))
    for (const [at, key] of keys) await store.replace(key, { value: null }, { value: '1', list, at }).returns(true)
    const inOrder = (until: number) =>
      [...keys]
        .filter(([at]) => at < until)
        .sort(([a], [b]) => a - b)
        .map(([, key]) => key)
    await store.listsTo(list, inOrder(Number.POSITIVE_INFINITY))
    for (const before of [now, now + 3, now + 3.5, now + 1_000]) await store.listsTo(list, inOrder(before), { before })
    const count = await store.lists.count(list)
    if (count !== times.length) throw new Error(`lists.count returned ${count} instead of ${times.length}`)
  },

  async 'yields every entry of a list once, however many are at one time, if it keeps lists'(store) {
    if (!store.lists) return
    const [start, list] = [keysOfOneRule()(), keysOfOneRule()()]
    const keys = Array.from({ length: 1_100 }, (_, i) => `${start} ${i}`)
    for (let i = 0; i < keys.length; i += many) {
      const add = (key: string) => store.replace(key, { value: null }, { value: '1', list, at: 7 }).returns(true)
      await Promise.all(keys.slice(i, i + many).map(add))
    }
    const missing = new Set(keys)
    for await (const { key, at } of store.lists.range(list)) {
      if (!missing.delete(key) || at !== 7) throw new Error(`lists.range yielded ${key} at ${at}, or twice`)
      // An entry that was yielded may leave the list meanwhile.
      if (key.endsWith('3')) await store.replace(key, { value: '1', list }, { value: null }).returns(true)
    }
    for (const key of missing) throw new Error(`lists.range did not yield ${JSON.stringify(key)}`)
  },

  async 'distinguishes any two lists, and any two keys in them, if it keeps lists'(store) {
    if (!store.lists) return
    const start = keysOfOneRule()()
    const texts = [...hostileTexts, ...longTexts.slice(0, 1)].map((text) => start + text)
    for (const key of texts) await store.replace(key, { value: null }, { value: key, list: key, at: 1 }).returns(true)
    for (const key of texts) await store.listsTo(key, [key])
    for (const key of texts) await store.get(key).returns(key)
  },

  async 'lets one of many concurrent replacements of a listed value succeed, if it keeps lists'(store) {
    if (!store.lists) return
    const [key, list] = [keysOfOneRule()(), keysOfOneRule()()]
    const created = await concurrently((i) => store.replace(key, { value: null }, { value: String(i), list, at: i }))
    const from = { value: String(onlyOne(created, true)), list }
    const replaced = await concurrently((i) => store.replace(key, from, { value: `${i}.`, list, at: i }))
    await store.get(key).returns(`${onlyOne(replaced, true)}.`)
    await store.listsTo(list, [key])
  },

  async 'removes an entry that has no value, if it keeps lists'(store) {
    if (!store.lists) return
    const [key, list] = [keysOfOneRule()(), keysOfOneRule()()]
    await store.replace(key, { value: null }, { value: '1', list, at: 1 }).returns(true)
    await store.delete(key).returns(true)
    await store.replace(key, { value: null, list }, { value: null }).returns(true)
    await store.listsTo(list, [])
  },

  async 'gives the same results as a Map for sequences of operations'(store) {
    const below = fixedNumbers()
    const values = ['', '1', '2', '\ud83d']
    const sequences = Array.from({ length: 60 }, async (): Promise<void> => {
      const aKey = keysOfOneRule()
      const keys = [aKey(), `${aKey()}\ud83d`, `${aKey()}__proto__`]
      const steps = Array.from({ length: 15 }, () => ({
        operation: below(7),
        key: String(keys[below(keys.length)]),
        expected: String(values[below(values.length)]),
        value: String(values[below(values.length)]),
      }))
      const model = new Map<string, string>()
      for (const step of steps) await compareStep(store, model, step)
    })
    const failed = (await Promise.allSettled(sequences)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  },
} satisfies Record<string, StoreRule>

/** The rules by name. */
export const rules: Readonly<Record<string, StoreRule>> = { ...untimed, ...timed }

/** Names of the rules that let time pass. */
export const needsClock: ReadonlySet<string> = new Set(Object.keys(timed))
