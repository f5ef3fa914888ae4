import { aFunction, checkOptions, type OptionRules, positiveWholeNumber } from '../errors/options.ts'
import { StoreError } from '../errors/sdk-error.ts'
import { realTiming } from '../runtime/timing.ts'
import { ttl } from './encode.ts'
import { limitingItself } from './operation.ts'
import type { ScannableStore, StoreSetOptions, StoreTtlOptions } from './store.ts'

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

const optionRules = {
  now: aFunction,
  maxEntries: positiveWholeNumber,
} satisfies OptionRules<MemoryStoreOptions>

/** Every so many writes, expired values are removed. */
const sweepEvery = 1000

/**
 * Creates a {@link Store} in the memory of the process, for tests and for services that run as a single process. It
 * starts no timer: expired values are removed during later operations.
 *
 * @throws {ConfigurationError} an option has a wrong value
 *
 * @example
 * const handler = createWebhookHandler({ secret, store: memoryStore(), consumers: [verifications] })
 */
export function memoryStore(options: MemoryStoreOptions = {}): ScannableStore {
  checkOptions('memoryStore', options, optionRules)
  const { now: date, maxEntries = Number.POSITIVE_INFINITY } = options
  const now = date ? () => date().getTime() : realTiming.now
  const entries = new Map<string, Entry>()
  let writesSinceSweep = 0
  let nextExpiry = Number.POSITIVE_INFINITY

  const read = (key: string): string | null => {
    const entry = entries.get(key)
    if (entry === undefined) return null
    if (entry.expiresAt > now()) return entry.value
    entries.delete(key)
    return null
  }

  const removeExpired = () => {
    const time = now()
    nextExpiry = Number.POSITIVE_INFINITY
    for (const [key, { expiresAt }] of entries) {
      if (expiresAt <= time) entries.delete(key)
      else nextExpiry = Math.min(nextExpiry, expiresAt)
    }
  }

  const makeRoom = (key: string) => {
    if (entries.size < maxEntries || entries.has(key)) return
    // Otherwise each write that is rejected would visit all values.
    if (nextExpiry <= now()) removeExpired()
    if (entries.size < maxEntries) return
    throw new StoreError({ message: `the memory store is full: it has maxEntries (${maxEntries}) values` })
  }

  const write = (key: string, value: string, ttlMs: number | undefined) => {
    const expiresAt = now() + (ttl(ttlMs) ?? Number.POSITIVE_INFINITY)
    makeRoom(key)
    entries.set(key, { value, expiresAt })
    nextExpiry = Math.min(nextExpiry, expiresAt)
    if (++writesSinceSweep < sweepEvery) return
    writesSinceSweep = 0
    removeExpired()
  }

  // Each operation is atomic, and ends in time, because it does not await anything.
  return limitingItself<ScannableStore>({
    async get(key: string) {
      return read(key)
    },
    async set(key: string, value: string, { ttlMs, ifAbsent }: StoreSetOptions = {}) {
      if (ifAbsent === true && read(key) !== null) return false
      write(key, value, ttlMs)
      return true
    },
    async compareAndSet(key: string, expected: string, value: string, { ttlMs }: StoreTtlOptions = {}) {
      if (read(key) !== expected) return false
      write(key, value, ttlMs)
      return true
    },
    async take(key: string) {
      const value = read(key)
      entries.delete(key)
      return value
    },
    async delete(key: string) {
      const was = read(key) !== null
      entries.delete(key)
      return was
    },
    async compareAndDelete(key: string, expected: string) {
      return read(key) === expected && entries.delete(key)
    },
    async *scan(prefix: string) {
      if (typeof prefix !== 'string') throw new StoreError({ message: 'the prefix must be a string' })
      // A Map also visits the keys that are added meanwhile, so the scan might not end.
      for (const key of [...entries.keys()]) if (key.startsWith(prefix) && read(key) !== null) yield key
    },
  })
}
