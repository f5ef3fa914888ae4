import { checkOptionNames, type OptionNames } from '../errors/option-names.ts'
import type { Store, StoreSetOptions, StoreTtlOptions } from './store.ts'
import { ttl } from './ttl.ts'

interface Entry {
  readonly value: string
  readonly expiresAt: number
}

const optionNames = { now: true } satisfies OptionNames<NonNullable<Parameters<typeof memoryStore>[0]>>

/** Every so many writes, expired values are removed. */
const sweepEvery = 1000

/**
 * Creates a {@link Store} in the memory of the process, for tests and for services that run as a single process. It
 * starts no timer: expired values are removed during later operations.
 *
 * @param options `now`: the clock, in milliseconds; defaults to `Date.now`
 *
 * @example
 * const handler = createWebhookHandler({ secret, store: memoryStore(), on: {} })
 */
export function memoryStore(options: { readonly now?: (() => number) | undefined } = {}): Store {
  checkOptionNames('memoryStore', options, optionNames)
  const now = options.now ?? Date.now
  const entries = new Map<string, Entry>()
  let writes = 0

  const read = (key: string): string | null => {
    const entry = entries.get(key)
    if (entry === undefined) return null
    if (entry.expiresAt > now()) return entry.value
    entries.delete(key)
    return null
  }

  const write = (key: string, value: string, ttlMs: number | undefined) => {
    const time = now()
    entries.set(key, { value, expiresAt: time + (ttl(ttlMs) ?? Number.POSITIVE_INFINITY) })
    if (++writes % sweepEvery !== 0) return
    for (const [old, { expiresAt }] of entries) if (expiresAt <= time) entries.delete(old)
  }

  // Each operation is atomic, because it does not await anything.
  return {
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
  }
}
