import { isSdkError } from '../../errors/any-sdk-error.ts'
import { StoreError } from '../../errors/sdk-error.ts'
import type { Timing } from '../../runtime/timing.ts'
import type { SignalContext } from '../../stores/event-inbox.ts'
import { Lease } from '../../stores/lease.ts'
import { persist } from '../../stores/operation.ts'
import type { Store } from '../../stores/store.ts'
import { type EventRunner, eventKey } from './event-runner.ts'

export interface ClaimOptions {
  /** Separates handlers that share the store. */
  readonly name: string | undefined
  readonly leaseMs: number
  readonly retainMs: number
  readonly timing: Timing
}

const done = 'done'
const holderPrefix = 'claim:'
/** A claim may end between the failed write and the read, and another may replace it. This bounds the attempts. */
const maxAttempts = 3

/** Runs an event while this process holds a claim on it in a store. */
export function claimRunner(store: Store, options: ClaimOptions): EventRunner<SignalContext> {
  return {
    record: 'the claim',
    async run(eventId, work, onError) {
      const claim = await claimEvent(store, eventKey(options.name, eventId), options, onError)
      if (!(claim instanceof Claim)) return claim
      try {
        await work({ signal: claim.signal })
      } catch (error) {
        await claim.release().catch(onError)
        throw error
      }
      // The callbacks ran, so a mark that fails must not ask the sender for another delivery.
      await claim.finish().catch(onError)
      return 'processed'
    },
  }
}

/** Claims an event for this process, unless it is done or another process is handling it. */
async function claimEvent(
  store: Store,
  key: string,
  options: ClaimOptions,
  onError: (error: unknown) => void,
): Promise<Claim | 'duplicate' | 'in_progress'> {
  const holder = holderPrefix + crypto.randomUUID()
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const sentAt = options.timing.now()
    const open = () => new Claim({ store, key, holder, sentAt, onError, ...options })
    if (await store.set(key, holder, { ttlMs: options.leaseMs, ifAbsent: true })) return open()
    const found = await store.get(key)
    // After a lost connection a driver may send a write twice. Then the first one made this claim.
    if (found === holder) return open()
    if (found === done) return 'duplicate'
    if (found !== null) return 'in_progress'
  }
  return 'in_progress'
}

interface ClaimFacts extends ClaimOptions {
  readonly store: Store
  readonly key: string
  /** The value of the key while this claim lasts. Each claim has its own. */
  readonly holder: string
  /** When the claim was sent to the store, by the monotonic clock. */
  readonly sentAt: number
  /** Called with the first of several failed renewals, and once if the lease is lost. */
  onError(error: unknown): void
}

/** The right of this process to handle an event. Its lease is renewed until it ends or is lost. */
class Claim {
  readonly #facts: ClaimFacts
  readonly #lease: Lease

  constructor(facts: ClaimFacts) {
    this.#facts = facts
    this.#lease = new Lease({ ...facts, ttlMs: facts.leaseMs, renews: true, lost: leaseLost })
  }

  /** Aborts when the lease is lost. */
  get signal(): AbortSignal {
    return this.#lease.signal
  }

  /** Marks the event as done. Rejects if that fails, or if the lease was lost and `onError` was not called with that. */
  async finish(): Promise<void> {
    this.#lease.end()
    const { store, key, holder, retainMs, timing } = this.#facts
    const mark = async () =>
      (await store.compareAndSet(key, holder, done, { ttlMs: retainMs })) ||
      // If the lease ended and no other process took the event over, the event is done all the same.
      (await store.set(key, done, { ttlMs: retainMs, ifAbsent: true })) ||
      // An earlier attempt may have written it, and its response was lost. Until the lease ends, no one else could.
      (timing.now() < this.#lease.endsAt && (await store.get(key)) === done)
    let isMarked: boolean
    try {
      isMarked = await persist(mark, timing)
    } catch (cause) {
      throw markFailed(cause)
    }
    this.#throwIfLost(isMarked)
  }

  /** Releases the event for another delivery. Rejects as `finish` does. */
  async release(): Promise<void> {
    this.#lease.end()
    const { store, key, holder } = this.#facts
    this.#throwIfLost(await store.compareAndDelete(key, holder))
  }

  #throwIfLost(held: boolean): void {
    if (!held && !this.signal.aborted) throw leaseLost()
  }
}

const leaseLost = (cause?: unknown) =>
  new StoreError({
    message:
      'The lease of this event ended while its callback ran, so another process may run the callback too. ' +
      'Check the connection to the store, or raise leaseMs.',
    cause,
  })

const markFailed = (cause: unknown) => {
  const why = isSdkError(cause) ? ` (${cause.message})` : ''
  return new StoreError({
    message:
      `The event was handled, but it could not be marked as done${why}. If it is delivered again after its lease has ` +
      'ended, its callback runs again. Check the connection to the store.',
    mayHaveHappened: true,
    cause,
  })
}
