import type { Timing } from '../runtime/timing.ts'
import type { Store } from './store.ts'

/** A lock in a store. */
export interface LockOptions {
  readonly key: string
  /** How long the lock lasts if this process crashes, in milliseconds. */
  readonly ttlMs: number
  /** Whether the lock is renewed while the work runs. @default false */
  readonly renews?: boolean
  readonly timing: Pick<Timing, 'now' | 'timer'>
}

/**
 * Runs work while this process holds a lock. The store counts how long the lock lasts, so the clocks of processes may
 * differ.
 *
 * @param work is passed the time by the monotonic clock from which the lock lasts for `ttlMs` at least
 * @returns `undefined` if another run holds the lock
 */
export async function withLock<T>(
  store: Store,
  { key, ttlMs, renews = false, timing }: LockOptions,
  work: (startedAt: number) => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  const run = crypto.randomUUID()
  // Before the lock is requested, because the store counts from when it sets the lock.
  const startedAt = timing.now()
  // If that fails, the lock expires.
  const release = () => store.compareAndDelete(key, run).catch(() => {})
  try {
    const isOurs =
      (await store.set(key, run, { ttlMs, ifAbsent: true })) ||
      // The driver of a store may resend a write over a new connection. It then finds its own value.
      (await store.get(key)) === run
    if (!isOurs) return undefined
  } catch (error) {
    // The lock may be set all the same. The caller does not wait for its release, because the store has just failed.
    void release()
    throw error
  }
  let isHeld = true
  let cancelRenewal = () => {}
  const renewLater = () => {
    if (!renews || !isHeld) return
    const renew = () => void store.compareAndSet(key, run, run, { ttlMs }).then(renewLater, renewLater)
    cancelRenewal = timing.timer(renew, Math.ceil(ttlMs / 3), { unref: true })
  }
  renewLater()
  try {
    return { result: await work(startedAt) }
  } finally {
    isHeld = false
    cancelRenewal()
    await release()
  }
}
