import fc from 'fast-check'
import { expect } from 'vitest'
import type { ListedValue, ListingStore } from '../../src/webhooks.ts'
import { collect } from './collect.ts'
import { commandsOn, manyOf } from './model-command.ts'

/** A value, and the time at which it ends. */
interface Entry {
  readonly value: string
  readonly endsAt: number
}

/** What the docstrings of `Store` say about the state of a store: a Map whose entries end. */
export class StoreModel {
  readonly #entries = new Map<string, Entry>()
  /** The place of each listed key. */
  readonly places = new Map<string, { readonly list: string; readonly at: number }>()
  now = 0

  get(key: string): string | null {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.endsAt > this.now ? entry.value : null
  }

  set(key: string, value: string | null, ttlMs?: number): void {
    const isEndless = ttlMs === undefined || ttlMs > Number.MAX_SAFE_INTEGER
    const endsAt = isEndless ? Number.POSITIVE_INFINITY : this.now + Math.max(0, Math.ceil(ttlMs))
    if (value === null) this.#entries.delete(key)
    else this.#entries.set(key, { value, endsAt })
  }

  keys(prefix: string): string[] {
    return [...this.#entries.keys()].filter((key) => key.startsWith(prefix) && this.get(key) !== null).sort()
  }

  range(list: string, before = Number.POSITIVE_INFINITY) {
    return [...this.places]
      .filter(([, place]) => place.list === list && place.at < before)
      .map(([key, { at }]) => ({ key, at }))
  }
}

/** A store, and what makes time pass for it. */
export interface RealStore {
  readonly store: ListingStore
  /** Absent if the time is that of an engine. */
  readonly pass?: ((ms: number) => void) | undefined
}

const command = commandsOn<StoreModel, RealStore>()

const long = 'k'.repeat(5_000)
/** Texts that an engine or a driver might store as another text, or compare in another way. */
const texts = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('', 'a', 'A', 'a ', 'ä', 'a\u0308', '\0', '\ud83d', '\ud83d\ude00'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\udc00', '\u0001"a"', '{a}', 'a*', 'a%_', long, `${long}.`, '__proto__'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
)
const values = fc.oneof(fc.constantFrom('', '1', '2', 'null', '\0', '\ud83d', '\u0001"1"', long), fc.string())

/** Keys that only `lists.replace` writes, as its docstring requires. */
const listedKeys = fc.constantFrom('', 'a', '\0', '\udc00', '{a}', long).map((key) => `listed ${key}`)
const lists = fc.constantFrom('', 'open', 'ö', 'open:1', '\ud83d', '\0')
const times = fc.oneof(fc.nat(5), fc.constantFrom(1_767_225_600_000, 2 ** 44 - 1, Number.MAX_SAFE_INTEGER))

/** Commands on a store. Lifetimes are those of the arbitrary. `expected` is the value that a key has, or any other. */
export function storeCommands(ttlMs: fc.Arbitrary<number | undefined>, maxCommands: number) {
  const expected = fc.option(values, { nil: undefined })
  return manyOf(
    [
      command('get', { key: texts }, async (model, { store }, { key }) => {
        expect(await store.get(key)).toBe(model.get(key))
      }),
      command(
        'set',
        { key: texts, value: values, ttlMs, ifAbsent: fc.boolean() },
        async (model, { store }, { key, value, ttlMs, ifAbsent }) => {
          const isWritten = !ifAbsent || model.get(key) === null
          if (isWritten) model.set(key, value, ttlMs)
          expect(await store.set(key, value, { ttlMs, ifAbsent })).toBe(isWritten)
        },
      ),
      command(
        'compareAndSet',
        { key: texts, expected, value: values, ttlMs },
        async (model, { store }, { key, expected = model.get(key) ?? '', value, ttlMs }) => {
          const isReplaced = model.get(key) === expected
          if (isReplaced) model.set(key, value, ttlMs)
          expect(await store.compareAndSet(key, expected, value, { ttlMs })).toBe(isReplaced)
        },
      ),
      command('take', { key: texts }, async (model, { store }, { key }) => {
        const value = model.get(key)
        model.set(key, null)
        expect(await store.take(key)).toBe(value)
      }),
      command('delete', { key: texts }, async (model, { store }, { key }) => {
        const had = model.get(key) !== null
        model.set(key, null)
        expect(await store.delete(key)).toBe(had)
      }),
      command(
        'compareAndDelete',
        { key: texts, expected },
        async (model, { store }, { key, expected = model.get(key) ?? '' }) => {
          const isDeleted = model.get(key) === expected
          if (isDeleted) model.set(key, null)
          expect(await store.compareAndDelete(key, expected)).toBe(isDeleted)
        },
      ),
      command('scan', { prefix: fc.oneof(texts, fc.constant('listed ')) }, async (model, { store }, { prefix }) => {
        // A key may be yielded more than once.
        expect([...new Set(await collect(store.scan(prefix)))].sort()).toEqual(model.keys(prefix))
      }),
      command(
        'lists.replace',
        {
          key: listedKeys,
          expected: fc.option(fc.option(values), { nil: undefined, freq: 3 }),
          value: fc.option(values, { freq: 3 }),
          list: fc.option(lists, { nil: undefined, freq: 5 }),
          at: fc.option(times, { nil: undefined, freq: 5 }),
        },
        async (model, { store }, { key, expected = model.get(key), value, list, at }) => {
          const from: ListedValue = { value: expected, list: model.places.get(key)?.list }
          const to: ListedValue = value === null ? { value } : { value, list, at }
          const isReplaced = model.get(key) === expected
          if (isReplaced) {
            model.set(key, value)
            if (to.list === undefined) model.places.delete(key)
            else model.places.set(key, { list: to.list, at: at ?? 0 })
          }
          expect(await store.lists.replace(key, from, to)).toBe(isReplaced)
        },
      ),
      command(
        'lists.range',
        { list: lists, before: fc.option(times, { nil: undefined }) },
        async (model, { store }, { list, before }) => {
          const entries = await collect(store.lists.range(list, { before }))
          const ats = entries.map(({ at }) => at)
          expect(ats).toEqual(ats.toSorted((a, b) => a - b))
          expect(new Set(entries.map(({ key, at }) => `${at} ${key}`))).toEqual(
            new Set(model.range(list, before).map(({ key, at }) => `${at} ${key}`)),
          )
          expect(entries).toHaveLength(model.range(list, before).length)
        },
      ),
      command('lists.count', { list: lists }, async (model, { store }, { list }) => {
        expect(await store.lists.count(list)).toBe(model.range(list).length)
      }),
      command('pass', { ms: fc.constantFrom(0, 1, 99, 60_000, 1e12) }, async (model, { pass }, { ms }) => {
        if (pass === undefined) return
        pass(ms)
        model.now += ms
      }),
    ],
    maxCommands,
  )
}
