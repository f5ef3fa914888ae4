import { StoreError } from '../../errors/sdk-error.ts'
import type { Timing } from '../../runtime/timing.ts'
import { Cells, type Stored } from '../../stores/cell.ts'
import type { Store } from '../../stores/store.ts'
import { anotherValue, readRecord } from './stored-record.ts'

/** One counted call. */
export interface Slot {
  readonly bucket: number
  /** A bucket expires, and may then be opened again. The id tells the two apart. */
  readonly bucketId: string
  /** When the count was started, on the monotonic clock of this process. */
  readonly countedAt: number
}

/** The value of a bucket in the store. `write` makes each value differ from all others. */
interface BucketRecord {
  readonly id: string
  readonly calls: number
  readonly write: string
}

interface Bucket extends Stored<BucketRecord> {
  readonly index: number
}

interface Waiter {
  readonly resolve: (slot: Slot | undefined) => void
  readonly reject: (error: unknown) => void
  /** How often another process changed the bucket first. */
  conflicts: number
}

/** What a counter counts, and where. */
export interface SlotCounterSetup {
  readonly store: Store
  readonly timing: Timing
  readonly calls: number
  readonly perMs: number
  /** Returns the key of a part of the counter in the store. */
  key(part: string): string
}

const shortestGraceMs = 250
const longestGraceMs = 1_000
/** More buckets make the limit more precise, and a search for a free slot more expensive. */
const maxBuckets = 60
/** Other processes may change a bucket between a read and a write. */
const maxConflicts = 100
const longestBackoffMs = 50
/** After a search found no free slot, calls are rejected for this time without another search. */
const searchAgainMs = 1_000

/**
 * Counts calls by the clock of a store. The slots are divided into buckets, each one value in the store. Each write
 * restarts the lifetime of its bucket, so the store deletes a bucket when its last call has left the span, and no
 * process compares times with another. Within the span of any call, the buckets therefore contain all other calls.
 */
export class SlotCounter {
  readonly #setup: SlotCounterSetup
  /**
   * Calls are counted for the span and this time, because they are sent a moment after the store has counted them. A call
   * that is sent later than that must be counted again.
   */
  readonly graceMs: number
  readonly #buckets: Cells<BucketRecord>
  readonly #bucketCount: number
  readonly #ttlMs: number
  /** Calls that are counted by the next write. */
  #batch: Waiter[] | undefined
  /** The bucket that this process filled last. */
  #current: number | undefined
  /** That bucket as this process wrote it. Nothing has to be read while no other process fills it too. */
  #own: Bucket | undefined
  #isShared = false
  /** The bucket that all processes fill, as far as this process has read. */
  #head = 0
  /** The values of the buckets, and when this process first read each of them. */
  readonly #seen = new Map<number, { readonly text: string; readonly at: number }>()
  #fullUntil = Number.NEGATIVE_INFINITY

  constructor(setup: SlotCounterSetup) {
    this.#setup = setup
    this.#bucketCount = Math.min(maxBuckets, setup.calls)
    this.graceMs = Math.min(longestGraceMs, Math.max(shortestGraceMs, Math.ceil(setup.perMs / maxBuckets)))
    this.#ttlMs = setup.perMs + this.graceMs
    const { store, timing } = setup
    this.#buckets = new Cells(store, { form: bucketForm, ttlMs: this.#ttlMs, persists: false, timing })
  }

  /** Returns a slot for a call, or undefined if the limit is reached. */
  take(): Promise<Slot | undefined> {
    return new Promise((resolve, reject) => this.#join([{ resolve, reject, conflicts: 0 }]))
  }

  /** Counts the call of a slot from now on. Returns undefined if the store has already deleted the slot. */
  renew(slot: Slot): Promise<Slot | undefined> {
    return this.#change(slot, 0)
  }

  /** Frees the slot of a call that was not sent. */
  async release(slot: Slot): Promise<void> {
    await this.#change(slot, -1)
    this.#fullUntil = Number.NEGATIVE_INFINITY
  }

  /** True if a call in this slot can be sent, and is counted for the whole span after that. */
  isFresh({ countedAt }: Slot): boolean {
    return this.#setup.timing.now() - countedAt <= this.graceMs
  }

  /** The longest time until the store deletes a bucket, if no call in it is retried. */
  retryAfterMs(): number {
    const oldest = Math.min(...[...this.#seen.values()].map(({ at }) => at))
    return Math.max(1, Math.ceil(Math.min(this.#ttlMs, oldest + this.#ttlMs - this.#setup.timing.now())))
  }

  /** Adds calls to the batch that has not started yet. Nothing waits for a batch that has. */
  #join(waiters: readonly Waiter[], delayMs = 0): void {
    if (this.#batch) {
      this.#batch.push(...waiters)
      return
    }
    const batch = [...waiters]
    this.#batch = batch
    const start = () => {
      this.#batch = undefined
      void this.#serve(batch)
    }
    const delay = delayMs > 0 ? this.#setup.timing.sleep(delayMs, undefined) : Promise.resolve()
    void delay.then(start)
  }

  /** Looks for free slots: in the bucket of the last call, then where the other processes are, then everywhere. */
  async #serve(batch: readonly Waiter[]): Promise<void> {
    const { timing } = this.#setup
    let waiting = batch
    try {
      if (timing.now() >= this.#fullUntil) {
        for (const find of [this.#findCurrent, this.#findHead, this.#findAhead, this.#findAll]) {
          waiting = this.#fill(await find(), waiting)
          if (waiting.length === 0) return
        }
        this.#fullUntil = timing.now() + Math.min(searchAgainMs, this.retryAfterMs())
      }
      for (const { resolve } of waiting) resolve(undefined)
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }

  readonly #findCurrent = async (): Promise<readonly Bucket[]> => {
    if (this.#current === undefined) return []
    if (this.#own?.index === this.#current && !this.#isShared) return [this.#own]
    const bucket = await this.#read(this.#current)
    this.#isShared = bucket.text !== this.#own?.text
    // If it has expired, the other processes are somewhere else.
    return bucket.text === null ? [] : [bucket]
  }

  readonly #findHead = async (): Promise<readonly Bucket[]> => {
    const { store, key } = this.#setup
    const head = Number((await store.get(key('head'))) ?? 0)
    // A hint. A wrong one costs a search.
    if (Number.isInteger(head) && head >= 0 && head < this.#bucketCount) this.#head = head
    return this.#readFrom(this.#head, 2)
  }

  /** Other processes may be ahead of what they have written. */
  readonly #findAhead = () => this.#readFrom(this.#head + 2, 6)

  readonly #findAll = () => this.#readFrom(0, this.#bucketCount)

  /** Reads some buckets in their order. The first bucket follows the last one. */
  #readFrom(start: number, count: number): Promise<readonly Bucket[]> {
    const indexes = Array.from({ length: Math.min(count, this.#bucketCount) }, (_, n) => start + n)
    return Promise.all(indexes.map((index) => this.#read(index % this.#bucketCount)))
  }

  /** Starts to count calls in buckets that have room, the fullest first. Returns the calls that did not fit. */
  #fill(buckets: readonly Bucket[], waiting: readonly Waiter[]): readonly Waiter[] {
    const rest = [...waiting]
    const byCalls = [...buckets].sort((one, other) => other.value.calls - one.value.calls)
    for (const bucket of byCalls) {
      const counted = rest.splice(0, Math.max(0, this.#capacity(bucket.index) - bucket.value.calls))
      if (counted.length > 0) void this.#count(bucket, counted)
    }
    return rest
  }

  async #count(bucket: Bucket, waiters: readonly Waiter[]): Promise<void> {
    try {
      const slot = await this.#write(bucket, waiters.length)
      if (slot) {
        this.#moveTo(bucket, bucket.value.calls + waiters.length)
        for (const { resolve } of waiters) resolve(slot)
        return
      }
      if (bucket === this.#own) {
        // What this process wrote last was not read again, and another process has written since.
        this.#isShared = true
        return this.#join(waiters)
      }
      const again = waiters.filter((waiter) => {
        if (++waiter.conflicts < maxConflicts) return true
        waiter.reject(contended())
        return false
      })
      if (again.length > 0) this.#join(again, this.#backoffMs(Math.max(...again.map((one) => one.conflicts))))
    } catch (error) {
      for (const { reject } of waiters) reject(error)
    }
  }

  /** Records which bucket is filled, so that all processes fill the same one. */
  #moveTo({ index }: Bucket, calls: number): void {
    this.#current = calls < this.#capacity(index) ? index : undefined
    if (index === this.#head) return
    this.#head = index
    const { store, key } = this.#setup
    store.set(key('head'), String(index), { ttlMs: this.#ttlMs }).catch(() => {})
  }

  async #change(slot: Slot, calls: 0 | -1): Promise<Slot | undefined> {
    for (let conflicts = 1; conflicts <= maxConflicts; conflicts++) {
      const bucket = await this.#read(slot.bucket)
      if (bucket.value.id !== slot.bucketId) return undefined
      const changed = await this.#write(bucket, calls)
      if (changed) return changed
      await this.#setup.timing.sleep(this.#backoffMs(conflicts), undefined)
    }
    throw contended()
  }

  /** Changes the number of calls of a bucket. Returns undefined if another process has changed it. */
  async #write({ index, ...stored }: Bucket, change: number): Promise<Slot | undefined> {
    const { key, timing } = this.#setup
    const countedAt = timing.now()
    const { id, calls } = stored.value
    const next = {
      id: stored.text === null ? crypto.randomUUID() : id,
      calls: calls + change,
      write: crypto.randomUUID(),
    }
    const written = await this.#buckets.replace(key(String(index)), stored, next)
    if (written === undefined) return undefined
    this.#own = written.text === null ? undefined : { ...written, index }
    this.#note(index, written.text)
    return { bucket: index, bucketId: next.id, countedAt }
  }

  async #read(index: number): Promise<Bucket> {
    const stored = await this.#buckets.read(this.#setup.key(String(index)))
    this.#note(index, stored.text)
    return { ...stored, index }
  }

  #note(index: number, text: string | null): void {
    if (text === null) this.#seen.delete(index)
    else if (this.#seen.get(index)?.text !== text)
      this.#seen.set(index, { text, at: this.#setup.timing.now() })
  }

  /** The capacities of all buckets add up to the limit. */
  #capacity(index: number): number {
    const { calls } = this.#setup
    return Math.floor(calls / this.#bucketCount) + (index < calls % this.#bucketCount ? 1 : 0)
  }

  #backoffMs(conflicts: number): number {
    return this.#setup.timing.random() * Math.min(longestBackoffMs, conflicts)
  }
}

const bucketForm = {
  encode: (_: string, record: BucketRecord) => (record.calls === 0 ? null : JSON.stringify(record)),
  decode: (_: string, text: string | null) => (text === null ? noCalls : bucketRecord(text)),
}

const noCalls: BucketRecord = { id: '', calls: 0, write: '' }

function bucketRecord(text: string): BucketRecord {
  const { id, calls, write } = readRecord(text)
  if (typeof id !== 'string' || !isCount(calls) || typeof write !== 'string') throw anotherValue()
  return { id, calls, write }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const contended = () =>
  new StoreError({
    message: 'the spend limit could not be written, because other processes kept changing it',
  })
