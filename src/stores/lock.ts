import { StoreError } from '../errors/sdk-error.ts'
import type { Timing } from '../runtime/timing.ts'
import { Lease } from './lease.ts'
import type { Store } from './store.ts'

/** A lock in a store. */
export interface LockOptions {
  readonly key: string
  /** How long the lock lasts if this process crashes, in milliseconds. */
  readonly ttlMs: number
  /** Whether the lock is renewed while the work runs. @default false */
  readonly renews?: boolean
  readonly timing: Pick<Timing, 'now' | 'timer' | 'random'>
}

/** The time in which a process holds a lock. */
export interface Held {
  /** The time by the monotonic clock from which the lock lasts for `ttlMs` at least. */
  readonly startedAt: number
  /** Aborts when the lock is lost: it was not renewed in time, so another process may hold it. */
  readonly signal: AbortSignal
}

/**
 * Runs work while this process holds a lock. The store counts how long the lock lasts, so the clocks of processes may
 * differ.
 *
 * @returns `undefined` if another run holds the lock
 */
export async function withLock<T>(
  store: Store,
  { key, ttlMs, renews = false, timing }: LockOptions,
  work: (held: Held) => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  const holder = crypto.randomUUID()
  // Before the lock is requested, because the store counts from when it sets the lock.
  const startedAt = timing.now()
  // If that fails, the lock expires.
  const release = () => store.compareAndDelete(key, holder).catch(() => {})
  try {
    const isOurs =
      (await store.set(key, holder, { ttlMs, ifAbsent: true })) ||
      // The driver of a store may resend a write over a new connection. It then finds its own value.
      (await store.get(key)) === holder
    if (!isOurs) return undefined
  } catch (error) {
    // The lock may be set all the same. The caller does not wait for its release, because the store has just failed.
    void release()
    throw error
  }
  const lease = new Lease({ store, key, holder, ttlMs, sentAt: startedAt, renews, timing, lost: lockLost })
  try {
    return { result: await work({ startedAt, signal: lease.signal }) }
  } finally {
    lease.end()
    await release()
  }
}

const lockLost = (cause?: unknown) =>
  new StoreError({
    message:
      'A lock ended while its work ran, so another process may run the same work. Check the connection to the store.',
    cause,
  })
