import type { CheckType } from '../../../contract/verification/check-data.ts'
import type { Check } from '../../../contract/verification/check-results.ts'
import type { KnownSessionStatus, Outcome } from '../../../contract/verification/sessions.ts'
import { type WebhookEvent, webhookEventStatuses } from '../../../contract/webhooks/events.ts'
import { type CheckOutcomes, withOutcome } from '../../checks/outcome.ts'
import { passedCheck } from '../../checks/samples.ts'
import { EmulatorError } from '../../emulator-error.ts'
import { serviceError } from '../../server/service-error.ts'
import type { Clock } from '../clock.ts'
import type { Randomness } from '../randomness.ts'
import type { Deliveries } from '../webhooks/deliveries.ts'
import {
  appendHistory,
  type ChangeCause,
  type CheckResult,
  decisionOf,
  type HistoryEntry,
  type HostedSession,
  isAwaitingUser,
  isCheckType,
  isDecided,
  type NewSession,
  type Selections,
  statusFromChecks,
} from './hosted-session.ts'

/** How a person's visit can end. */
export type SessionEnd = Exclude<KnownSessionStatus, 'NOT_STARTED' | 'IN_PROGRESS'>

/** From where the API key may decide: the contract says both (section 3.1). */
export type OverrideRule = 'any_open' | 'in_review_only'

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

const isOpen = (session: HostedSession) => isAwaitingUser(session) || session.status === 'IN_REVIEW'

/** The sessions and the one place where their status changes. */
export class Sessions {
  readonly #sessions = new Map<string, Draft>()
  readonly #byPath = new Map<string, Draft>()
  readonly #around: { readonly clock: Clock; readonly random: Randomness; readonly deliveries: Deliveries }
  readonly #overrides: OverrideRule

  constructor(
    around: { readonly clock: Clock; readonly random: Randomness; readonly deliveries: Deliveries },
    overrides: OverrideRule,
  ) {
    this.#around = around
    this.#overrides = overrides
  }

  create(seed: NewSession): HostedSession {
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
      selections: {},
      history: [{ at: now, event: 'created' }],
    }
    this.#sessions.set(session.id, session)
    this.#byPath.set(session.path, session)
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
    return this.#byPath.get(path)
  }

  /** The person has opened the hosted page, and been through the checks that are told. */
  start(id: string, told: CheckOutcomes): void {
    const session = this.#awaited(id)
    this.#refuseForeign(session, told)
    this.#begin(session)
    this.#work(session, told, () => undefined)
  }

  /** The person picks how checks go. Until they send it they may pick anew; `undefined` takes a pick back. */
  select(id: string, picks: Selections): void {
    const session = this.#awaited(id)
    this.#refuseForeign(session, picks)
    this.#begin(session)
    session.selections = { ...session.selections, ...picks }
    this.#settle(session, ({ type, status }) =>
      status === 'pending' && isCheckType(type) && picks[type] !== undefined
        ? ({ type, status: 'running', data: {}, error: null } as Check)
        : undefined,
    )
  }

  /** The person sends what they picked, and the end follows. Resolves when the webhook was attempted. */
  finish(id: string): Promise<void> {
    const session = this.#awaited(id)
    const end = statusFromChecks(session)
    if (end === undefined) throw new EmulatorError(`session ${id} has checks without a result`)
    // A check that was told to end like this keeps its data.
    const told = Object.entries(session.selections).filter(([type, picked]) =>
      session.checks.some((check) => check.type === type && check.status !== picked),
    )
    this.#work(session, Object.fromEntries(told), () => undefined)
    return this.#move(session, end, 'person')
  }

  /** The person's visit ends, or a review does. Resolves when the webhook was attempted. */
  complete(id: string, end: SessionEnd, told: CheckOutcomes): Promise<void> {
    const session = this.#open(id)
    if (session.status === end) throw new EmulatorError(`session ${id} is ${end} already`)
    this.#refuseForeign(session, told)
    const rest = restOf[end]
    // An approval override needs the checks of the face: a test of one should not have to tell them.
    this.#work(session, told, (type) => (rest !== undefined && faceChecks.includes(type) ? 'passed' : rest))
    const isVerdict = session.status === 'IN_REVIEW' && isDecided(end)
    return this.#move(session, end, end === 'EXPIRED' ? 'time' : isVerdict ? 'review' : 'person')
  }

  /** The verdict of whoever holds the API key (contract, section 3.1). */
  override(id: string, verdict: Outcome): HostedSession {
    const session = this.#sessions.get(id)
    if (session === undefined) throw serviceError('not_found')
    const { status } = session
    if (isDecided(status)) throw serviceError('already_decided', { details: { status } })
    if (status === 'EXPIRED') throw serviceError('session_expired')
    if (status === 'ABANDONED') throw serviceError('session_closed')
    if (this.#overrides === 'in_review_only' && status !== 'IN_REVIEW')
      throw serviceError('review_not_pending')
    const passed = (type: string) =>
      session.checks.some((check) => check.type === type && check.status === 'passed')
    if (verdict === 'APPROVED' && !faceChecks.every(passed))
      throw serviceError('required_face_checks_incomplete')
    void this.#move(session, verdict, 'api')
    return session
  }

  /**
   * Ends what outlived its `ttl_seconds`. A session under review does not run out: the person has done their part.
   * Resolves when the webhooks were attempted.
   */
  async expireDue(): Promise<void> {
    const now = this.#around.clock.now()
    const due = [...this.#sessions.values()].filter(
      (session) => isAwaitingUser(session) && session.expiresAt <= now,
    )
    await Promise.all(due.map((session) => this.#move(session, 'EXPIRED', 'time')))
  }

  #open(id: string): Draft {
    void this.expireDue()
    const session = this.#sessions.get(id)
    if (session === undefined) throw new EmulatorError(`no session has the id ${id}`)
    if (!isOpen(session)) throw new EmulatorError(`session ${id} is ${session.status}: it changes no more`)
    return session
  }

  #awaited(id: string): Draft {
    const session = this.#open(id)
    if (!isAwaitingUser(session))
      throw new EmulatorError(`session ${id} is ${session.status}: it has been worked through`)
    return session
  }

  #refuseForeign({ id, workflow }: Draft, told: CheckOutcomes): void {
    const foreign = Object.keys(told).find((type) => !workflow.features.includes(type))
    if (foreign !== undefined)
      throw new EmulatorError(`the workflow of session ${id} has no check ${foreign}`)
  }

  #begin(session: Draft): void {
    if (session.status === 'IN_PROGRESS') return
    session.history = appendHistory(session.history, [{ at: this.#around.clock.now(), event: 'opened' }])
    void this.#move(session, 'IN_PROGRESS', 'person')
  }

  /** Ends the checks that are told, and those that have no result yet where `rest` has one for them. */
  #work(session: Draft, told: CheckOutcomes, rest: (type: CheckType) => CheckResult | undefined) {
    const now = this.#around.clock.now()
    this.#settle(session, ({ type, status }) => {
      if (!isCheckType(type)) return undefined
      const outcome = told[type] ?? (status === 'passed' || status === 'failed' ? undefined : rest(type))
      return outcome && (withOutcome(passedCheck(type, now), outcome) as Check)
    })
  }

  #settle(session: Draft, change: (check: { type: string; status: string }) => Check | undefined): void {
    const at = this.#around.clock.now()
    const changed = session.checks.map((check) => change(check))
    session.checks = session.checks.map((check, i) => changed[i] ?? check)
    const moments = changed.flatMap((check): HistoryEntry[] =>
      check === undefined ? [] : [{ at, event: 'check', check: check.type, status: check.status }],
    )
    session.history = appendHistory(session.history, moments)
    session.updatedAt = at
  }

  #move(session: Draft, status: KnownSessionStatus, by: ChangeCause): Promise<void> {
    const { clock, random, deliveries } = this.#around
    const now = clock.now()
    session.status = status
    session.updatedAt = now
    session.history = appendHistory(session.history, [{ at: now, event: 'status', status, by }])
    if (isDecided(status)) session.decidedAt = now

    const type = Object.entries(webhookEventStatuses).find(([, announced]) => announced === status)?.[0]
    if (type === undefined || session.callback === undefined) return Promise.resolve()
    return deliveries.send(session.callback, {
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
