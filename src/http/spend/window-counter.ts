import { StoreError } from '../../errors/sdk-error.ts'
import { parseJson } from '../../runtime/bytes.ts'
import type { Timing } from '../../runtime/timing.ts'
import type { Store } from '../../stores/store.ts'

/** The permission to send one call in a window. */
export interface Slot {
  readonly window: number
  /** The pause after which this call is sent to see if the wallet was filled. */
  readonly trialOf: Pause | undefined
}

/** Why a call gets no slot. */
export interface Refusal {
  readonly reason: 'full' | 'paused'
  readonly retryAfterMs: number
}

/** After a 402, calls are stopped until a time of the wall clock. */
interface Pause {
  readonly untilMs: number
  readonly waitMs: number
}

/** What the store contains. */
interface CountRecord {
  readonly window: number
  readonly calls: number
  readonly pause?: Pause | undefined
}

interface Waiter {
  /** The slot of an earlier attempt of the call. */
  readonly earlier: Slot | undefined
  readonly resolve: (result: Slot | Refusal) => void
  readonly reject: (error: unknown) => void
}

/** What a counter counts, and where. */
export interface WindowCounterSetup {
  readonly store: Store
  readonly timing: Timing
  readonly key: string
  readonly calls: number
  readonly perMs: number
}

const firstWaitMs = 5_000
const longestWaitMs = 300_000
/** How long a process relies on what it knows without asking the store. Shorter than any pause. */
const freshMs = 1_000
/** Other processes may change the record between a read and a write. */
const maxTries = 100
const longestBackoffMs = 50
const noRecord: CountRecord = { window: 0, calls: 0 }

/**
 * Counts the calls of each window in one record of the store, which changes only by compare-and-set from the value that
 * this process saw last: one operation, if no other process has written. The record also contains the pause after a
 * 402.
 */
export class WindowCounter {
  readonly #setup: WindowCounterSetup
  #record = noRecord
  /** The text of the record. */
  #text: string | null = null
  /** When the operation began that returned it, on the monotonic clock. */
  #seenAt = Number.NEGATIVE_INFINITY
  /** When this process first saw the pause, on the monotonic clock. */
  #pausedAt = 0
  /** Slots of the window that are counted in the store, and that no call has. */
  #reserve = 0
  /** Calls of this process in the window. */
  #used = 0
  /** What 402 responses and successful trials change, and is not yet written. */
  readonly #news: ((pause: Pause | undefined) => Pause | undefined)[] = []
  #waiting: Waiter[] = []
  #isBusy = false

  constructor(setup: WindowCounterSetup) {
    this.#setup = setup
  }

  /**
   * Returns a slot of the current window.
   *
   * @param earlier the slot of an earlier attempt, which is enough if its window is the current one
   * @throws {StoreError} the store failed
   */
  take(earlier: Slot | undefined): Promise<Slot | Refusal> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ earlier, resolve, reject })
      void this.#serve()
    })
  }

  /** Whether the call of a slot may be sent now, as far as this process knows. */
  isCurrent({ window, trialOf }: Slot): boolean {
    const { pause } = this.#record
    const isStopped = pause !== undefined && !isSame(trialOf, pause)
    return window === this.#window() && !isStopped && this.#news.length === 0
  }

  /** Returns the slot of a call that was not sent. */
  giveBack({ window }: Slot): void {
    if (window !== this.#record.window) return
    this.#reserve++
    this.#used--
  }

  /** Records whether the wallet paid for a call: a 402 stops all processes, and a trial that was paid ends that. */
  report({ trialOf }: Slot, isPaid: boolean): void {
    this.#news.push((pause) => {
      if (isPaid) return undefined
      if (pause === undefined) return this.#pauseOf(firstWaitMs)
      // A call that is not a trial was sent before the pause began.
      return trialOf ? this.#pauseOf(Math.min(2 * pause.waitMs, longestWaitMs)) : pause
    })
    void this.#serve()
  }

  /** A clock that is behind, or was set back, does not open an earlier window again. */
  #window(): number {
    const { timing, perMs } = this.#setup
    return Math.max(this.#record.window, Math.floor(timing.wallClock() / perMs))
  }

  #pauseOf(waitMs: number): Pause {
    return { untilMs: Math.ceil(this.#setup.timing.wallClock()) + waitMs, waitMs }
  }

  #leftMs(pause: Pause | undefined): number {
    if (pause === undefined) return 0
    const { untilMs, waitMs } = pause
    // A pause that this process is about to write begins now.
    if (pause !== this.#record.pause) return waitMs
    const { timing } = this.#setup
    // A wrong clock stops no process for longer than the wait.
    return Math.min(untilMs - timing.wallClock(), this.#pausedAt + waitMs - timing.now())
  }

  /** One batch after the other, because two that ran at once would compete. If one fails, so do the calls behind it. */
  async #serve(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    let batch: readonly Waiter[] = []
    try {
      while (this.#waiting.length + this.#news.length > 0) {
        batch = this.#waiting.splice(0)
        await this.#settle(batch)
      }
    } catch (error) {
      for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(error)
    } finally {
      this.#isBusy = false
    }
  }

  async #settle(batch: readonly Waiter[]): Promise<void> {
    const { timing } = this.#setup
    for (let tries = 0; tries < maxTries; tries++) {
      // The first failed write only says that this process was behind. From the second on, processes compete.
      if (tries > 1) await timing.sleep(timing.random() * Math.min(longestBackoffMs, tries), undefined)
      if (tries > 0) await this.#read()
      // What is reported while the record is written is not part of it, and stays for the next round.
      const reported = this.#news.length
      const startedAt = timing.now()
      const { next, results, reserved, used } = this.#plan(batch)
      const isDone =
        next === this.#record ? tries > 0 || startedAt - this.#seenAt <= freshMs : await this.#write(next, startedAt)
      if (!isDone) continue
      this.#reserve += reserved
      this.#used += used
      this.#news.splice(0, reported)
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Slot | Refusal)
      return
    }
    throw new StoreError({
      message: 'the spend limit could not be written, because other processes kept changing it',
    })
  }

  /**
   * Decides what each call gets, from the record as this process knows it. Changes nothing, because the decision holds
   * only if the record is written. If the record stays the same object, nothing has to be written.
   */
  #plan(batch: readonly Waiter[]) {
    const { timing, perMs, calls: limit } = this.#setup
    const record = this.#record
    const window = this.#window()
    const isNew = window > record.window
    const counted = isNew ? 0 : record.calls
    const [reserve, usedBefore] = isNew ? [0, 0] : [this.#reserve, this.#used]
    const endsInMs = Math.ceil((window + 1) * perMs - timing.wallClock())
    let { pause } = record
    for (const change of this.#news) pause = change(pause)
    let used = 0
    const results = batch.map(({ earlier }): Slot | Refusal => {
      const leftMs = this.#leftMs(pause)
      if (leftMs > 0 && !isSame(earlier?.trialOf, pause)) return { reason: 'paused', retryAfterMs: Math.ceil(leftMs) }
      if (earlier?.window !== window) {
        if (used >= reserve + limit - counted) return { reason: 'full', retryAfterMs: Math.min(endsInMs, this.#ttlMs) }
        used++
      }
      // Whoever writes this first is the only trial until the wait ends again. If it crashes, the next one follows it.
      if (pause && leftMs <= 0) pause = this.#pauseOf(pause.waitMs)
      return { window, trialOf: pause }
    })
    const needed = Math.max(0, used - reserve)
    // Slots ahead save operations, and are lost if this process does not use them: so no more than a fiftieth of what
    // is left, and a quarter of what it has used.
    const mayReserve = Math.min((limit - counted - needed) / 50, (usedBefore + used) / 4)
    const ahead = needed > 0 ? Math.floor(mayReserve) : 0
    const calls = counted + needed + ahead
    const next = calls === counted && pause === record.pause ? record : { window, calls, pause }
    return { next, results, reserved: needed + ahead - used, used }
  }

  async #write(next: CountRecord, startedAt: number): Promise<boolean> {
    const { store, key } = this.#setup
    const text = JSON.stringify(next)
    const options = { ttlMs: this.#ttlMs }
    const isWritten =
      this.#text === null
        ? await store.set(key, text, { ...options, ifAbsent: true })
        : await store.compareAndSet(key, this.#text, text, options)
    if (isWritten) this.#learn(text, next, startedAt)
    return isWritten
  }

  async #read(): Promise<void> {
    const startedAt = this.#setup.timing.now()
    const text = await this.#setup.store.get(this.#setup.key)
    if (text === this.#text) this.#seenAt = startedAt
    else this.#learn(text, text === null ? noRecord : recordOf(text), startedAt)
  }

  #learn(text: string | null, record: CountRecord, at: number): void {
    if (record.window !== this.#record.window) {
      this.#reserve = 0
      this.#used = 0
    }
    if (!isSame(record.pause, this.#record.pause)) this.#pausedAt = at
    this.#text = text
    this.#record = record
    this.#seenAt = at
  }

  /** Longer than the window and any pause, also if clocks differ. */
  get #ttlMs(): number {
    return this.#setup.perMs + 2 * longestWaitMs
  }
}

/** Any other value is a failure, because ignoring it could exceed the limit. */
function recordOf(text: string): CountRecord {
  const { window, calls, pause } = Object(parseJson(text)) as Partial<CountRecord>
  const { untilMs, waitMs } = Object(pause ?? { untilMs: 0, waitMs: 1 }) as Partial<Pause>
  // Another program, or a version with another form, may have written it.
  if (!isCount(window) || !isCount(calls) || !isCount(untilMs) || !isCount(waitMs) || waitMs < 1)
    throw new StoreError({ message: 'the store contains another value under the name of the spend limit' })
  return { window, calls, pause: pause && { untilMs, waitMs: Math.min(waitMs, longestWaitMs) } }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const isSame = (one: Pause | undefined, other: Pause | undefined) => one?.untilMs === other?.untilMs
