import { invitesPerMinute } from '../contract/organization/members.ts'
import type { Timing } from '../runtime/timing.ts'

const minuteMs = 60_000

/** A request for an invite. */
interface Turn {
  /** When it is sent, and once it was answered, when that was. */
  at: number
}

/** Keeps the requests for invites of one client to 10 in any minute, not in each minute of the clock. */
export class InviteRateLimiter {
  readonly #timing: Timing
  #turns: Turn[] = []

  constructor(timing: Timing) {
    this.#timing = timing
  }

  /** Counts a request that does not wait for its turn. */
  record(): Turn {
    return this.#add(this.#timing.now())
  }

  /** Waits for a turn; ends early, without an error, when the signal aborts. */
  async wait(signal: AbortSignal | undefined): Promise<Turn> {
    const now = this.#timing.now()
    this.#turns = this.#turns.filter(({ at }) => at + minuteMs > now)
    const tenth = this.#turns.at(-invitesPerMinute)
    // It is taken before the wait: of two that wait, the second goes after the first.
    const turn = this.#add(tenth === undefined ? now : tenth.at + minuteMs)
    if (turn.at > now) await this.#timing.sleep(Math.ceil(turn.at - now), signal)
    return turn
  }

  /** @param requests what the turn came to, retries included; with 0 it was not used */
  end(turn: Turn, requests: number): void {
    this.#turns = this.#turns.filter((one) => one !== turn)
    // Counted from its end: a minute by the service's clock starts when the request arrived.
    for (let i = 0; i < requests; i++) this.record()
  }

  #add(at: number): Turn {
    const turn = { at }
    this.#turns.push(turn)
    this.#turns.sort((a, b) => a.at - b.at)
    return turn
  }
}
