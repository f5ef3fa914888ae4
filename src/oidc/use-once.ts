import { setOrGet } from '../stores/exclusive.ts'
import type { Store } from '../stores/store.ts'

/** Processes whose clocks differ by more may reject each other's sign-ins, or accept one of them twice. */
export const maxClockDifferenceMs = 60_000

/**
 * Records the use of a value that can be used once, until no process accepts the value any more.
 *
 * @param lifetimeMs how long the value is valid after it was created
 * @returns whether it was not used before
 */
export async function useOnce(store: Store, key: string, lifetimeMs: number): Promise<boolean> {
  const use = crypto.randomUUID()
  // The time that is left by the clock of this process may be over before it is by the clock of another.
  const ttlMs = lifetimeMs + maxClockDifferenceMs
  return (await setOrGet(store, key, { value: use, ttlMs })) === use
}
