import { randomUUID } from '#platform'
import type { Member } from '../../contract/organization/member-results.ts'
import type { Settings } from '../options/options.ts'
import { CheckLog } from './check-log.ts'
import { Clock } from './clock.ts'
import { Faults } from './faults/faults.ts'
import { IdempotencyKeys } from './idempotency-keys.ts'
import { OutcomeQueue } from './outcome-queue.ts'
import { Randomness } from './randomness.ts'
import type { RequestFeed } from './request-log.ts'
import { RequestLog } from './request-log.ts'
import { InviteLimit } from './roster/invite-limit.ts'
import { emailKey } from './roster/member-row.ts'
import { Roster } from './roster/roster.ts'
import { Sessions } from './sessions/sessions.ts'
import { SignIns } from './sign-ins.ts'
import type { SigningKeys } from './signing-keys.ts'
import { Wallet } from './wallet.ts'
import { Deliveries } from './webhooks/deliveries.ts'
import { Workflows } from './workflows.ts'

/** Everything that the emulated service remembers. A reset replaces it as a whole. */
export class ServiceState {
  readonly settings: Settings
  readonly clock: Clock
  readonly random: Randomness
  readonly requestLog: RequestLog
  readonly keys = new IdempotencyKeys()
  readonly faults = new Faults()
  readonly wallet: Wallet
  readonly outcomes: OutcomeQueue
  readonly checkLog: CheckLog
  readonly workflows: Workflows
  readonly deliveries: Deliveries
  readonly sessions: Sessions
  readonly roster: Roster
  readonly inviteLimit: InviteLimit
  readonly signIns: SignIns
  readonly signingKeys: SigningKeys
  /** What the face endpoints call the sample person. */
  readonly faceUuid: string
  readonly enrolledFaces = new Set<string>()

  /** @param lasting outlive a reset: making a key takes a moment, and who listens goes on listening */
  constructor(
    settings: Settings,
    lasting: { readonly signingKeys: SigningKeys; readonly requestFeed: RequestFeed },
  ) {
    this.settings = settings
    this.signingKeys = lasting.signingKeys
    this.requestLog = new RequestLog(lasting.requestFeed)
    this.clock = new Clock(settings.clock)
    // A seed that is new each time keeps the ids of two runs apart: receivers remember event ids.
    this.random = new Randomness(settings.seed ?? randomUUID())
    this.wallet = new Wallet(settings.wallet)
    this.outcomes = new OutcomeQueue(settings.outcomes)
    this.checkLog = new CheckLog(this.clock)
    this.workflows = new Workflows(settings.workflows)
    this.deliveries = new Deliveries(settings.webhooks, this.clock)
    this.sessions = new Sessions(this, settings.overrides)
    const { activationLinks: links, inviteLimit } = settings.organization
    const onGone = ({ email }: Member) => this.#endLogins(email)
    this.roster = new Roster(this, { members: settings.members, links, onGone })
    this.inviteLimit = new InviteLimit(this.clock, inviteLimit)
    this.signIns = new SignIns(this)
    this.faceUuid = this.random.uuid()
  }

  /**
   * Does what time has brought about: sessions run out, failed deliveries are sent again. Resolves once the webhooks
   * were attempted; the sessions have ended before.
   */
  async runDueTasks(): Promise<void> {
    await Promise.all([this.sessions.expireDue(), this.deliveries.retryDue()])
  }

  /** Whoever signs in with a member's email is that member. */
  #endLogins(email: string): void {
    const { users, oidc } = this.settings
    for (const user of users)
      if (user.email !== undefined && emailKey(user.email) === emailKey(email))
        this.signIns.endLogins({ user, clientId: oidc.clientId })
  }
}
