import { ApiError } from '../../errors/api-errors.ts'
import { type CallFacts, callFacts, SpendLimitError } from '../../errors/call-errors.ts'
import type { Stream } from '../../observe/stream.ts'
import { hmacSha256Hex } from '../../runtime/crypto.ts'
import { LruMap } from '../../runtime/lru-map.ts'
import type { Timing } from '../../runtime/timing.ts'
import { memoryStore } from '../../stores/memory.ts'
import { guardedStore } from '../../stores/operation.ts'
import type { CheckedSpendLimit, SpendLimit } from './spend-limit.ts'
import { type Refusal, type Slot, WindowCounter } from './window-counter.ts'

/** Keys whose counters a process remembers. A counter that was forgotten reads the store again. */
const maxKeys = 1_000

/** Stops calls that may be charged before they are sent, if the limit is reached or the wallet is empty. */
export class SpendGuard {
  readonly #ofAll: WindowCounter
  readonly #ofKey: ((spendKey: string) => Promise<WindowCounter>) | undefined

  constructor(owner: string, limit: CheckedSpendLimit, timing: Timing, stream: Stream) {
    const { name, perKey } = limit
    const ownStore = limit.store ?? memoryStore({ now: () => new Date(timing.now()) })
    const store = guardedStore(`${owner}: spendLimit`, ownStore, 'the store of the spend limit', {
      timing,
      // What is in memory does not fail, and takes no time.
      stream: limit.store && stream,
    })
    const counter = ({ calls, perMs }: Pick<SpendLimit, 'calls' | 'perMs'>, what: string) =>
      new WindowCounter({ store, timing, calls, perMs, key: `spend-limit:${perMs}:${what}:${name}` })
    this.#ofAll = counter(limit, 'all')
    if (!perKey) return
    const counters = new LruMap<string, WindowCounter>(maxKeys)
    this.#ofKey = async (spendKey) => {
      // A digest, so that the store shows no ids of people.
      const digest = await hmacSha256Hex(name, 'spendKey:', spendKey)
      const ofKey = counters.get(digest) ?? counter(perKey, `key:${digest}`)
      counters.set(digest, ofKey)
      return ofKey
    }
  }

  /** Returns the reservation of a call, which holds nothing yet. */
  reservation(call: CallFacts, spendKey: string | undefined): Reservation {
    return new Reservation(call, this.#ofAll, spendKey === undefined ? undefined : this.#ofKey?.(spendKey))
  }
}

/** What one call holds: a slot of the limit of its key, and of that of all. Its attempts share them. */
export class Reservation {
  readonly #call: CallFacts
  readonly #ofAll: WindowCounter
  readonly #ofKey: Promise<WindowCounter> | undefined
  readonly #slots = new Map<WindowCounter, Slot>()
  #taking: Promise<void> | undefined
  #isEnded = false

  constructor(call: CallFacts, ofAll: WindowCounter, ofKey: Promise<WindowCounter> | undefined) {
    this.#call = call
    this.#ofAll = ofAll
    this.#ofKey = ofKey
  }

  /**
   * Holds slots of the current window. Called when an attempt begins, and again right before it is sent, because the
   * window may have ended in between.
   *
   * @returns `undefined` if it holds them already
   * @throws {SpendLimitError} the attempt must not be sent
   * @throws {StoreError} the store failed, so the attempt must not be sent either
   */
  hold(): Promise<void> | undefined {
    if (this.#isCurrent()) return undefined
    // What an attempt still waits for that has timed out is for the next attempt.
    this.#taking ??= this.#take().finally(() => {
      this.#taking = undefined
    })
    return this.#taking
  }

  /**
   * Records how the call ended. Without a failure, it succeeded.
   *
   * @param wasSent whether the service may have received an attempt
   */
  end(wasSent: boolean, failure?: unknown): void {
    // First: a slot that an attempt still waits for is given back when it arrives.
    this.#isEnded = true
    const slot = this.#slots.get(this.#ofAll)
    const isUnpaid = failure instanceof ApiError && failure.status === 402
    if (!wasSent) for (const [counter, unused] of this.#slots) counter.giveBack(unused)
    else if (slot && (isUnpaid || (slot.trialOf && failure === undefined))) this.#ofAll.report(slot, !isUnpaid)
  }

  #isCurrent(): boolean {
    return this.#slots.has(this.#ofAll) && [...this.#slots].every(([counter, slot]) => counter.isCurrent(slot))
  }

  async #take(): Promise<void> {
    const ofKey = await this.#ofKey
    while (!this.#isEnded && !this.#isCurrent())
      // First the key, so that a call that it stops does not count for all.
      for (const counter of ofKey ? [ofKey, this.#ofAll] : [this.#ofAll]) {
        const earlier = this.#slots.get(counter)
        if (this.#isEnded || (earlier && counter.isCurrent(earlier))) continue
        const slot = await counter.take(earlier)
        if ('reason' in slot) throw this.#error(counter, slot)
        if (!this.#isEnded) this.#slots.set(counter, slot)
        else if (slot.window !== earlier?.window) counter.giveBack(slot)
      }
  }

  #error(counter: WindowCounter, { reason: why, retryAfterMs }: Refusal): SpendLimitError {
    const limit = counter === this.#ofAll ? 'limit_reached' : 'key_limit_reached'
    const reason = why === 'paused' ? 'payment_required' : limit
    return new SpendLimitError({
      ...callFacts(this.#call),
      attempts: this.#call.attempts - 1,
      reason,
      retryAfterMs,
    })
  }
}
