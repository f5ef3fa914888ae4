import { ApiError } from '../../errors/api-errors.ts'
import { type CallFacts, factsOf, SpendLimitError } from '../../errors/call-errors.ts'
import type { ErrorDetail } from '../../errors/error-detail.ts'
import { StoreError } from '../../errors/sdk-error.ts'
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

  constructor(owner: string, limit: CheckedSpendLimit, timing: Timing, errorDetail: ErrorDetail | undefined) {
    const { calls, perMs, name, probeAfterMs } = limit
    const given = limit.store ?? memoryStore({ now: () => new Date(timing.now()) })
    const store = guardedStore(`${owner}: spendLimit`, given, 'the store of the spend limit', {
      timing,
      errorDetail,
    })
    const key = (part: string) => `spend-limit:${part}:${name}`
    // A bucket has one lifetime, so limits with different spans have buckets of their own.
    const slotKey = (part: string) => key(`${perMs}:${part}`)
    this.#slots = new SlotCounter({ store, timing, calls, perMs, key: slotKey })
    this.#wallet = new Wallet({ store, timing, probeAfterMs, key })
  }

  /** Returns the reservation of a call, which is still empty. */
  reservation(call: CallFacts): SpendReservation {
    return new Reservation(call, this.#slots, this.#wallet)
  }
}

/** What one attempt holds. */
interface Holding {
  readonly slot: Slot
  readonly probe: Probe | undefined
}

class Reservation implements SpendReservation {
  readonly #call: CallFacts
  readonly #slots: SlotCounter
  readonly #wallet: Wallet
  #held: Partial<Holding> = {}
  #isUsed = false
  /** Counts the attempts. What is reserved for an attempt that has ended is given back. */
  #turn = 0

  constructor(call: CallFacts, slots: SlotCounter, wallet: Wallet) {
    this.#call = call
    this.#slots = slots
    this.#wallet = wallet
  }

  async reserve(): Promise<void> {
    const turn = ++this.#turn
    const held = this.#held
    const probe = held.probe?.isHeld ? held.probe : await this.#enterWallet()
    const newProbe = probe === held.probe ? undefined : probe
    let newSlot: Slot | undefined
    try {
      const renewed = held.slot && (await this.#slots.renew(held.slot))
      newSlot = renewed ? undefined : await this.#slots.take()
      const slot = renewed ?? newSlot
      if (slot === undefined) throw this.#error('limit_reached', this.#slots.retryAfterMs())
      if (turn === this.#turn) {
        this.#held = { slot, probe }
        return
      }
    } catch (error) {
      newProbe?.end('unsent')
      throw error
    }
    newProbe?.end('unsent')
    if (newSlot) this.#giveBack(newSlot)
  }

  confirm(): Promise<void> | undefined {
    if (!this.#isFresh()) return this.#recount()
    this.#isUsed = true
    return undefined
  }

  end(failure?: unknown): void {
    this.#turn++
    const { slot, probe } = this.#held
    this.#held = {}
    const isUnpaid = failure instanceof ApiError && failure.status === 402
    const isFree = !this.#isUsed || isUnsent(failure)
    if (slot && isFree) this.#giveBack(slot)
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

  #isFresh(): boolean {
    return this.#held.slot !== undefined && this.#slots.isFresh(this.#held.slot)
  }

  async #recount(): Promise<void> {
    for (let count = 0; count < maxRecounts; count++) {
      await this.reserve()
      if (this.#isFresh()) return void this.confirm()
    }
    throw new StoreError({
      message: `the store of the spend limit took longer than ${this.#slots.graceMs} ms to count a call, so the call was not sent`,
    })
  }

  #giveBack(slot: Slot): void {
    // If the store fails, the limit stays as strict as it was.
    this.#slots.release(slot).catch(() => {})
  }

  #error(reason: SpendLimitError['reason'], retryAfterMs: number): SpendLimitError {
    const { attempts } = this.#call
    return new SpendLimitError({ ...factsOf(this.#call), attempts: attempts - 1, reason, retryAfterMs })
  }
}
