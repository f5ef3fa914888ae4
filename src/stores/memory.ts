import type { Store, StoreSetOptions, StoreTtlOptions } from './store.ts'
import { ttl } from './ttl.ts'

interface Entry {
  readonly value: string
  readonly expiresAt: number
}

/** Writes between two sweeps of what has expired. */
const sweepEvery = 1000

/**
 * A {@link Store} in the memory of one process: for tests, and for services that run as one process.
 * Expired values are dropped as it is used; it starts no timer.
 *
 * @param options `now`: the clock, in milliseconds; default `Date.now`
 *
 * @example
 * const handler = createWebhookHandler({ secret, store: memoryStore(), on: {} })
 */
export function memoryStore(options: { readonly now?: () => number } = {}): Store {
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

  // Each body runs without an await before its effect, which is what makes it atomic.
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
