import { type Check, type CheckType, checkTypes } from '../../contract/checks.ts'
import type { Decision, Outcome, sessionStatuses } from '../../contract/sessions.ts'
import { type WebhookEvent, webhookEventStatuses } from '../../contract/webhook-events.ts'
import type { Workflow } from '../../contract/workflows.ts'
import { type CheckOutcomes, withOutcome } from '../checks/outcome.ts'
import { passedCheck } from '../checks/samples.ts'
import { EmulatorError } from '../emulator-error.ts'
import { refuse } from '../refusal.ts'
import type { Clock } from './clock.ts'
import type { Deliveries } from './deliveries.ts'
import type { Randomness } from './randomness.ts'

export type KnownSessionStatus = (typeof sessionStatuses)[number]

/** How a person's visit can end. */
export type SessionEnd = Exclude<KnownSessionStatus, 'NOT_STARTED' | 'IN_PROGRESS'>

/** From where the API key may decide: the contract says both (section 3.1). */
export type OverrideRule = 'any_open' | 'in_review_only'

/** What a session is made of. */
export interface SessionSeed {
  readonly workflow: Workflow
  readonly redirectUrl: string | undefined
  readonly callback: string | undefined
  readonly vendorData: string | undefined
  readonly ttlSeconds: number
}

export interface HostedSession extends SessionSeed {
  readonly id: string
  /** Last segment of the hosted page's address. */
  readonly path: string
  readonly token: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly updatedAt: Date
  readonly status: KnownSessionStatus
  readonly decidedAt: Date | undefined
  readonly checks: readonly Check[]
}

type Draft = { -readonly [Field in keyof HostedSession]: HostedSession[Field] }

/** Checks that an approval override needs (contract, section 3.1). */
const faceChecks: readonly string[] = ['id_verification', 'liveness', 'face_match']

/** How the checks end that nobody told, by the end of the session. */
const restOf = {
  APPROVED: 'passed',
  IN_REVIEW: 'review',
  DECLINED: 'failed',
  ABANDONED: undefined,
  EXPIRED: undefined,
} as const

const isListed = (feature: string): feature is CheckType =>
  (checkTypes as readonly string[]).includes(feature)

const isDecided = (status: KnownSessionStatus): status is Outcome =>
  status === 'APPROVED' || status === 'DECLINED'

/** Whether the person may still work through the hosted page. */
export const isAwaited = ({ status }: HostedSession) => status === 'NOT_STARTED' || status === 'IN_PROGRESS'

const isOpen = (session: HostedSession) => isAwaited(session) || session.status === 'IN_REVIEW'

/** The decision as the decision endpoint and the webhooks give it. */
export function decisionOf({ status, decidedAt, checks }: HostedSession): Decision {
  return {
    status,
    decision: isDecided(status) ? status : null,
    decided_at: decidedAt?.toISOString() ?? null,
    checks,
  }
}

/** The sessions and the one place where their status changes. */
export class Sessions {
  readonly #sessions = new Map<string, Draft>()
  readonly #around: { readonly clock: Clock; readonly random: Randomness; readonly deliveries: Deliveries }
  readonly #overrides: OverrideRule

  constructor(
    around: { readonly clock: Clock; readonly random: Randomness; readonly deliveries: Deliveries },
    overrides: OverrideRule,
  ) {
    this.#around = around
    this.#overrides = overrides
  }

  create(seed: SessionSeed): HostedSession {
    const { clock, random } = this.#around
    const now = clock.now()
    const session: Draft = {
      ...seed,
      id: random.id('sess_'),
      path: random.id(''),
      token: random.id('stok_'),
      createdAt: now,
      updatedAt: now,
      expiresAt: new Date(now.getTime() + seed.ttlSeconds * 1000),
      status: 'NOT_STARTED',
      decidedAt: undefined,
      checks: seed.workflow.features.map(
        (type) => ({ type, status: 'pending', data: {}, error: null }) as Check,
      ),
    }
    this.#sessions.set(session.id, session)
    return session
  }

  /** Newest first. */
  all(): readonly HostedSession[] {
    return [...this.#sessions.values()].reverse()
  }

  find(id: string): HostedSession | undefined {
    return this.#sessions.get(id)
  }

  findByPath(path: string): HostedSession | undefined {
    return this.all().find((session) => session.path === path)
  }

  /** The person has opened the hosted page, and been through the checks that are told. */
  start(id: string, told: CheckOutcomes): void {
    const session = this.#open(id)
    if (!isAwaited(session))
      throw new EmulatorError(`session ${id} is ${session.status}: it has been worked through`)
    this.#work(session, told, () => undefined)
    this.#move(session, 'IN_PROGRESS')
  }

  /** The person's visit ends, or a review does. Resolves when the webhook was attempted. */
  complete(id: string, end: SessionEnd, told: CheckOutcomes): Promise<void> {
    const session = this.#open(id)
    if (session.status === end) throw new EmulatorError(`session ${id} is ${end} already`)
    const rest = restOf[end]
    // An approval override needs the checks of the face: a test of one should not have to tell them.
    this.#work(session, told, (type) => (rest !== undefined && faceChecks.includes(type) ? 'passed' : rest))
    return this.#move(session, end)
  }

  /** The verdict of whoever holds the API key (contract, section 3.1). */
  override(id: string, verdict: Outcome): HostedSession {
    const session = this.#sessions.get(id)
    if (session === undefined) throw refuse('not_found')
    const { status } = session
    if (isDecided(status)) throw refuse('already_decided', { details: { status } })
    if (status === 'EXPIRED') throw refuse('session_expired')
    if (status === 'ABANDONED') throw refuse('session_closed')
    if (this.#overrides === 'in_review_only' && status !== 'IN_REVIEW') throw refuse('review_not_pending')
    const passed = (type: string) =>
      session.checks.some((check) => check.type === type && check.status === 'passed')
    if (verdict === 'APPROVED' && !faceChecks.every(passed)) throw refuse('required_face_checks_incomplete')
    void this.#move(session, verdict)
    return session
  }

  /**
   * Ends what outlived its `ttl_seconds`. A session under review does not run out: the person has done their part.
   * Resolves when the webhooks were attempted.
   */
  async expireDue(): Promise<void> {
    const now = this.#around.clock.now()
    const due = [...this.#sessions.values()].filter(
      (session) => isAwaited(session) && session.expiresAt <= now,
    )
    await Promise.all(due.map((session) => this.#move(session, 'EXPIRED')))
  }

  #open(id: string): Draft {
    void this.expireDue()
    const session = this.#sessions.get(id)
    if (session === undefined) throw new EmulatorError(`no session has the id ${id}`)
    if (!isOpen(session)) throw new EmulatorError(`session ${id} is ${session.status}: it changes no more`)
    return session
  }

  /** Ends the checks that are told, and those that have no result yet where `rest` has one for them. */
  #work(
    session: Draft,
    told: CheckOutcomes,
    rest: (type: CheckType) => 'passed' | 'review' | 'failed' | undefined,
  ) {
    const foreign = Object.keys(told).find((type) => !session.workflow.features.includes(type))
    if (foreign !== undefined)
      throw new EmulatorError(`the workflow of session ${session.id} has no check ${foreign}`)
    const now = this.#around.clock.now()
    session.checks = session.checks.map((check) => {
      const { type, status } = check as { type: string; status: string }
      if (!isListed(type)) return check
      const outcome = told[type] ?? (status === 'passed' || status === 'failed' ? undefined : rest(type))
      return outcome === undefined ? check : (withOutcome(passedCheck(type, now), outcome) as Check)
    })
  }

  #move(session: Draft, status: KnownSessionStatus): Promise<void> {
    const { clock, random, deliveries } = this.#around
    const now = clock.now()
    session.status = status
    session.updatedAt = now
    if (isDecided(status)) session.decidedAt = now

    const type = Object.entries(webhookEventStatuses).find(([, announced]) => announced === status)?.[0]
    if (type === undefined || session.callback === undefined) return Promise.resolve()
    return deliveries.announce(session.callback, {
      event_id: random.id('evt_'),
      type,
      session_id: session.id,
      status,
      vendor_data: session.vendorData ?? null,
      decision: decisionOf(session),
      occurred_at: now.toISOString(),
    } as WebhookEvent)
  }
}
