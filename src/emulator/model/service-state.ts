import type { Member } from '../../contract/organization/member-results.ts'
import { OutcomeQueue } from './checks/outcome-queue.ts'
import { Clock } from './clock.ts'
import { Faults } from './faults/faults.ts'
import { IdempotencyKeys } from './idempotency-keys.ts'
import type { EmulatorSettings } from './options/options.ts'
import { Randomness } from './randomness.ts'
import { RequestLog } from './request-log.ts'
import { InviteLimit } from './roster/invite-limit.ts'
import { emailKey, Roster } from './roster/roster.ts'
import type { Saved } from './saved.ts'
import { HostedSessions } from './sessions/sessions.ts'
import { SignIns } from './sign-in/sign-ins.ts'
import type { SigningKeys } from './sign-in/signing-keys.ts'
import { EmulatedWallet } from './wallet.ts'
import { Deliveries } from './webhooks/deliveries.ts'
import { EmulatedWorkflows } from './workflows.ts'

/** What a snapshot contains of the state. The signing keys are apart from it, because they outlive a reset. */
export type SavedState = { readonly [Name in PartName]: Saved<ServiceState[Name]> } & {
  readonly faceUuid: string
  readonly enrolledFaces: ReadonlySet<string>
}

/** Every part that can be saved. */
type PartName = {
  [Name in Exclude<keyof ServiceState, 'save' | 'signingKeys'>]: ServiceState[Name] extends {
    save(): unknown
  }
    ? Name
    : never
}[Exclude<keyof ServiceState, 'save' | 'signingKeys'>]

/** The whole state of the emulated service. A reset and a restore replace it with a new instance. */
export class ServiceState {
  readonly settings: EmulatorSettings
  readonly clock: Clock
  readonly random: Randomness
  readonly requestLog: RequestLog
  readonly keys: IdempotencyKeys
  readonly faults: Faults
  readonly wallet: EmulatedWallet
  readonly outcomes: OutcomeQueue
  readonly workflows: EmulatedWorkflows
  readonly deliveries: Deliveries
  readonly sessions: HostedSessions
  readonly roster: Roster
  readonly inviteLimit: InviteLimit
  readonly signIns: SignIns
  readonly signingKeys: SigningKeys
  /** The id of the sample person's face in responses of the face endpoints. */
  readonly faceUuid: string
  readonly enrolledFaces: Set<string>

  /**
   * @param signingKeys outlive a reset, because generating them is slow
   * @param saved the state of a snapshot, and the time at which it was taken
   */
  constructor(settings: EmulatorSettings, signingKeys: SigningKeys, saved?: SavedState & { readonly now: Date }) {
    this.settings = settings
    this.signingKeys = signingKeys
    this.requestLog = new RequestLog(settings.onRequest, saved?.requestLog)
    this.clock = new Clock(settings.clock, saved && { ...saved.clock, now: saved.now })
    // Without a seed, ids differ between runs, because webhook receivers deduplicate by event id.
    this.random = new Randomness(settings.seed ?? crypto.randomUUID(), saved?.random)
    this.keys = new IdempotencyKeys(saved?.keys)
    this.faults = new Faults(saved?.faults)
    this.wallet = new EmulatedWallet(settings.wallet, saved?.wallet)
    this.outcomes = new OutcomeQueue(settings.outcomes, saved?.outcomes)
    this.workflows = new EmulatedWorkflows(settings.workflows, saved?.workflows)
    this.deliveries = new Deliveries(settings.webhooks, this.clock, saved?.deliveries)
    const { activationLinks: links, inviteLimit, invalidGrant } = settings.readings
    this.sessions = new HostedSessions(this, settings.readings, saved?.sessions)
    const onDeactivated = ({ email }: Member) => this.#endLogins(email)
    this.roster = new Roster(this, { members: settings.members, links, onDeactivated }, saved?.roster)
    this.inviteLimit = new InviteLimit(this.clock, inviteLimit, saved?.inviteLimit)
    this.signIns = new SignIns(this, invalidGrant, saved?.signIns)
    this.faceUuid = saved?.faceUuid ?? this.random.uuid()
    this.enrolledFaces = new Set(saved?.enrolledFaces)
  }

  /** Returns the live records, to be written at once. */
  save(): SavedState {
    return {
      clock: this.clock.save(),
      random: this.random.save(),
      requestLog: this.requestLog.save(),
      keys: this.keys.save(),
      faults: this.faults.save(),
      wallet: this.wallet.save(),
      outcomes: this.outcomes.save(),
      workflows: this.workflows.save(),
      deliveries: this.deliveries.save(),
      sessions: this.sessions.save(),
      roster: this.roster.save(),
      inviteLimit: this.inviteLimit.save(),
      signIns: this.signIns.save(),
      faceUuid: this.faceUuid,
      enrolledFaces: this.enrolledFaces,
    }
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
