import { ApiError } from '../../errors/api-errors.ts'
import { type CallFacts, factsOf, SpendLimitError } from '../../errors/call-errors.ts'
import { StoreError } from '../../errors/sdk-error.ts'
import type { Timing } from '../../runtime/timing.ts'
import { guardedStore } from '../../stores/guarded-store.ts'
import { memoryStore } from '../../stores/memory.ts'
import type { Store } from '../../stores/store.ts'
import { isUnsent } from '../retry.ts'
import { type CheckedSpendLimit, longestProbeMs, type SpendReservation } from './spend-limit.ts'

/**
 * The record in the store: the calls of each time slot and, after a 402, when the next probe may be sent. Times are in
 * milliseconds since the epoch, so that a limit with another span can still read the record.
 */
interface SpendRecord {
  readonly slots: readonly (readonly [start: number, calls: number])[]
  readonly empty?: { readonly probeAt: number; readonly waitMs: number }
}

/** The slot in which a call is counted. */
interface ReservedSlot {
  readonly start: number
  /** True for the one call that may be sent after a 402. */
  readonly isProbe: boolean
}

/** A span is divided into so many slots. The oldest one counts in full, so that the limit is never exceeded. */
const slotsPerSpan = 60
/** Other processes may change the record between a read and a write. */
const maxWriteAttempts = 100

/** Stops billable calls before they are sent, if the limit is reached or the service has responded with 402. */
export class SpendGuard {
  readonly #limit: CheckedSpendLimit
  readonly #store: Store
  readonly #key: string
  readonly #slotMs: number
  readonly #probeAfterMs: number
  readonly #timing: Timing
  /** The last update. Updates run one at a time, so that the calls of one process do not compete. */
  #lastUpdate: Promise<unknown> = Promise.resolve()

  constructor(limit: CheckedSpendLimit, timing: Timing) {
    const { perMs, store, name, probeAfterMs } = limit
    this.#limit = limit
    this.#store = guardedStore(
      store ?? memoryStore({ now: timing.now }),
      'the store of the spend limit',
      timing,
    )
    this.#key = `spend-limit:${name}`
    this.#slotMs = Math.max(1, Math.ceil(perMs / slotsPerSpan))
    this.#probeAfterMs = probeAfterMs
    this.#timing = timing
  }

  /**
   * Counts a call that is about to be sent.
   *
   * @throws {SpendLimitError} the call must not be sent
   * @throws {StoreError} the store failed, so the call must not be sent either
   */
  reserve(call: CallFacts): Promise<SpendReservation> {
    return this.#inTurn(async () => {
      let reserved: ReservedSlot | undefined
      await this.#update(({ slots, empty }, now) => {
        if (empty && now < empty.probeAt) throw limitError(call, 'payment_required', empty.probeAt - now)
        const calls = slots.reduce((sum, [, count]) => sum + count, 0)
        if (calls >= this.#limit.calls) throw limitError(call, 'limit_reached', this.#freeInMs(slots, now))
        const start = now - (now % this.#slotMs)
        reserved = { start, isProbe: empty !== undefined }
        // Postpones the next probe, so that only one runs at a time.
        const postponed = empty && { empty: { ...empty, probeAt: now + empty.waitMs } }
        return { slots: addCalls(slots, start, 1), ...postponed }
      })
      return { release: (failure) => this.#release(reserved as ReservedSlot, failure) }
    })
  }

  /** Records how a call ended. If the store fails, the limit stays as strict as it was. */
  #release({ start, isProbe }: ReservedSlot, failure: unknown): void {
    const isUnpaid = failure instanceof ApiError && failure.status === 402
    const isFree = failure !== undefined && isUnsent(failure)
    if (!isUnpaid && !isFree && !(isProbe && failure === undefined)) return
    const change = (record: SpendRecord, now: number): SpendRecord => {
      if (isFree) return { ...record, slots: addCalls(record.slots, start, -1) }
      const { slots, empty } = record
      if (!isUnpaid) return { slots }
      const waitMs = isProbe && empty ? Math.min(empty.waitMs * 2, longestProbeMs) : this.#probeAfterMs
      return { slots, empty: { waitMs, probeAt: now + waitMs } }
    }
    this.#inTurn(() => this.#update(change)).catch(() => {})
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#lastUpdate.then(work)
    this.#lastUpdate = result.catch(() => {})
    return result
  }

  async #update(change: (record: SpendRecord, now: number) => SpendRecord): Promise<void> {
    for (let attempt = 0; attempt < maxWriteAttempts; attempt++) {
      const text = await this.#store.get(this.#key)
      const now = this.#timing.wallClock()
      const next = JSON.stringify(change(this.#read(text, now), now))
      // As long as any part of the record counts.
      const ttlMs = this.#limit.perMs + this.#slotMs + longestProbeMs * 2
      const isWritten = await (text === null
        ? this.#store.set(this.#key, next, { ttlMs, ifAbsent: true })
        : this.#store.compareAndSet(this.#key, text, next, { ttlMs }))
      if (isWritten) return
      await this.#timing.sleep(this.#timing.random() * Math.min(50, attempt + 1), undefined)
    }
    throw new StoreError({
      message: 'the spend limit could not be written, because other processes kept changing it',
    })
  }

  /** Reads what still counts of a record. Any other value is a failure, because ignoring it could exceed the limit. */
  #read(text: string | null, now: number): SpendRecord {
    if (text === null) return { slots: [] }
    let record: SpendRecord
    try {
      record = JSON.parse(text)
      const slots = record.slots.filter(([start]) => this.#endOf(start) > now)
      return { ...record, slots }
    } catch {
      throw new StoreError({ message: 'the store contains another value under the name of the spend limit' })
    }
  }

  /** Milliseconds until the oldest calls stop counting. */
  #freeInMs(slots: SpendRecord['slots'], now: number): number {
    return this.#endOf(Math.min(...slots.map(([start]) => start))) - now
  }

  /** When the calls of a slot stop counting. */
  #endOf(start: number): number {
    return start + this.#slotMs + this.#limit.perMs
  }
}

function addCalls(slots: SpendRecord['slots'], start: number, change: 1 | -1): SpendRecord['slots'] {
  const others = slots.filter(([other]) => other !== start)
  const calls = (slots.find(([other]) => other === start)?.[1] ?? 0) + change
  return calls > 0 ? [...others, [start, calls]] : others
}

const limitError = (call: CallFacts, reason: SpendLimitError['reason'], retryAfterMs: number) =>
  new SpendLimitError({ ...factsOf(call), reason, retryAfterMs })
