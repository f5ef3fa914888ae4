import type { CheckType } from '../../../contract/verification/check-data.ts'
import type { Check } from '../../../contract/verification/check-results.ts'
import type { KnownSessionStatus, Outcome } from '../../../contract/verification/session-status.ts'
import { type WebhookEvent, webhookEventStatuses } from '../../../contract/webhooks/events.ts'
import { EmulatorError } from '../../../errors/sdk-error.ts'
import { type CheckOutcomes, withOutcome } from '../checks/outcome.ts'
import { passedCheck } from '../checks/samples.ts'
import type { Clock } from '../clock.ts'
import type { Readings } from '../options/readings.ts'
import type { Randomness } from '../randomness.ts'
import type { Saved } from '../saved.ts'
import { serviceError } from '../service-error.ts'
import type { Deliveries } from '../webhooks/deliveries.ts'
import {
  appendHistory,
  type ChangeCause,
  checkTypesOf,
  decisionOf,
  type HistoryEntry,
  type HostedSession,
  isAwaitingUser,
  isCheckType,
  isDecided,
  type NewSession,
  type SelectedResult,
  type Selections,
  statusFromChecks,
} from './hosted-session.ts'

/** A status that `sessions.complete` can set. */
export type SessionEnd = Exclude<KnownSessionStatus, 'NOT_STARTED' | 'IN_PROGRESS'>

type MutableSession = { -readonly [Field in keyof HostedSession]: HostedSession[Field] }

/** Checks that an approval override needs (contract, section 3.1). */
const faceChecks: readonly string[] = ['id_verification', 'liveness', 'face_match']

export const sessionEndNames = [
  'IN_REVIEW',
  'APPROVED',
  'DECLINED',
  'ABANDONED',
  'EXPIRED',
] as const satisfies readonly SessionEnd[]

export const isOpen = (session: HostedSession) => isAwaitingUser(session) || session.status === 'IN_REVIEW'

/** Returns whether a session gets this status without a result of its checks. */
const isEndedEarly = (status: SessionEnd) => status === 'EXPIRED' || status === 'ABANDONED'

/**
 * Returns the results of the checks that have no outcome yet when a session gets a status. They follow from the status.
 *
 * @param outcomes those that the caller chose, which are already applied
 */
function resultsFor(status: SessionEnd, session: HostedSession, outcomes: CheckOutcomes): CheckOutcomes {
  if (isEndedEarly(status)) return {}
  const types = checkTypesOf(session).filter((type) => outcomes[type] === undefined)
  const statusOf = (type: CheckType) => session.checks.find((check) => check.type === type)?.status
  const unfinished = types.filter((type) => statusOf(type) !== 'passed' && statusOf(type) !== 'failed')
  const isDeclined = status === 'DECLINED' && session.checks.every((check) => check.status !== 'failed')
  const failed = isDeclined ? (unfinished[0] ?? types[0]) : undefined
  // An approval override requires passed face checks, so they pass by default even before a review.
  const resultOf = (type: CheckType): SelectedResult =>
    status === 'IN_REVIEW' && !faceChecks.includes(type) ? 'review' : 'passed'
  return {
    ...Object.fromEntries(unfinished.map((type) => [type, resultOf(type)])),
    ...(failed && { [failed]: 'failed' }),
  }
}

/** Stores the sessions. Their status changes only here. */
export class HostedSessions {
  readonly #sessions: Map<string, MutableSession>
  readonly #byPath: Map<string, MutableSession>
  /** Grows with each change of a status. */
  changes = 0
  /** No session expires before this time, in milliseconds since the epoch. */
  #nextExpiry: number
  readonly #context: { readonly clock: Clock; readonly random: Randomness; readonly deliveries: Deliveries }
  readonly #readings: Pick<Readings, 'overrides' | 'expiry'>

  constructor(
    context: { readonly clock: Clock; readonly random: Randomness; readonly deliveries: Deliveries },
    readings: Pick<Readings, 'overrides' | 'expiry'>,
    saved: Saved<HostedSessions> = [],
  ) {
    this.#sessions = new Map(saved.map((session) => [session.id, session]))
    this.#byPath = new Map(saved.map((session) => [session.path, session]))
    // Determined when sessions are next expired.
    this.#nextExpiry = saved.length === 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
    this.#context = context
    this.#readings = readings
  }

  save(): readonly HostedSession[] {
    return [...this.#sessions.values()]
  }

  create(seed: NewSession): HostedSession {
    const { clock, random } = this.#context
    const now = clock.now()
    const session: MutableSession = {
      ...seed,
      id: random.id('sess_'),
      path: random.id(''),
      token: random.id('stok_'),
      createdAt: now,
      updatedAt: now,
      expiresAt: new Date(now.getTime() + seed.ttlSeconds * 1000),
      status: 'NOT_STARTED',
      verdict: undefined,
      decidedAt: undefined,
      checks: seed.workflow.features.map((type) => ({ type, status: 'pending', data: {}, error: null }) as Check),
      selections: {},
      history: [{ at: now, event: 'created' }],
    }
    this.#sessions.set(session.id, session)
    this.#byPath.set(session.path, session)
    this.#nextExpiry = Math.min(this.#nextExpiry, session.expiresAt.getTime())
    return session
  }

  /** Returns all sessions, newest first. */
  all(): readonly HostedSession[] {
    return [...this.#sessions.values()].reverse()
  }

  find(id: string): HostedSession | undefined {
    return this.#sessions.get(id)
  }

  findByPath(path: string): HostedSession | undefined {
    return this.#byPath.get(path)
  }

  /** Starts a session, as opening the hosted page does, and completes the given checks. */
  start(id: string, outcomes: CheckOutcomes): void {
    const call = 'sessions.start'
    const session = this.#requireAwaitingUser(call, id)
    this.#requireWorkflowChecks(call, session, outcomes)
    this.#markInProgress(session)
    this.#applyOutcomes(session, outcomes)
  }

  /** Selects results of checks. They can be changed until `finish`. `undefined` removes a selection. */
  select(id: string, selections: Selections): void {
    const call = 'hosted page'
    const session = this.#requireAwaitingUser(call, id)
    this.#requireWorkflowChecks(call, session, selections)
    this.#markInProgress(session)
    session.selections = { ...session.selections, ...selections }
    this.#updateChecks(session, ({ type, status }) =>
      status === 'pending' && isCheckType(type) && selections[type] !== undefined
        ? ({ type, status: 'running', data: {}, error: null } as Check)
        : undefined,
    )
  }

  /** Submits the selections, which determine the final status. Resolves when the webhook has been attempted. */
  finish(id: string): Promise<void> {
    const call = 'hosted page'
    const session = this.#requireAwaitingUser(call, id)
    const status = statusFromChecks(session)
    if (status === undefined)
      throw new EmulatorError({ message: `${call}: some checks of the session have no result yet: ${id}` })
    // A check that already has the selected status keeps its data.
    const changed = Object.entries(session.selections).filter(([type, result]) =>
      session.checks.some((check) => check.type === type && check.status !== result),
    )
    this.#applyOutcomes(session, Object.fromEntries(changed))
    return this.#setStatus(session, status, 'person')
  }

  /** Ends the person's visit, or a review. Resolves when the webhook has been attempted. */
  complete(id: string, status: SessionEnd, outcomes: CheckOutcomes): Promise<void> {
    const call = 'sessions.complete'
    const isFromAnyStatus = this.#readings.expiry === 'any_status' && isEndedEarly(status)
    const session = isFromAnyStatus ? this.#require(call, id) : this.#requireOpen(call, id)
    if (session.status === status)
      throw new EmulatorError({ message: `${call}: the session is already ${status}: ${id}` })
    this.#requireWorkflowChecks(call, session, outcomes)
    this.#applyOutcomes(session, outcomes)
    this.#applyOutcomes(session, resultsFor(status, session, outcomes))
    const isReviewed = session.status === 'IN_REVIEW' && isDecided(status)
    return this.#setStatus(session, status, status === 'EXPIRED' ? 'time' : isReviewed ? 'review' : 'person')
  }

  /** Sets the verdict through the API (contract, section 3.1). */
  override(id: string, verdict: Outcome): HostedSession {
    const session = this.#sessions.get(id)
    if (session === undefined) throw serviceError('not_found')
    const { status } = session
    if (isDecided(status)) throw serviceError('already_decided', { details: { status } })
    if (status === 'EXPIRED') throw serviceError('session_expired')
    if (status === 'ABANDONED') throw serviceError('session_closed')
    if (this.#readings.overrides === 'in_review_only' && status !== 'IN_REVIEW')
      throw serviceError('review_not_pending')
    const passed = (type: string) => session.checks.some((check) => check.type === type && check.status === 'passed')
    if (verdict === 'APPROVED' && !faceChecks.every(passed)) throw serviceError('required_face_checks_incomplete')
    void this.#setStatus(session, verdict, 'api')
    return session
  }

  /**
   * Expires the sessions that are older than their `ttl_seconds`. By default, a session in review does not expire,
   * because the person has done their part. Resolves when the webhooks have been attempted.
   */
  async expireDue(): Promise<void> {
    const now = this.#context.clock.now()
    // Every request calls this, and there may be many sessions.
    if (now.getTime() < this.#nextExpiry) return
    this.#nextExpiry = Number.POSITIVE_INFINITY
    const canExpire = this.#readings.expiry === 'any_status' ? () => true : isAwaitingUser
    const due: MutableSession[] = []
    for (const session of this.#sessions.values()) {
      if (session.status === 'EXPIRED' || !canExpire(session)) continue
      if (session.expiresAt <= now) due.push(session)
      else this.#nextExpiry = Math.min(this.#nextExpiry, session.expiresAt.getTime())
    }
    await Promise.all(due.map((session) => this.#setStatus(session, 'EXPIRED', 'time')))
  }

  #require(call: string, id: string): MutableSession {
    void this.expireDue()
    const session = this.#sessions.get(id)
    if (session === undefined) throw new EmulatorError({ message: `${call}: the session does not exist: ${id}` })
    return session
  }

  #requireOpen(call: string, id: string): MutableSession {
    const session = this.#require(call, id)
    if (!isOpen(session))
      throw new EmulatorError({
        message: `${call}: the session has ended with the status ${session.status}: ${id}`,
      })
    return session
  }

  #requireAwaitingUser(call: string, id: string): MutableSession {
    const session = this.#requireOpen(call, id)
    if (!isAwaitingUser(session))
      throw new EmulatorError({
        message: `${call}: the person has already finished the session, whose status is ${session.status}: ${id}`,
      })
    return session
  }

  #requireWorkflowChecks(call: string, { id, workflow }: MutableSession, outcomes: CheckOutcomes): void {
    const unknown = Object.keys(outcomes).find((type) => !workflow.features.some((feature) => feature === type))
    if (unknown !== undefined)
      throw new EmulatorError({
        message: `${call}: the workflow of session ${id} has no check ${unknown}. Its checks are ${workflow.features.join(', ')}`,
      })
  }

  #markInProgress(session: MutableSession): void {
    if (session.status === 'IN_PROGRESS') return
    session.history = appendHistory(session.history, [{ at: this.#context.clock.now(), event: 'opened' }])
    void this.#setStatus(session, 'IN_PROGRESS', 'person')
  }

  #applyOutcomes(session: MutableSession, outcomes: CheckOutcomes): void {
    const now = this.#context.clock.now()
    this.#updateChecks(session, ({ type }) => {
      const outcome = isCheckType(type) ? outcomes[type] : undefined
      return outcome && (withOutcome(passedCheck(type as CheckType, now), outcome) as Check)
    })
  }

  #updateChecks(session: MutableSession, change: (check: { type: string; status: string }) => Check | undefined): void {
    const at = this.#context.clock.now()
    const changed = session.checks.map((check) => change(check))
    session.checks = session.checks.map((check, i) => changed[i] ?? check)
    const entries = changed.flatMap((check): HistoryEntry[] =>
      check === undefined ? [] : [{ at, event: 'check', check: check.type, status: check.status }],
    )
    session.history = appendHistory(session.history, entries)
    session.updatedAt = at
  }

  async #setStatus(session: MutableSession, status: KnownSessionStatus, by: ChangeCause): Promise<void> {
    const { clock, random, deliveries } = this.#context
    const now = clock.now()
    this.changes += 1
    session.status = status
    session.updatedAt = now
    session.history = appendHistory(session.history, [{ at: now, event: 'status', status, by }])
    if (isDecided(status)) {
      session.verdict = status
      session.decidedAt = now
    }

    const type = Object.entries(webhookEventStatuses).find(([, eventStatus]) => eventStatus === status)?.[0]
    if (type === undefined || session.callback === undefined) return
    await deliveries.send(session.callback, {
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
