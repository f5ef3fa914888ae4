import type { StoreError } from '../errors/sdk-error.ts'
import { backoffMs, type Timing } from '../runtime/timing.ts'
import type { Store } from './store.ts'

const renewalsPerLease = 3

export interface LeaseOptions {
  readonly store: Store
  readonly key: string
  /** The value of the key while the lease lasts. Each lease has its own. */
  readonly holder: string
  readonly ttlMs: number
  /** When the write that began the lease was sent to the store, by the monotonic clock. */
  readonly sentAt: number
  /** Whether the lease is renewed until it ends or is lost. */
  readonly renews: boolean
  readonly timing: Pick<Timing, 'now' | 'timer' | 'random'>
  /** Creates the reason of `signal`. */
  readonly lost: (cause?: unknown) => StoreError
  /** Called with the first of several failed renewals, and once if the lease is lost. */
  readonly onError?: (error: unknown) => void
}

/** A key of a store that belongs to this process until its time to live ends. */
export class Lease {
  readonly #options: LeaseOptions
  readonly #lost = new AbortController()
  #endsAt = 0
  #cancelExpiry = () => {}
  #cancelRenewal = () => {}
  #ended = false
  #failures = 0
  #lastFailure: unknown

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#extend(options.sentAt)
  }

  /** Aborts when the lease is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /** The lease lasts at least until then, because the store counts from when it receives a write, not earlier. */
  get endsAt(): number {
    return this.#endsAt
  }

  /** Ends the renewals. The key stays as it is. */
  end(): void {
    this.#ended = true
    this.#cancelRenewal()
    this.#cancelExpiry()
  }

  /** The lease lasts for `ttlMs` from a write that the store confirmed. */
  #extend(sentAt: number): void {
    const { ttlMs, renews, timing, lost } = this.#options
    this.#endsAt = sentAt + ttlMs
    this.#cancelExpiry()
    // At once, and not when the store responds again, because another process may have started by then.
    const expire = () => this.#lose(lost(this.#lastFailure))
    this.#cancelExpiry = timing.timer(expire, Math.max(0, this.#endsAt - timing.now()), { unref: true })
    if (renews) this.#renewIn(Math.ceil(ttlMs / renewalsPerLease))
  }

  #renewIn(ms: number): void {
    this.#cancelRenewal = this.#options.timing.timer(() => void this.#renew(), ms, { unref: true })
  }

  async #renew(): Promise<void> {
    const { store, key, holder, ttlMs, timing, lost, onError } = this.#options
    const sentAt = timing.now()
    try {
      const renewed = await store.compareAndSet(key, holder, holder, { ttlMs })
      // A response that comes after the lease ended says nothing about it.
      if (this.#ended) return
      if (!renewed) return this.#lose(lost())
      this.#failures = 0
      this.#lastFailure = undefined
      this.#extend(sentAt)
    } catch (error) {
      if (this.#ended) return
      this.#lastFailure = error
      this.#failures++
      if (this.#failures === 1) onError?.(error)
      this.#renewIn(backoffMs(this.#failures, timing.random()))
    }
  }

  #lose(error: StoreError): void {
    this.end()
    this.#lost.abort(error)
    this.#options.onError?.(error)
  }
}
