import type { Store } from '../stores/store.ts'

/**
 * Writes a value to a key that has none.
 *
 * @param value must be unique, such as a UUID, so that this caller recognizes its own write
 * @returns whether this caller wrote it
 */
export async function setOnce(store: Store, key: string, value: string, ttlMs: number): Promise<boolean> {
  if (await store.set(key, value, { ttlMs, ifAbsent: true })) return true
  // The driver of a store may resend a write over a new connection. It then finds its own value.
  return (await store.get(key)) === value
}
