import { StoreError } from '../errors/sdk-error.ts'
import { aFunction, checkOptions, positiveWholeNumber } from '../options/rules.ts'
import { realTiming } from '../runtime/timing.ts'
import { ttl, withOwnTimeLimit } from './operation.ts'
import type { ListEntry, ListedValue, ListingStore, StoreSetOptions, StoreTtlOptions } from './store.ts'

/** Options of a memory store. They are read once. Later changes to the object have no effect. */
export interface MemoryStoreOptions {
  /**
   * The time, for tests.
   *
   * @default a clock that only grows, because a system clock that is set forward would end every claim and lock at once
   */
  readonly now?: (() => Date) | undefined

  /**
   * Maximum number of values. If the store is full, a write to a key that has no value rejects with `StoreError`, and
   * nothing that has not expired is removed.
   *
   * @default no maximum
   * @throws {ConfigurationError} unless the value is a positive whole number
   */
  readonly maxEntries?: number | undefined
}

interface Entry {
  readonly value: string
  readonly expiresAt: number
}

/** Every so many writes, expired values are removed. */
const sweepEvery = 1000

/** The values of a store. */
class Entries {
  readonly #now: () => number
  readonly #maxEntries: number
  readonly #entries = new Map<string, Entry>()
  /** The times of the keys of each list. */
  readonly #lists = new Map<string, Map<string, number>>()
  #writesSinceSweep = 0
  #nextExpiry = Number.POSITIVE_INFINITY

  constructor({ now, maxEntries = Number.POSITIVE_INFINITY }: MemoryStoreOptions) {
    this.#now = now ? () => now().getTime() : realTiming.now
    this.#maxEntries = maxEntries
  }

  read(key: string): string | null {
    const entry = this.#entries.get(key)
    if (entry === undefined) return null
    if (entry.expiresAt > this.#now()) return entry.value
    this.#entries.delete(key)
    return null
  }

  write(key: string, value: string, ttlMs: number | undefined): void {
    const expiresAt = this.#now() + (ttl(ttlMs) ?? Number.POSITIVE_INFINITY)
    this.#makeRoom(key)
    this.#entries.set(key, { value, expiresAt })
    this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt)
    if (++this.#writesSinceSweep < sweepEvery) return
    this.#writesSinceSweep = 0
    this.#removeExpired()
  }

  delete(key: string): boolean {
    return this.#entries.delete(key)
  }

  /** Moves a key to another list, or to another place. */
  move(key: string, from: string | undefined, { list, at = 0 }: ListedValue): void {
    const left = from === undefined ? undefined : this.#lists.get(from)
    left?.delete(key)
    if (list !== undefined) this.#lists.set(list, (this.#lists.get(list) ?? new Map()).set(key, at))
    if (from !== undefined && left?.size === 0) this.#lists.delete(from)
  }

  listed(list: string): ReadonlyMap<string, number> {
    return this.#lists.get(list) ?? new Map()
  }

  /** A copy, because a Map also visits the keys that are added meanwhile, so that a scan might not end. */
  keys(): readonly string[] {
    return [...this.#entries.keys()]
  }

  #makeRoom(key: string): void {
    const isFull = () => this.#entries.size >= this.#maxEntries
    if (!isFull() || this.#entries.has(key)) return
    // Otherwise each write that is rejected would visit all values.
    if (this.#nextExpiry <= this.#now()) this.#removeExpired()
    if (isFull())
      throw new StoreError({
        message: `the memory store is full: it has maxEntries (${this.#maxEntries}) values`,
      })
  }

  #removeExpired(): void {
    const time = this.#now()
    this.#nextExpiry = Number.POSITIVE_INFINITY
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt <= time) this.#entries.delete(key)
      else this.#nextExpiry = Math.min(this.#nextExpiry, expiresAt)
    }
  }
}

/**
 * Creates a {@link Store} in the memory of the process, for tests and for services that run as a single process. A
 * restart loses its values, so that an event that the service sends again is handled again. It starts no timer: expired
 * values are removed during later operations.
 *
 * @throws {ConfigurationError} an option has a wrong value
 *
 * @example
 * const handler = createWebhookHandler({ secret, store: memoryStore(), consumers: [verifications] })
 */
export function memoryStore(options: MemoryStoreOptions = {}): ListingStore {
  checkOptions('memoryStore', options, {
    now: aFunction,
    maxEntries: positiveWholeNumber,
  })
  const entries = new Entries(options)
  // Each operation is atomic, and ends in time, because it does not await anything.
  return withOwnTimeLimit<ListingStore>({
    async get(key: string) {
      return entries.read(key)
    },
    async set(key: string, value: string, { ttlMs, ifAbsent }: StoreSetOptions = {}) {
      if (ifAbsent === true && entries.read(key) !== null) return false
      entries.write(key, value, ttlMs)
      return true
    },
    async compareAndSet(key: string, expected: string, value: string, { ttlMs }: StoreTtlOptions = {}) {
      if (entries.read(key) !== expected) return false
      entries.write(key, value, ttlMs)
      return true
    },
    async take(key: string) {
      const value = entries.read(key)
      entries.delete(key)
      return value
    },
    async delete(key: string) {
      const was = entries.read(key) !== null
      entries.delete(key)
      return was
    },
    async compareAndDelete(key: string, expected: string) {
      return entries.read(key) === expected && entries.delete(key)
    },
    async *scan(prefix: string) {
      if (typeof prefix !== 'string') throw new StoreError({ message: 'the prefix must be a string' })
      for (const key of entries.keys()) if (key.startsWith(prefix) && entries.read(key) !== null) yield key
    },
    lists: {
      async replace(key: string, from: ListedValue, to: ListedValue) {
        if (entries.read(key) !== from.value) return false
        if (to.value === null) entries.delete(key)
        else entries.write(key, to.value, undefined)
        entries.move(key, from.list, to)
        return true
      },
      async *range(list: string, { before = Number.POSITIVE_INFINITY } = {}) {
        // As they were at first, so that an entry that moves meanwhile is neither missed nor yielded twice.
        const listed = [...entries.listed(list)].map(([key, at]): ListEntry => ({ key, at }))
        for (const entry of listed.sort((a, b) => a.at - b.at)) if (entry.at < before) yield entry
      },
      async count(list: string) {
        return entries.listed(list).size
      },
    },
  })
}
