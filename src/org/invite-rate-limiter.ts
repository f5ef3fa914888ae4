import { invitesPerMinute } from '../contract/organization/members.ts'
import type { Timing } from '../runtime/timing.ts'

const minuteMs = 60_000

/** A request that counts toward the limit. */
interface InviteSlot {
  /** When the request is sent, or when its response arrived. */
  at: number
}

/** Keeps the invites of one client to 10 requests in any 60 seconds (contract, section 8). */
export class InviteRateLimiter {
  readonly #timing: Timing
  #slots: InviteSlot[] = []

  constructor(timing: Timing) {
    this.#timing = timing
  }

  /** Counts a request that is sent without waiting. */
  record(): InviteSlot {
    return this.#add(this.#timing.now())
  }

  /** Waits until a request may be sent. Returns early, without an error, if the signal aborts. */
  async reserve(signal: AbortSignal | undefined): Promise<InviteSlot> {
    const now = this.#timing.now()
    this.#slots = this.#slots.filter(({ at }) => at + minuteMs > now)
    const tenthLast = this.#slots.at(-invitesPerMinute)
    // The slot is added before the wait, so that two calls that wait do not get the same one.
    const slot = this.#add(tenthLast === undefined ? now : tenthLast.at + minuteMs)
    if (slot.at > now) await this.#timing.sleep(Math.ceil(slot.at - now), signal)
    return slot
  }

  /** @param requests the number of requests that the slot was used for, retries included; 0 if it was not used */
  release(slot: InviteSlot, requests: number): void {
    this.#slots = this.#slots.filter((one) => one !== slot)
    // Counted from the end of the call, because the service's minute starts when the request arrives there.
    for (let i = 0; i < requests; i++) this.record()
  }

  #add(at: number): InviteSlot {
    const slot = { at }
    this.#slots.push(slot)
    this.#slots.sort((a, b) => a.at - b.at)
    return slot
  }
}
