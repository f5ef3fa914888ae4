import { ApiError } from '../../errors/api-errors.ts'
import { type CallFacts, factsOf, SpendLimitError } from '../../errors/call-errors.ts'
import { StoreError } from '../../errors/sdk-error.ts'
import type { Stream } from '../../observe/stream.ts'
import { hmacSha256Hex } from '../../runtime/crypto.ts'
import { LruMap } from '../../runtime/lru-map.ts'
import type { Timing } from '../../runtime/timing.ts'
import { memoryStore } from '../../stores/memory.ts'
import { guardedStore } from '../../stores/operation.ts'
import { isUnsent } from '../outcome.ts'
import { type Slot, SlotCounter } from './slot-counter.ts'
import type { CheckedSpendLimit, SpendReservation } from './spend-limit.ts'
import { type Probe, Wallet } from './wallet.ts'

/** How often a call is counted again because the store took too long to count it. */
const maxRecounts = 3

/** Stops billable calls before they are sent, if the limit is reached or the service has responded with 402. */
export class SpendGuard {
  readonly #slots: SlotCounter
  readonly #wallet: Wallet
  readonly #keyCounter: ((spendKey: string) => Promise<SlotCounter>) | undefined

  constructor(owner: string, limit: CheckedSpendLimit, timing: Timing, stream: Stream) {
    const { calls, perMs, name, probeAfterMs } = limit
    const given = limit.store ?? memoryStore({ now: () => new Date(timing.now()) })
    const store = guardedStore(`${owner}: spendLimit`, given, 'the store of the spend limit', {
      timing,
      stream,
    })
    const key = (part: string) => `spend-limit:${part}:${name}`
    // A bucket has one lifetime, so limits with different spans have buckets of their own.
    const slotKey = (part: string) => key(`${perMs}:${part}`)
    this.#slots = new SlotCounter({ store, timing, calls, perMs, key: slotKey })
    const { perKey } = limit
    if (perKey) {
      const counters = new LruMap<string, SlotCounter>(maxKeys)
      this.#keyCounter = async (spendKey) => {
        // A digest, so that the store shows no ids of people.
        const digest = await hmacSha256Hex(name, 'spendKey:', spendKey)
        const keyOf = (part: string) => key(`${perKey.perMs}:key:${digest}:${part}`)
        const counter = counters.get(digest) ?? new SlotCounter({ store, timing, ...perKey, key: keyOf })
        counters.set(digest, counter)
        return counter
      }
    }
    this.#wallet = new Wallet({ store, timing, probeAfterMs, key })
  }

  /** Returns the reservation of a call, which is still empty. */
  reservation(call: CallFacts, spendKey: string | undefined): SpendReservation {
    const ofKey = spendKey === undefined ? undefined : this.#keyCounter?.(spendKey)
    return new Reservation(call, this.#wallet, { ofAll: this.#slots, ofKey })
  }
}

/** Keys whose counters a process remembers. A counter that was forgotten reads the store again. */
const maxKeys = 1_000

/** What counts a call. */
interface Counters {
  readonly ofAll: SlotCounter
  /** Not given for a call without a key. */
  readonly ofKey: Promise<SlotCounter> | undefined
}

/** A slot, and the counter that it is from. */
interface HeldSlot {
  readonly counter: SlotCounter
  readonly slot: Slot
}

/** What one attempt holds. */
interface Holding {
  readonly slots: readonly HeldSlot[]
  readonly probe: Probe | undefined
}

const nothing: Holding = { slots: [], probe: undefined }

class Reservation implements SpendReservation {
  readonly #call: CallFacts
  readonly #wallet: Wallet
  readonly #counters: Counters
  #held: Holding = nothing
  #isUsed = false
  /** Counts the attempts. What is reserved for an attempt that has ended is given back. */
  #turn = 0

  constructor(call: CallFacts, wallet: Wallet, counters: Counters) {
    this.#call = call
    this.#wallet = wallet
    this.#counters = counters
  }

  reserve(): Promise<void> {
    return this.#reserveFor(++this.#turn)
  }

  async #reserveFor(turn: number): Promise<void> {
    const held = this.#held
    const probe = held.probe?.isHeld ? held.probe : await this.#enterWallet()
    const newProbe = probe === held.probe ? undefined : probe
    const taken: HeldSlot[] = []
    try {
      const slots = await this.#takeSlots(held.slots, taken)
      if (turn === this.#turn) {
        this.#held = { slots, probe }
        return
      }
    } catch (error) {
      giveBack(taken)
      newProbe?.end('unsent')
      throw error
    }
    giveBack(taken)
    newProbe?.end('unsent')
  }

  confirm(): Promise<void> | undefined {
    if (!this.#isFresh()) return this.#recount()
    this.#isUsed = true
    return undefined
  }

  end(failure?: unknown): void {
    this.#turn++
    const { slots, probe } = this.#held
    this.#held = nothing
    const isUnpaid = failure instanceof ApiError && failure.status === 402
    const isFree = !this.#isUsed || isUnsent(failure)
    if (isFree) giveBack(slots)
    if (probe) probe.end(isUnpaid ? 'unpaid' : isFree ? 'unsent' : failure === undefined ? 'paid' : 'unclear')
    else if (isUnpaid) this.#wallet.close()
  }

  /** Returns a probe, or undefined if the wallet is not empty. */
  async #enterWallet(): Promise<Probe | undefined> {
    const entry = await this.#wallet.enter()
    if (entry === 'open') return undefined
    if (typeof entry === 'number') throw this.#error('payment_required', entry)
    return entry
  }

  /**
   * Takes a slot of each counter, or renews the one that is held. That of the key comes first, so that a call that it
   * stops does not count for all.
   *
   * @param taken receives the slots that are new
   */
  async #takeSlots(held: readonly HeldSlot[], taken: HeldSlot[]): Promise<readonly HeldSlot[]> {
    const { ofAll, ofKey } = this.#counters
    const keyCounter = await ofKey
    const slots: HeldSlot[] = []
    for (const counter of keyCounter ? [keyCounter, ofAll] : [ofAll]) {
      const before = held.find((one) => one.counter === counter)
      const renewed = before && (await counter.renew(before.slot))
      const slot = renewed ?? (await counter.take())
      if (slot === undefined)
        throw this.#error(counter === ofAll ? 'limit_reached' : 'key_limit_reached', counter.retryAfterMs())
      slots.push({ counter, slot })
      if (renewed === undefined) taken.push({ counter, slot })
    }
    return slots
  }

  #isFresh(): boolean {
    const { slots } = this.#held
    return slots.length > 0 && slots.every(({ counter, slot }) => counter.isFresh(slot))
  }

  async #recount(): Promise<void> {
    const turn = this.#turn
    for (let count = 0; count < maxRecounts; count++) {
      await this.#reserveFor(turn)
      // Nothing would give back what is reserved for an attempt that has ended.
      if (turn !== this.#turn) return
      if (this.#isFresh()) return void this.confirm()
    }
    throw new StoreError({
      message: `the store of the spend limit took longer than ${this.#counters.ofAll.graceMs} ms to count a call, so the call was not sent`,
    })
  }

  #error(reason: SpendLimitError['reason'], retryAfterMs: number): SpendLimitError {
    const { attempts } = this.#call
    return new SpendLimitError({ ...factsOf(this.#call), attempts: attempts - 1, reason, retryAfterMs })
  }
}

/** If the store fails, the limit stays as strict as it was. */
function giveBack(slots: readonly HeldSlot[]): void {
  for (const { counter, slot } of slots) counter.release(slot).catch(() => {})
}
