import type { Member } from '../../contract/organization/member-results.ts'
import type { EmulatorSettings } from '../options/options.ts'
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
import { HostedSessions } from './sessions/sessions.ts'
import { SignIns } from './sign-ins.ts'
import type { SigningKeys } from './signing-keys.ts'
import { EmulatedWallet } from './wallet.ts'
import { Deliveries } from './webhooks/deliveries.ts'
import { EmulatedWorkflows } from './workflows.ts'

/** The whole state of the emulated service. A reset replaces it with a new instance. */
export class ServiceState {
  readonly settings: EmulatorSettings
  readonly clock: Clock
  readonly random: Randomness
  readonly requestLog: RequestLog
  readonly keys = new IdempotencyKeys()
  readonly faults = new Faults()
  readonly wallet: EmulatedWallet
  readonly outcomes: OutcomeQueue
  readonly checkLog: CheckLog
  readonly workflows: EmulatedWorkflows
  readonly deliveries: Deliveries
  readonly sessions: HostedSessions
  readonly roster: Roster
  readonly inviteLimit: InviteLimit
  readonly signIns: SignIns
  readonly signingKeys: SigningKeys
  /** The id of the sample person's face in responses of the face endpoints. */
  readonly faceUuid: string
  readonly enrolledFaces = new Set<string>()

  /** @param persistent outlives a reset, because generating keys is slow and listeners stay subscribed */
  constructor(
    settings: EmulatorSettings,
    persistent: { readonly signingKeys: SigningKeys; readonly requestFeed: RequestFeed },
  ) {
    this.settings = settings
    this.signingKeys = persistent.signingKeys
    this.requestLog = new RequestLog(persistent.requestFeed)
    this.clock = new Clock(settings.clock)
    // Without a seed, ids differ between runs, because webhook receivers deduplicate by event id.
    this.random = new Randomness(settings.seed ?? crypto.randomUUID())
    this.wallet = new EmulatedWallet(settings.wallet)
    this.outcomes = new OutcomeQueue(settings.outcomes)
    this.checkLog = new CheckLog(this.clock)
    this.workflows = new EmulatedWorkflows(settings.workflows)
    this.deliveries = new Deliveries(settings.webhooks, this.clock)
    const { activationLinks: links, inviteLimit, invalidGrant } = settings.readings
    this.sessions = new HostedSessions(this, settings.readings)
    const onDeactivated = ({ email }: Member) => this.#endLogins(email)
    this.roster = new Roster(this, { members: settings.members, links, onDeactivated })
    this.inviteLimit = new InviteLimit(this.clock, inviteLimit)
    this.signIns = new SignIns(this, invalidGrant)
    this.faceUuid = this.random.uuid()
  }

  /**
   * Expires sessions and resends failed deliveries that are due. Sessions expire synchronously. Resolves when the
   * webhooks have been attempted.
   */
  async runDueTasks(): Promise<void> {
    await Promise.all([this.sessions.expireDue(), this.deliveries.retryDue()])
  }

  /** Ends the logins of a member. A user is a member if their emails are equal. */
  #endLogins(email: string): void {
    const { users, oidc } = this.settings
    for (const user of users)
      if (user.email !== undefined && emailKey(user.email) === emailKey(email))
        this.signIns.endLogins({ user, clientId: oidc.clientId })
  }
}
