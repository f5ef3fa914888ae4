import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import type { ListEntry, ListedValue, StoreLists } from '../../../src/stores/store.ts'
import { type StoreTestOptions, testStore } from '../../../src/stores-testing.ts'
import { memoryStore, type ScannableStore, type Store } from '../../../src/webhooks.ts'

let time = 0
const options: StoreTestOptions = {
  advance: async (ms) => {
    time += ms
  },
}
const aStore = () => memoryStore({ now: () => new Date(time) })

/** Returns a store that differs from a correct one. */
const defective = (change: (correct: ScannableStore) => Partial<Store>) => () => {
  const correct = aStore()
  return { ...correct, ...change(correct) }
}

/** Returns a store that changes keys or values before it writes or reads them. */
const rewriting = (key: (text: string) => string, value: (text: string) => string) =>
  defective((correct) => ({
    get: (k) => correct.get(key(k)),
    set: (k, v, rest) => correct.set(key(k), value(v), rest),
    compareAndSet: (k, expected, v, rest) => correct.compareAndSet(key(k), value(expected), value(v), rest),
    take: (k) => correct.take(key(k)),
    delete: (k) => correct.delete(key(k)),
    compareAndDelete: (k, expected) => correct.compareAndDelete(key(k), value(expected)),
  }))

/** Returns a store whose lists differ from correct ones. */
const withLists = (change: (correct: StoreLists) => Partial<StoreLists>) => () => {
  const correct = aStore()
  stores.set(correct.lists, correct)
  return { ...correct, lists: { ...correct.lists, ...change(correct.lists) } }
}

const stores = new WeakMap<StoreLists, Store>()

/** The store that lists belong to. */
const memory = (lists: StoreLists) => stores.get(lists) as Store

const same = (text: string) => text
const hour = 3_600_000

const defects: readonly (readonly [defect: string, makeStore: () => Store, broken: string])[] = [
  [
    'whose take reads first and deletes later',
    defective((correct) => ({
      async take(key) {
        const value = await correct.get(key)
        await correct.delete(key)
        return value
      },
    })),
    'gives a value to one of many callers that take it concurrently',
  ],
  [
    'whose take leaves the value',
    defective((correct) => ({ take: correct.get })),
    'gives a value to one of many callers that take it concurrently',
  ],
  [
    'that ignores ttlMs',
    defective((correct) => ({
      set: (key, value, { ifAbsent } = {}) => correct.set(key, value, { ifAbsent }),
    })),
    'treats an expired value as absent in each operation',
  ],
  [
    'whose compareAndSet ignores ttlMs',
    defective((correct) => ({
      compareAndSet: (key, expected, value) => correct.compareAndSet(key, expected, value),
    })),
    'gives an overwritten value its new lifetime, or no expiry if there is none',
  ],
  [
    'whose compareAndSet without ttlMs keeps the old lifetime',
    defective((correct) => {
      const lifetimes = new Map<string, number | undefined>()
      return {
        set: (key, value, rest = {}) => {
          lifetimes.set(key, rest.ttlMs)
          return correct.set(key, value, rest)
        },
        compareAndSet: (key, expected, value, { ttlMs = lifetimes.get(key) } = {}) =>
          correct.compareAndSet(key, expected, value, { ttlMs }),
      }
    }),
    'gives an overwritten value its new lifetime, or no expiry if there is none',
  ],
  [
    'that measures ttlMs in seconds',
    defective((correct) => ({
      set: (key, value, { ttlMs, ...rest } = {}) => correct.set(key, value, { ...rest, ttlMs: ttlMs && ttlMs * 1_000 }),
    })),
    'keeps a value for its lifetime',
  ],
  [
    'that rounds ttlMs down to seconds',
    defective((correct) => ({
      set: (key, value, { ttlMs, ...rest } = {}) =>
        correct.set(key, value, { ...rest, ttlMs: ttlMs && Math.floor(ttlMs / 1_000) * 1_000 }),
    })),
    'keeps a value for its lifetime',
  ],
  [
    'that keeps no value longer than a minute',
    defective((correct) => ({
      set: (key, value, { ttlMs = hour, ...rest } = {}) =>
        ttlMs > 60_000 ? Promise.resolve(true) : correct.set(key, value, { ...rest, ttlMs }),
    })),
    'keeps a value for its lifetime',
  ],
  [
    'whose writes with ifAbsent extend the lifetime of the value that they find',
    defective((correct) => ({
      async set(key, value, rest = {}) {
        const found = await correct.get(key)
        if (rest.ifAbsent !== true || found === null) return correct.set(key, value, rest)
        await correct.set(key, found, { ttlMs: rest.ttlMs })
        return false
      },
    })),
    'does not extend the lifetime of a value that it did not replace',
  ],
  [
    'that treats ttlMs 0 as no expiry',
    defective((correct) => ({
      set: (key, value, { ttlMs, ...rest } = {}) => correct.set(key, value, { ...rest, ttlMs: ttlMs || undefined }),
    })),
    'accepts lifetimes that are fractions, zero, negative, or longer than can be measured',
  ],
  [
    'that rejects a ttlMs that is not a whole number',
    defective((correct) => ({
      async set(key, value, { ttlMs = 0, ...rest } = {}) {
        if (!Number.isSafeInteger(ttlMs)) throw new RangeError('value is not an integer or out of range')
        return correct.set(key, value, { ...rest, ttlMs })
      },
    })),
    'accepts lifetimes that are fractions, zero, negative, or longer than can be measured',
  ],
  [
    'that ignores ifAbsent',
    defective((correct) => ({ set: (key, value, { ttlMs } = {}) => correct.set(key, value, { ttlMs }) })),
    'writes with ifAbsent only if the key has no value',
  ],
  [
    'that treats an empty value as absent',
    defective((correct) => ({ get: async (key) => (await correct.get(key)) || null })),
    'returns and compares any value unchanged',
  ],
  [
    'whose writes with ifAbsent read first and write later',
    defective((correct) => ({
      async set(key, value, rest = {}) {
        if (rest.ifAbsent === true && (await correct.get(key)) !== null) return false
        return correct.set(key, value, { ttlMs: rest.ttlMs })
      },
    })),
    'lets one of many concurrent writes with ifAbsent succeed',
  ],
  [
    'that deletes an expired value in a step of its own',
    defective((correct) => {
      const known = new Set<string>()
      return {
        async set(key, value, rest = {}) {
          const isExpired = known.has(key) && (await correct.get(key)) === null
          known.add(key)
          if (isExpired) {
            await yieldToOthers()
            await correct.delete(key)
          }
          return correct.set(key, value, rest)
        },
      }
    }),
    'lets one of many concurrent writes with ifAbsent replace an expired value',
  ],
  [
    'whose compareAndSet ignores the expected value',
    defective((correct) => ({
      compareAndSet: (key, _, value, rest) => correct.set(key, value, rest),
    })),
    'replaces and deletes a value only if it equals the expected one',
  ],
  [
    'whose compareAndSet reads first and writes later',
    defective((correct) => ({
      async compareAndSet(key, expected, value, rest) {
        return (await correct.get(key)) === expected && correct.set(key, value, rest)
      },
    })),
    'lets one of many concurrent compareAndSet calls succeed',
  ],
  [
    'whose compareAndDelete ignores the expected value',
    defective((correct) => ({ compareAndDelete: (key) => correct.delete(key) })),
    'replaces and deletes a value only if it equals the expected one',
  ],
  [
    'whose compareAndDelete reads first and deletes later',
    defective((correct) => ({
      async compareAndDelete(key, expected) {
        if ((await correct.get(key)) !== expected) return false
        await correct.delete(key)
        return true
      },
    })),
    'lets one of many concurrent deletions succeed, with either operation',
  ],
  [
    'whose delete reads first and deletes later',
    defective((correct) => ({
      async delete(key) {
        const wasThere = (await correct.get(key)) !== null
        await correct.delete(key)
        return wasThere
      },
    })),
    'lets one of many concurrent deletions succeed, with either operation',
  ],
  [
    'whose delete is true if there was nothing',
    defective((correct) => ({
      async delete(key) {
        await correct.delete(key)
        return true
      },
    })),
    'keeps a value until it is deleted',
  ],
  [
    'that returns undefined instead of null',
    defective((correct) => ({
      get: async (key) => ((await correct.get(key)) ?? undefined) as string | null,
    })),
    'keeps a value until it is deleted',
  ],
  [
    'that returns what its driver returns',
    defective((correct) => ({
      set: async (...params) => ((await correct.set(...params)) ? 'OK' : null) as unknown as boolean,
    })),
    'keeps a value until it is deleted',
  ],
  [
    'that throws synchronously',
    defective(() => ({
      take: () => {
        throw new TypeError('take is not implemented')
      },
    })),
    'keeps a value until it is deleted',
  ],
  [
    'that cannot be created',
    () => {
      throw new Error('no database')
    },
    'keeps a value until it is deleted',
  ],
  ['whose keys are not case-sensitive', rewriting((key) => key.toLowerCase(), same), 'distinguishes any two keys'],
  ['whose keys lose spaces at the end', rewriting((key) => key.trimEnd(), same), 'distinguishes any two keys'],
  ['whose keys are sent as UTF-8', rewriting((key) => key.toWellFormed(), same), 'distinguishes any two keys'],
  ['whose keys are cut', rewriting((key) => key.slice(0, 4_096), same), 'distinguishes long keys'],
  [
    'whose values are sent as UTF-8',
    rewriting(same, (value) => value.toWellFormed()),
    'returns and compares any value unchanged',
  ],
  [
    'whose values are cut',
    rewriting(same, (value) => value.slice(0, 65_536)),
    'returns and compares values of up to a megabyte unchanged',
  ],
  [
    'that does not delete a value that was written with ifAbsent',
    defective((correct) => {
      const added = new Set<string>()
      return {
        set(key, value, rest = {}) {
          if (rest.ifAbsent === true) added.add(key)
          return correct.set(key, value, rest)
        },
        delete: async (key) => (added.has(key) ? (await correct.get(key)) !== null : correct.delete(key)),
      }
    }),
    'gives the same results as a Map for sequences of operations',
  ],
  [
    'whose scan takes the prefix as a pattern',
    defective((correct) => ({
      async *scan(prefix) {
        const pattern = new RegExp(`^${prefix.replace(/[.+^${}()|\\[\]]/g, '\\$&').replace(/[*]/g, '.*')}`)
        for await (const key of correct.scan('')) if (pattern.test(key)) yield key
      },
    })),
    'lists the keys that start with a prefix and no others, if it has scan',
  ],
  [
    'whose scan returns one page',
    defective((correct) => ({
      async *scan(prefix) {
        let left = 1_000
        for await (const key of correct.scan(prefix)) if (left-- > 0) yield key
      },
    })),
    'lists every key, however many and however long, if it has scan',
  ],
  [
    'whose scan counts offsets, although keys are deleted meanwhile',
    defective((correct) => ({
      async *scan(prefix) {
        for (let offset = 0; ; offset += 100) {
          const keys: string[] = []
          for await (const key of correct.scan(prefix)) keys.push(key)
          const page = keys.sort().slice(offset, offset + 100)
          if (page.length === 0) return
          yield* page
        }
      },
    })),
    'lists every key that exists during the whole scan while others change, if it has scan',
  ],
  [
    'whose scan lists expired keys',
    defective((correct) => {
      const written = new Set<string>()
      return {
        set(key, ...rest) {
          written.add(key)
          return correct.set(key, ...rest)
        },
        async *scan(prefix) {
          for (const key of written) if (key.startsWith(prefix)) yield key
        },
      }
    }),
    'does not list an expired key, if it has scan',
  ],
  [
    'whose lists replace any value',
    withLists((correct) => ({
      async replace(key, from, to) {
        const value = await memory(correct).get(key)
        return correct.replace(key, { ...from, value }, to)
      },
    })),
    'replaces a listed value only if it equals the expected one, if it keeps lists',
  ],
  [
    'whose lists keep a key that has moved',
    withLists((correct) => ({ replace: (key, { value }, to) => correct.replace(key, { value }, to) })),
    'keeps a key in the list of its last write only, if it keeps lists',
  ],
  [
    'whose lists are in the order of their keys',
    withLists((correct) => ({
      async *range(...call) {
        const entries: ListEntry[] = []
        for await (const entry of correct.range(...call)) entries.push(entry)
        yield* entries.sort((a, b) => (a.key < b.key ? -1 : 1))
      },
    })),
    'yields the entries of a list in the order of their time, if it keeps lists',
  ],
  [
    'whose lists are read to a thousand entries',
    withLists((correct) => ({
      async *range(...call) {
        let count = 0
        for await (const entry of correct.range(...call)) if (++count <= 1_000) yield entry
      },
    })),
    'yields every entry of a list once, however many are at one time, if it keeps lists',
  ],
  [
    'whose lists have names of at most a hundred characters',
    withLists((correct) => {
      const short = (listed: ListedValue) => ({ ...listed, list: listed.list?.slice(0, 100) })
      return {
        replace: (key, from, to) => correct.replace(key, short(from), short(to)),
        range: (list, rest) => correct.range(list.trimEnd(), rest),
      }
    }),
    'distinguishes any two lists, and any two keys in them, if it keeps lists',
  ],
  [
    'whose lists compare first and write later',
    withLists((correct) => ({
      async replace(key, from, to) {
        if ((await memory(correct).get(key)) !== from.value) return false
        await yieldToOthers()
        const value = await memory(correct).get(key)
        return correct.replace(key, { ...from, value }, to)
      },
    })),
    'lets one of many concurrent replacements of a listed value succeed, if it keeps lists',
  ],
  [
    'whose lists keep an entry that has no value',
    withLists((correct) => ({
      replace: async (key, from, to) => (from.value === null && to.value === null) || correct.replace(key, from, to),
    })),
    'removes an entry that has no value, if it keeps lists',
  ],
]

/** Returns the messages of the broken rules. */
async function brokenRules(makeStore: () => Store): Promise<string[]> {
  const messages: string[] = []
  for (const { run } of testStore(makeStore, options)) await run().catch((error: Error) => messages.push(error.message))
  return messages
}

it.each(defects)('a store %s breaks a rule', async (_, makeStore, broken) => {
  const messages = await brokenRules(makeStore)

  expect(messages).toContainEqual(expect.stringMatching(`^${broken}: `))
})

it('each rule is broken by a defective store', () => {
  const names = [...testStore(aStore)].map(({ name }) => name)

  expect(new Set(defects.map(([, , broken]) => broken))).toEqual(new Set(names))
})

it('a store that follows the rules passes them all at once', async () => {
  await expect(testStore(aStore, options)).resolves.toBeUndefined()
  await expect(testStore(async () => aStore(), options)).resolves.toBeUndefined()
})

it('a store without scan passes the rules of stores that have it', async () => {
  const makeStore = () => {
    const { scan: _, ...rest } = aStore()
    return rest
  }

  await expect(testStore(makeStore, options)).resolves.toBeUndefined()
})

it('a store without lists passes the rules of stores that have them', async () => {
  const makeStore = () => {
    const { lists: _, ...rest } = aStore()
    return rest
  }

  await expect(testStore(makeStore, options)).resolves.toBeUndefined()
})

it('one error lists every broken rule with the call and its result', async () => {
  const deleting = defective((correct) => ({ compareAndDelete: (key) => correct.delete(key) }))

  const thrown: unknown = await testStore(deleting, options).then(undefined, (error: unknown) => error)

  expect(thrown).toBeInstanceOf(AggregateError)
  const { message, errors } = thrown as AggregateError
  expect(message.split('\n')).toEqual([
    'The store breaks 2 of 29 rules:',
    expect.stringMatching(
      /^- replaces and deletes a value only if it equals the expected one: compareAndDelete\("key 1 of [\w-]+", "0"\) returned true instead of false$/,
    ),
    expect.stringMatching(/^- gives the same results as a Map for sequences of operations: /),
  ])
  expect(errors.map((error: Error) => `- ${error.message}`)).toEqual(message.split('\n').slice(1))
})

it('the error of a rule keeps the error of the store as its cause', async () => {
  const failure = new Error('connection lost')
  const [first] = testStore(() => ({ ...aStore(), get: () => Promise.reject(failure) }), options)

  await expect(first?.run()).rejects.toMatchObject({ message: /: connection lost$/, cause: failure })
})

it('the error of a rule quotes the beginning of a long value', async () => {
  const cutting = rewriting(same, (value) => value.slice(0, 65_536))

  const messages = await brokenRules(cutting)

  expect(messages).toEqual([
    expect.stringMatching(/returned "v{49}\.\.\. \(65538 characters\) instead of "v{49}\.\.\. \(1048578 characters\)$/),
  ])
})

it('rules run in any order, and more than once, on one store', async () => {
  const store = aStore()
  const checks = [...testStore(() => store, options)]

  for (const { run } of [...checks.toReversed(), ...checks]) await run()
})

it('a store contains none of the keys after its rules have run', async () => {
  const store = aStore()
  const written = new Set<string>()
  const set: Store['set'] = (key, ...rest) => {
    written.add(key)
    return store.set(key, ...rest)
  }

  await testStore(() => ({ ...store, set }), options)

  expect(written.size).toBeGreaterThan(200)
  for (const key of written) expect(await store.get(key)).toBeNull()
})

it('nothing is created before the rules are awaited or run', async () => {
  const makeStore = vi.fn(aStore)

  const rules = testStore(makeStore, options)
  const checks = [...rules]

  expect(makeStore).not.toHaveBeenCalled()
  await checks[0]?.run()
  expect(makeStore).toHaveBeenCalledTimes(1)
  await rules
  expect(makeStore).toHaveBeenCalledTimes(1 + checks.length)
})

it('without a clock of its own, a store is given real time to expire its values', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  const passed = vi.fn()
  const run = testStore(() => memoryStore()).then(passed)

  for (let waitedMs = 0; waitedMs < 3_200 && passed.mock.calls.length === 0; waitedMs += 5)
    await vi.advanceTimersByTimeAsync(5)

  expect(passed).toHaveBeenCalled()
  await run
  vi.useRealTimers()
})

it('a value may expire up to two seconds late, because an engine may have a coarse clock', async () => {
  const late = (lateMs: number) =>
    defective((correct) => ({
      set: (key, value, { ttlMs, ...rest } = {}) =>
        correct.set(key, value, { ...rest, ttlMs: ttlMs && ttlMs > 0 ? ttlMs + lateMs : ttlMs }),
      compareAndSet: (key, expected, value, { ttlMs } = {}) =>
        correct.compareAndSet(key, expected, value, { ttlMs: ttlMs && ttlMs > 0 ? ttlMs + lateMs : ttlMs }),
    }))

  await expect(testStore(late(1_990), options)).resolves.toBeUndefined()
  await expect(testStore(late(2_020), options)).rejects.toThrow(/a value with ttlMs: 30 did not expire/)
})
