import { ApiError } from '../../errors/api-errors.ts'
import { type CallFacts, SpendLimitError } from '../../errors/call-errors.ts'
import { StoreError, storeError } from '../../errors/sdk-error.ts'
import type { Timing } from '../../runtime/timing.ts'
import { memoryStore } from '../../stores/memory.ts'
import type { Store } from '../../stores/store.ts'
import { isUnsent } from '../retry.ts'
import { type CheckedSpendLimit, longestProbeMs, type SpendReservation } from './spend-limit.ts'

/**
 * What the store holds: calls by slot of time, and since a 402 when the next one may be tried. Moments are in
 * milliseconds since the epoch, so that a limit whose span was changed still reads what the old one wrote.
 */
interface Spending {
  readonly slots: readonly (readonly [start: number, calls: number])[]
  readonly empty?: { readonly probeAt: number; readonly waitMs: number }
}

/** A call that was let go. */
interface ReservedSlot {
  /** The slot that it is counted in. */
  readonly start: number
  readonly isProbe: boolean
}

/** A span is counted in so many slots, of which the oldest counts whole: never more calls than the limit. */
const slotsPerSpan = 60
/** Many processes may write at once; that does not go on for ever. */
const tries = 100

/** Stops billable calls before they are sent, once enough were. */
export class SpendGuard {
  readonly #limit: CheckedSpendLimit
  readonly #store: Store
  readonly #key: string
  readonly #slotMs: number
  readonly #probeAfterMs: number
  readonly #timing: Timing
  /** One write at a time: the calls of a process do not get in each other's way. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(limit: CheckedSpendLimit, timing: Timing) {
    const { perMs, store, name, probeAfterMs } = limit
    this.#limit = limit
    this.#store = store ?? memoryStore({ now: timing.wallClock })
    this.#key = `spend-limit:${name}`
    this.#slotMs = Math.max(1, Math.ceil(perMs / slotsPerSpan))
    this.#probeAfterMs = probeAfterMs
    this.#timing = timing
  }

  /**
   * Counts a call that is about to be sent.
   *
   * @throws {SpendLimitError} it must not be
   * @throws {StoreError} nobody can know: it must not be either
   */
  reserve(call: CallFacts): Promise<SpendReservation> {
    return this.#alone(async () => {
      let admitted: ReservedSlot | undefined
      await this.#change((spending, now) => {
        const { slots, empty } = spending
        if (empty && now < empty.probeAt) throw refusal(call, 'payment_required', empty.probeAt - now)
        const made = slots.reduce((sum, [, calls]) => sum + calls, 0)
        if (made >= this.#limit.calls) throw refusal(call, 'limit_reached', this.#roomInMs(slots, now))
        const start = now - (now % this.#slotMs)
        admitted = { start, isProbe: empty !== undefined }
        // While one call tries the wallet, no other does.
        const held = empty && { empty: { ...empty, probeAt: now + empty.waitMs } }
        return { slots: counted(slots, start, 1), ...held }
      })
      return { release: (failure) => this.#release(admitted as ReservedSlot, failure) }
    })
  }

  /** Takes note of how an admitted call ended. Where the store fails at that, the guard stays as strict as it was. */
  #release({ start, isProbe }: ReservedSlot, failure: unknown): void {
    const isRefused = failure instanceof ApiError && failure.status === 402
    const isFree = failure !== undefined && isUnsent(failure)
    if (!isRefused && !isFree && !(isProbe && failure === undefined)) return
    const step = (spending: Spending, now: number): Spending => {
      if (isFree) return { ...spending, slots: counted(spending.slots, start, -1) }
      const { slots, empty } = spending
      if (!isRefused) return { slots }
      const waitMs = isProbe && empty ? Math.min(empty.waitMs * 2, longestProbeMs) : this.#probeAfterMs
      return { slots, empty: { waitMs, probeAt: now + waitMs } }
    }
    this.#alone(() => this.#change(step)).catch(() => {})
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => {})
    return result
  }

  async #change(step: (spending: Spending, now: number) => Spending): Promise<void> {
    for (let attempt = 0; attempt < tries; attempt++) {
      const text = await this.#ask((store) => store.get(this.#key))
      const now = this.#timing.wallClock()
      const next = JSON.stringify(step(this.#read(text, now), now))
      // Kept as long as anything in it counts.
      const ttlMs = this.#limit.perMs + this.#slotMs + longestProbeMs * 2
      const isWritten = await this.#ask((store) =>
        text === null
          ? store.set(this.#key, next, { ttlMs, ifAbsent: true })
          : store.compareAndSet(this.#key, text, next, { ttlMs }),
      )
      if (isWritten) return
      await this.#timing.sleep(this.#timing.random() * Math.min(50, attempt + 1), undefined)
    }
    throw new StoreError('the store of the spend limit was written by others all the time')
  }

  /** What of a record still counts. One that is not ours is a failure: to take it for none would spend money. */
  #read(text: string | null, now: number): Spending {
    if (text === null) return { slots: [] }
    let spending: Spending
    try {
      spending = JSON.parse(text)
      const slots = spending.slots.filter(([start]) => this.#endOf(start) > now)
      return { ...spending, slots }
    } catch {
      throw new StoreError('the store holds something else under the name of the spend limit')
    }
  }

  /** When the oldest calls stop counting. */
  #roomInMs(slots: Spending['slots'], now: number): number {
    return this.#endOf(Math.min(...slots.map(([start]) => start))) - now
  }

  /** When the calls of a slot stop counting. */
  #endOf(start: number): number {
    return start + this.#slotMs + this.#limit.perMs
  }

  async #ask<T>(step: (store: Store) => Promise<T>): Promise<T> {
    try {
      return await step(this.#store)
    } catch (thrown) {
      throw storeError('the store of the spend limit failed', thrown)
    }
  }
}

function counted(slots: Spending['slots'], start: number, change: 1 | -1): Spending['slots'] {
  const others = slots.filter(([other]) => other !== start)
  const calls = (slots.find(([other]) => other === start)?.[1] ?? 0) + change
  return calls > 0 ? [...others, [start, calls]] : others
}

const refusal = (call: CallFacts, reason: SpendLimitError['reason'], retryAfterMs: number) =>
  new SpendLimitError(call, { reason, retryAfterMs })
