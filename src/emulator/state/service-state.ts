import { randomUUID } from '#platform'
import type { Settings } from '../options.ts'
import { Clock } from './clock.ts'
import { Deliveries } from './deliveries.ts'
import { Faults } from './faults.ts'
import { IdempotencyKeys } from './idempotency-keys.ts'
import { InviteLimit } from './invite-limit.ts'
import { Journal } from './journal.ts'
import { OutcomeQueue } from './outcome-queue.ts'
import { Randomness } from './randomness.ts'
import { Roster } from './roster.ts'
import { Sessions } from './sessions.ts'
import { SignIns } from './sign-ins.ts'
import type { SigningKeys } from './signing-keys.ts'
import { Wallet } from './wallet.ts'
import { Workflows } from './workflows.ts'

/** Everything that the emulated service remembers. A reset replaces it as a whole. */
export class ServiceState {
  readonly settings: Settings
  readonly clock: Clock
  readonly random: Randomness
  readonly journal = new Journal()
  readonly keys = new IdempotencyKeys()
  readonly faults = new Faults()
  readonly wallet: Wallet
  readonly outcomes: OutcomeQueue
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

  /** @param signingKeys outlive a reset: making one takes a moment */
  constructor(settings: Settings, signingKeys: SigningKeys) {
    this.settings = settings
    this.signingKeys = signingKeys
    this.clock = new Clock(settings.clock)
    // A seed that is new each time keeps the ids of two runs apart: receivers remember event ids.
    this.random = new Randomness(settings.seed ?? randomUUID())
    this.wallet = new Wallet(settings.wallet)
    this.outcomes = new OutcomeQueue(settings.outcomes)
    this.workflows = new Workflows(settings.workflows)
    this.deliveries = new Deliveries(settings.webhooks, this.clock)
    this.sessions = new Sessions(this, settings.overrides)
    const { activationLinks: links, inviteLimit } = settings.organization
    this.roster = new Roster(this, { members: settings.members, links })
    this.inviteLimit = new InviteLimit(this.clock, inviteLimit)
    this.signIns = new SignIns(this)
    this.faceUuid = this.random.uuid()
  }
}
