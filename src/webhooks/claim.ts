import { StoreError } from '../errors/sdk-error.ts'
import type { Timing } from '../runtime/timing.ts'
import type { Store } from '../stores/store.ts'

export interface ClaimOptions {
  /** Names the holder of the claim. Each claim has a name of its own. */
  readonly holder: string
  readonly leaseMs: number
  readonly retainMs: number
  readonly timing: Timing
}

/** The right of this process to handle an event, for as long as its lease lasts. */
export interface Claim {
  /**
   * Renews the lease until the claim ends.
   *
   * @param onError called with every failure of the store, and once if the lease is lost
   */
  keepRenewing(onError: (error: unknown) => void): void
  /** Marks the event as done. Rejects if the lease was lost, unless `onError` was called with that already. */
  finish(): Promise<void>
  /** Releases the event for another delivery. Rejects if the lease was lost, unless `onError` was called with that. */
  release(): Promise<void>
}

const done = 'done'
const holderPrefix = 'claim:'
const renewalsPerLease = 3
/** A claim may end between the failed write and the read, and another may replace it. This bounds the attempts. */
const maxAttempts = 3

/** Claims an event for this process, unless it is done or another process is handling it. */
export async function claimEvent(
  store: Store,
  eventId: string,
  options: ClaimOptions,
): Promise<Claim | 'done' | 'in_progress'> {
  const key = `webhook:${eventId}`
  const value = holderPrefix + options.holder
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (await store.set(key, value, { ttlMs: options.leaseMs, ifAbsent: true }))
      return claimOf(store, key, value, options)
    const found = await store.get(key)
    // After a lost connection a driver may send a write twice. Then the first one made this claim.
    if (found === value) return claimOf(store, key, value, options)
    if (found === done) return 'done'
    if (found !== null) return 'in_progress'
  }
  return 'in_progress'
}

function claimOf(store: Store, key: string, value: string, options: ClaimOptions): Claim {
  const { leaseMs, retainMs, timing } = options
  let cancelTimer = () => {}
  let ended = false
  let lossReported = false

  const end = () => {
    ended = true
    cancelTimer()
  }

  const renewLater = (onError: (error: unknown) => void) => {
    const check = (renewed: boolean) => {
      // A response that comes after the claim ended says nothing about the lease.
      if (renewed || ended) return
      end()
      lossReported = true
      onError(leaseLost())
    }
    const renew = () => {
      // Before the store responds, because a store that never responds must not stop the renewals.
      renewLater(onError)
      store
        .compareAndSet(key, value, value, { ttlMs: leaseMs })
        .then(check, (error: unknown) => ended || onError(error))
    }
    cancelTimer = timing.timer(renew, Math.ceil(leaseMs / renewalsPerLease), { unref: true })
  }

  const throwIfLost = (held: boolean) => {
    if (!held && !lossReported) throw leaseLost()
  }

  return {
    keepRenewing: renewLater,
    async finish() {
      end()
      const marked = await store.compareAndSet(key, value, done, { ttlMs: retainMs })
      // If the lease ended and no other process took the event over, the event is done all the same.
      throwIfLost(marked || (await store.set(key, done, { ttlMs: retainMs, ifAbsent: true })))
    },
    async release() {
      end()
      throwIfLost(await store.compareAndDelete(key, value))
    },
  }
}

const leaseLost = () =>
  new StoreError({
    message:
      'The lease of this event ended while its callback ran, so another process may run the callback too. ' +
      'Check the connection to the store, or raise leaseMs.',
  })
