import { invitesPerMinute } from '../../../contract/organization/members.ts'
import type { Clock } from '../clock.ts'
import type { Readings } from '../options/readings.ts'
import type { Saved } from '../saved.ts'
import { serviceError } from '../service-error.ts'

const minuteMs = 60_000

/** Limits invites to a number per minute, in a sliding window (contract, section 8). Rejected requests do not count. */
export class InviteLimit {
  readonly #clock: Clock
  readonly #rule: Readings['inviteLimit']
  readonly #invites: Map<string, readonly number[]>

  constructor(clock: Clock, rule: Readings['inviteLimit'], saved?: Saved<InviteLimit>) {
    this.#invites = new Map(saved)
    this.#clock = clock
    this.#rule = rule
  }

  save(): ReadonlyMap<string, readonly number[]> {
    return this.#invites
  }

  /** Counts one invite. Throws `rate_limited` with `Retry-After` if the limit is reached. */
  take(memberId: string): void {
    const key = this.#rule === 'per_member' ? memberId : ''
    const now = this.#clock.now().getTime()
    const recent = (this.#invites.get(key) ?? []).filter((at) => at > now - minuteMs)
    const [oldest] = recent
    if (oldest !== undefined && recent.length >= invitesPerMinute) {
      const seconds = Math.ceil((oldest + minuteMs - now) / 1000)
      throw serviceError('rate_limited', { headers: { 'retry-after': String(seconds) } })
    }
    this.#invites.set(key, [...recent, now])
  }
}
