import type { StoreError } from '../errors/sdk-error.ts'
import { backoffMs, type Timing } from '../runtime/timing.ts'
import { persist } from './operation.ts'
import type { Store } from './store.ts'

const renewalsPerLease = 3
/** Parts of a lease until which a request may begin, and must end. The rest is for storing what it returns. */
const latestRequest = { begin: 0.5, end: 0.8 }

/** How long a request may take that begins together with a lease, in milliseconds. */
export const longestRequestMs = (ttlMs: number): number => Math.floor(latestRequest.end * ttlMs)

/** What a callback gets in addition to what it handles. */
export interface SignalContext {
  /**
   * Aborts when the callback must not go on, mostly because the lease of this process was lost, so that another one may
   * be handling the same. The reason is a `StoreError`. Pass it to what your callback awaits, and throw when it aborts.
   */
  readonly signal: AbortSignal
}

export interface LeaseOptions {
  readonly store: Store
  readonly key: string
  /** The value of the key while the lease lasts. Each lease has its own. */
  readonly holder: string
  readonly ttlMs: number
  readonly timing: Pick<Timing, 'now' | 'timer' | 'random' | 'sleep'>
  /** Creates the reason of `signal`. */
  readonly lost: (cause?: unknown) => StoreError
  /** Called with the first of several failed renewals, and once if the lease is lost. */
  readonly onError?: (error: unknown) => void
  /** Called after each renewal. */
  readonly onRenewed?: () => void
}

/** What another process has written under the key of a lease. `null` if that has just ended. */
export interface FoundLease {
  readonly found: string | null
}

/** A key of a store that belongs to this process until its time to live ends. */
export class Lease {
  readonly #options: LeaseOptions
  readonly #lost = new AbortController()
  #endsAt = 0
  #cancelExpiry = () => {}
  #cancelRenewal = () => {}
  #renews = false
  #ended = false
  #failures = 0
  #lastFailure: unknown

  /** @param sentAt when the write that began the lease was sent to the store, by the monotonic clock */
  private constructor(options: LeaseOptions, sentAt: number) {
    this.#options = options
    this.#extend(sentAt)
  }

  /** Begins a lease, unless the key has a value. */
  static async acquire(options: LeaseOptions): Promise<Lease | FoundLease> {
    const { store, key, holder, ttlMs, timing } = options
    // Before the write is sent, because the store counts from when it receives the write.
    const sentAt = timing.now()
    try {
      const found = await setOrGet(store, key, { value: holder, ttlMs })
      return found === holder ? new Lease(options, sentAt) : { found }
    } catch (error) {
      // The lease may have begun all the same. The caller does not wait for its end, because the store has just failed.
      store.compareAndDelete(key, holder).catch(() => {})
      throw error
    }
  }

  /** Identifies the lease. */
  get holder(): string {
    return this.#options.holder
  }

  /** Aborts when the lease is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /** The lease lasts at least until then, because the store counts from when it receives a write, not earlier. */
  get endsAt(): number {
    return this.#endsAt
  }

  /** Whether the lease has neither ended nor been lost. */
  get isHeld(): boolean {
    return !this.#ended && this.#options.timing.now() < this.#endsAt
  }

  /**
   * The time after which a request must have ended, in milliseconds, so that its result is stored before another process
   * takes over. `undefined` if it would begin too late: another process may have the lease, or would get it meanwhile.
   */
  get requestMs(): number | undefined {
    const { ttlMs, timing } = this.#options
    const elapsedMs = ttlMs - (this.#endsAt - timing.now())
    const leftMs = Math.floor(longestRequestMs(ttlMs) - elapsedMs)
    return elapsedMs > latestRequest.begin * ttlMs || leftMs < 1 ? undefined : leftMs
  }

  /** @throws {StoreError} the lease was lost, also if its timer has not run yet because this process was paused */
  throwIfLost(): void {
    if (!this.#ended && !this.isHeld) this.#lose(this.#options.lost(this.#lastFailure))
    this.signal.throwIfAborted()
  }

  /** Renews the lease until it ends or is lost. */
  keep(): this {
    if (this.#renews || this.#ended) return this
    this.#renews = true
    this.#renewAfter(this.#endsAt - this.#options.ttlMs)
    return this
  }

  /** Ends the renewals, and does not change the key. */
  end(): void {
    this.#ended = true
    this.#cancelRenewal()
    this.#cancelExpiry()
  }

  /**
   * Ends the lease and deletes its key.
   *
   * @returns whether the lease still lasted
   */
  release(): Promise<boolean> {
    this.end()
    return this.#options.store.compareAndDelete(this.#options.key, this.#options.holder)
  }

  /**
   * Ends the lease and gives its key another value. If the lease was over and no process has begun another one, the key
   * gets the value all the same.
   *
   * @returns `false` if another process has begun a lease
   */
  replaceBy(value: string, ttlMs: number): Promise<boolean> {
    this.end()
    const { store, key, holder, timing } = this.#options
    return persist(
      async () =>
        (await store.compareAndSet(key, holder, value, { ttlMs })) ||
        (await store.set(key, value, { ttlMs, ifAbsent: true })) ||
        // An earlier attempt may have written it, and its response was lost. Until the lease ends, no one else could.
        (timing.now() < this.#endsAt && (await store.get(key)) === value),
      timing,
    )
  }

  /** The lease lasts for `ttlMs` from a write that the store confirmed. */
  #extend(sentAt: number): void {
    const { ttlMs, timing, lost } = this.#options
    this.#endsAt = sentAt + ttlMs
    this.#cancelExpiry()
    // At once, and not when the store responds again, because another process may have started by then.
    const expire = () => this.#lose(lost(this.#lastFailure))
    this.#cancelExpiry = timing.timer(expire, Math.max(0, this.#endsAt - timing.now()), { unref: true })
    if (this.#renews) this.#renewAfter(sentAt)
  }

  #renewAfter(sentAt: number): void {
    const { ttlMs, timing } = this.#options
    this.#renewIn(Math.max(0, Math.ceil(sentAt + ttlMs / renewalsPerLease - timing.now())))
  }

  #renewIn(ms: number): void {
    this.#cancelRenewal()
    this.#cancelRenewal = this.#options.timing.timer(() => void this.#renew(), ms, { unref: true })
  }

  async #renew(): Promise<void> {
    const { store, key, holder, ttlMs, timing, lost, onError, onRenewed } = this.#options
    const sentAt = timing.now()
    try {
      const renewed = await store.compareAndSet(key, holder, holder, { ttlMs })
      // A response that comes after the lease ended says nothing about it.
      if (this.#ended) return
      if (!renewed) return this.#lose(lost())
      this.#failures = 0
      this.#lastFailure = undefined
      this.#extend(sentAt)
      onRenewed?.()
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

/**
 * Writes a value, which only this caller writes, unless the key has one.
 *
 * @returns what the key has then: the value, or that of another process. `null` if that has just expired
 */
export async function setOrGet(
  store: Store,
  key: string,
  { value, ttlMs }: { readonly value: string; readonly ttlMs: number },
): Promise<string | null> {
  if (await store.set(key, value, { ttlMs, ifAbsent: true })) return value
  // The driver of a store may resend a write over a new connection. It then finds its own value.
  return store.get(key)
}

/** Work for a key that one process does at a time, of all that share a store. */
export interface ExclusiveWork<Read, Done> {
  /** Reads what all processes share. */
  readonly read: () => Promise<Read>
  /** What was read before. @default it is read */
  readonly known?: Read | undefined
  /** Returns the result if nothing is left to do. @default there is work */
  readonly doneIn?: (read: Read) => Done | undefined | Promise<Done | undefined>
  /** Whether another process is working. @default `attempt` finds it out */
  readonly isTaken?: (read: Read) => boolean | Promise<boolean>
  /** Works. Returns `undefined` if another process has worked meanwhile, so that it must be read again. */
  readonly attempt: (read: Read) => Promise<Done | undefined>
  /** How long to wait for other processes, in milliseconds. Each of them may crash, or stand still. */
  readonly limitMs: number
  /** Ends the wait. `read` throws then. */
  readonly signal?: AbortSignal | undefined
  /** Returns or throws what follows if other processes worked for all that time. */
  readonly tooLong: () => Done
}

/**
 * Does work, or waits until another process has done it. A process that works has a lease, so one that crashed is
 * followed by the next; it writes by compare-and-set, so one that stood still cannot overwrite what came after it.
 */
export async function exclusively<Read, Done>(
  { read, known, doneIn, isTaken, attempt, limitMs, signal, tooLong }: ExclusiveWork<Read, Done>,
  timing: Pick<Timing, 'now' | 'sleep' | 'random'>,
): Promise<Done> {
  const endsAt = timing.now() + limitMs
  for (let round = 1, next = known; ; round++, next = undefined) {
    const found = next ?? (await read())
    const done = (await doneIn?.(found)) ?? ((await isTaken?.(found)) ? undefined : await attempt(found))
    if (done !== undefined) return done
    const leftMs = Math.max(0, endsAt - timing.now())
    // Once more after the first time, because the limit may have passed while this process stood still.
    if (leftMs === 0 && round > 1) return tooLong()
    // Never at once, because each process that waits reads the store again after it.
    const pauseMs = backoffMs(Math.min(round, 2), 0.1 + 0.4 * timing.random())
    await timing.sleep(Math.min(pauseMs, leftMs), signal)
  }
}

/**
 * How a lease ends with its work. `release`: others may wait for it. `expire`: nothing names it any more, so the store need
 * not be called. `go on`: it has been given to other work.
 */
type Ending = 'release' | 'expire' | 'go on'

/**
 * Works with a lease, which begins when it is first needed, and ends it.
 *
 * @param begin returns `undefined` if another process has the lease
 * @param work is passed a function that begins the lease, and one that returns it if it has begun
 * @param endingOf how it ends if the work succeeds. Otherwise it is released, because what names it may have been written
 */
export async function leased<L extends Lease | undefined, T>(
  begin: () => Promise<L>,
  work: (lease: () => Promise<L>, begun: () => L | undefined) => Promise<T>,
  endingOf: (result: T, lease: Lease) => Ending = () => 'release',
): Promise<T> {
  let lease: L | undefined
  let ending: Ending = 'release'
  try {
    const needed = async () => {
      lease ??= await begin()
      return lease as L
    }
    const result = await work(needed, () => lease)
    if (lease) ending = endingOf(result, lease)
    return result
  } finally {
    if (ending !== 'go on') lease?.end()
    // If that fails, the lease expires.
    if (ending === 'release') await lease?.release().catch(() => {})
  }
}
