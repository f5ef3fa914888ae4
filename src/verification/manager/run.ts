import { StoreError } from '../../errors/sdk-error.ts'
import type { Timing } from '../../runtime/timing.ts'
import { Lease } from '../../stores/lease.ts'
import type { Store } from '../../stores/store.ts'

export interface RunSettings {
  /** Separates managers that share the store. */
  readonly name: string
  readonly leaseMs: number
  readonly timing: Timing
}

/**
 * The runs of managers. A run has a lease, and a record names the run that creates a session or calls `onChange` for it.
 * The lease begins before the record names it. So a record whose run has no lease was left by a process that failed.
 */
export class Runs {
  readonly #store: Store
  readonly #settings: RunSettings

  constructor(store: Store, settings: RunSettings) {
    this.#store = store
    this.#settings = settings
  }

  async begin(): Promise<Lease> {
    const { leaseMs: ttlMs, timing } = this.#settings
    const holder = crypto.randomUUID()
    const lease = await Lease.acquire({
      store: this.#store,
      key: this.#key(holder),
      holder,
      ttlMs,
      timing,
      lost,
    })
    if (lease instanceof Lease) return lease
    throw new StoreError({ message: 'The store has another value under a key that was just created' })
  }

  /** Whether the process of a run still works. */
  async isAlive(run: string): Promise<boolean> {
    return (await this.#store.get(this.#key(run))) !== null
  }

  #key(run: string): string {
    return `verification-run:${this.#settings.name}:${run}`
  }
}

const lost = (cause?: unknown) =>
  new StoreError({
    message:
      'The lease of a run ended while it worked, so another process may run the same work. Check the connection to the store.',
    cause,
  })
