import { invitesPerMinute } from '../../../contract/organization/members.ts'
import type { InviteLimitRule } from '../../options/roster-options.ts'
import { serviceError } from '../../server/service-error.ts'
import type { Clock } from '../clock.ts'

const minuteMs = 60_000

/** Counts the requests for an invite (contract, section 8), in any minute. One that is refused for it is not counted. */
export class InviteLimit {
  readonly #clock: Clock
  readonly #rule: InviteLimitRule
  readonly #taken = new Map<string, number[]>()

  constructor(clock: Clock, rule: InviteLimitRule) {
    this.#clock = clock
    this.#rule = rule
  }

  /** Throws 429 `rate_limited` with `Retry-After`. */
  take(memberId: string): void {
    const key = this.#rule === 'per_member' ? memberId : ''
    const now = this.#clock.now().getTime()
    const recent = (this.#taken.get(key) ?? []).filter((at) => at > now - minuteMs)
    const [oldest] = recent
    if (oldest !== undefined && recent.length >= invitesPerMinute) {
      const seconds = Math.ceil((oldest + minuteMs - now) / 1000)
      throw serviceError('rate_limited', { headers: { 'retry-after': String(seconds) } })
    }
    this.#taken.set(key, [...recent, now])
  }
}
