import {
  currentSession,
  type PendingReview,
  reportedState,
  type SentParams,
  type SessionRecord,
  sessionState,
  type VerificationRecord,
} from './record.ts'
import { type SessionState, sessionStates } from './states.ts'
import type { CheckSummary, EndedReason, VerificationHistoryEntry } from './verification.ts'

/** What the service says about a session. */
export interface SessionFacts {
  readonly state: SessionState
  readonly reason: EndedReason | null
  readonly decidedAt: string | null
  readonly checks: readonly CheckSummary[]
}

/** A session that the service created. */
export interface CreatedSession {
  readonly id: string
  readonly url: string
  readonly expiresAt: string
}

/** A transition returns the same record if nothing changes. */
export type Transition = (record: VerificationRecord) => VerificationRecord

const maxHistoryEntries = 50
/** Checks of a session that are kept. */
export const maxChecks = 100

/** Writes the intent to create a session. A start that has not ended is taken over. */
export const beginStart =
  (run: string, at: string, sent: SentParams): Transition =>
  (record) => {
    const updatedBefore = record.start ? record.start.updatedBefore : record.updatedAt
    const start = { run, at, from: reportedState(record), updatedBefore, sent }
    return { ...record, id: record.id ?? run, start, updatedAt: at }
  }

/** Gives a start that has not ended to another run, which looks for its session. */
export const takeOverStart =
  (run: string): Transition =>
  (record) =>
    record.start ? { ...record, start: { ...record.start, run } } : record

/** Restores the record as it was before a start that created no session. */
export const cancelStart =
  (run: string): Transition =>
  (record) =>
    record.start?.run === run ? { ...record, start: null, updatedAt: record.start.updatedBefore } : record

/** Gives the changes to a run that delivers them. */
export const takeDelivery =
  (run: string): Transition =>
  (record) => ({ ...record, delivery: run })

/** Removes a change that was delivered. The run that delivered the last one has ended. */
export const removeChange =
  (id: string, run: string): Transition =>
  (record) => {
    const changes = record.changes.filter((one) => one.id !== id)
    const hasEnded = record.delivery === run && changes.length === 0
    return { ...record, changes, delivery: hasEnded ? null : record.delivery }
  }

/** A session that a start adds, and the start. */
export interface AddedSession {
  readonly created: CreatedSession
  /** The record at the start. */
  readonly recordId: string | null
  readonly workflow: string | null
  /** When the start began. */
  readonly createdAt: string
  readonly at: string
  /** The number of sessions to keep. */
  readonly keep: number
}

/** Adds a session that a start created or found, unless the person was forgotten meanwhile. */
export const addSession =
  ({ created, recordId, workflow, createdAt, at, keep }: AddedSession): Transition =>
  (record) => {
    const { start, sessions: known } = record
    // The person was forgotten, and may have started again: the session belongs to no record any more.
    if (record.id !== recordId) return record
    if (known.some(({ id }) => id === created.id)) {
      // The service returned a session of an earlier start, so the start that requested it has ended. Another may run.
      return start?.at === createdAt ? { ...record, start: null, updatedAt: at } : record
    }
    const isRenewal = start?.from === 'approved'
    const sessions = isRenewal ? known.map((one) => ({ ...one, superseded: true })) : known
    const session: SessionRecord = {
      ...created,
      state: 'open',
      reason: null,
      createdAt,
      decidedAt: null,
      checks: [],
      workflow,
      superseded: false,
    }
    // If another process has taken this start over and finished it, the state is that of its session.
    const state = sessionState(record)
    const isSame = currentSession(record)?.workflow === workflow && ['open', 'in_review'].includes(state)
    const isLate = start === null && (state === 'approved' || isSame)
    const current = isLate ? record.current : session.id
    // The oldest go, but never the one that decides about the person.
    const first = sessions.length + 1 - keep
    return {
      ...record,
      sessions: withChecksOf(current, [...sessions.filter(({ id }, i) => i >= first || id === current), session]),
      current,
      start: null,
      history: withEntry(record.history, { sessionId: session.id, state: session.state, at }),
      updatedAt: at,
    }
  }

/**
 * Applies what the service says about a session. An older session changes the state only if it is newly approved, by
 * the workflow that the person was last sent to, and no renewal has begun since.
 */
export const applyFacts =
  (sessionId: string, facts: SessionFacts, at: string): Transition =>
  (record) => {
    const session = record.sessions.find(({ id }) => id === sessionId)
    // The service may be read by several processes at once, so what was read first may arrive last. States only
    // advance.
    if (session === undefined || rank(facts) < rank(session)) return record
    const isNew = facts.state !== session.state
    const isDecisive = isNew && facts.state === 'approved' && decides(session, record)
    const current = isDecisive ? sessionId : record.current
    const checks = sessionId === current ? keptChecks(facts.checks) : []
    const next = { ...session, ...facts, checks, decidedAt: facts.decidedAt ?? session.decidedAt }
    // A repeated event must not write: each write may compete with that of another process.
    if (!isNew && JSON.stringify(next) === JSON.stringify(session)) return record
    const updated: VerificationRecord = {
      ...record,
      sessions: withChecksOf(
        current,
        record.sessions.map((one) => (one === session ? next : one)),
      ),
      history: withEntry(record.history, { sessionId, state: next.state, at }),
      ...(isDecisive && { current, start: null }),
      updatedAt: at,
    }
    const review = reviewOf(facts, sessionId, record)
    return review ? noteReview(review, facts.state, at)(updated) : updated
  }

/**
 * Returns the verdict that a session got, if the process that sent it has failed or is slower than the webhook.
 * `undefined` if it may be that of several reviewers: nobody is better than somebody else.
 */
function reviewOf(
  { state, reason }: SessionFacts,
  sessionId: string,
  { reviews = [] }: VerificationRecord,
): PendingReview | undefined {
  // If a required check is missing, the session ends by an approval.
  const verdict = reason === 'check_missing' ? 'approved' : state
  const possible = reviews.filter((one) => one.sessionId === sessionId && one.state === verdict)
  return possible.every(({ by }) => by === possible[0]?.by) ? possible[0] : undefined
}

/** Returns the checks to keep. Those that did not pass come first if some are left out, because one of them decides. */
function keptChecks(checks: readonly CheckSummary[]): readonly CheckSummary[] {
  if (checks.length <= maxChecks) return checks
  const others = checks.filter((check) => !isPassed(check))
  const passed = checks.filter(isPassed)
  // One of each type, because a check that is required must not count as missing.
  const first = passed.filter(({ type }, i) => passed.findIndex((one) => one.type === type) === i)
  return [...others, ...new Set([...first, ...passed])].slice(0, maxChecks)
}

/** Whether a check passed and verified the holder. */
export const isPassed = ({ status, verified }: CheckSummary): boolean => status === 'passed' && verified !== false

/** Keeps the checks of the current session only. */
const withChecksOf = (current: string | null, sessions: readonly SessionRecord[]) =>
  sessions.map((one) => (one.id === current || one.checks.length === 0 ? one : { ...one, checks: [] }))

/** Whether the approval of a session is one of the person. */
function decides({ workflow, superseded }: SessionRecord, record: VerificationRecord): boolean {
  const { start } = record
  const wanted = start ? start.sent.workflow : currentSession(record)?.workflow
  return !superseded && start?.from !== 'approved' && sessionState(record) !== 'approved' && workflow === wanted
}

/** Whether a session is the one that the person's state belongs to. */
export const isCurrent = (record: VerificationRecord, sessionId: string): boolean =>
  currentSession(record)?.id === sessionId && record.start === null

/** Writes the intent to give a verdict about the current session. An earlier one of the same reviewer is kept instead. */
export const beginReview =
  (review: PendingReview): Transition =>
  (record) => {
    const { sessionId, state, by } = review
    const others = record.reviews?.filter((one) => one.sessionId === sessionId) ?? []
    const isKnown = others.some((one) => one.state === state && one.by === by)
    return isKnown || !isCurrent(record, sessionId) ? record : { ...record, reviews: [...others, review] }
  }

/** Removes the intent of a verdict that was not given. */
export const cancelReview =
  ({ id }: PendingReview): Transition =>
  (record) => {
    const reviews = record.reviews?.filter((one) => one.id !== id) ?? []
    return reviews.length === record.reviews?.length ? record : { ...record, reviews }
  }

/** Keeps who decided. @param state what the verdict led to */
export const noteReview =
  ({ id: _, ...review }: PendingReview, state: SessionState, at: string): Transition =>
  (record) => {
    if (!record.sessions.some(({ id }) => id === review.sessionId)) return record
    const history = withEntry(record.history, { ...review, state, at })
    // A webhook may have been faster, and has noted the same.
    if (history === record.history && !record.reviews?.length) return record
    return { ...record, reviews: [], history, updatedAt: at }
  }

const rank = ({ state }: { readonly state: SessionState }) => sessionStates.indexOf(state)

/** Adds an entry. A session has each state once, so that a review joins what a webhook reported before. */
function withEntry(
  history: readonly VerificationHistoryEntry[],
  entry: VerificationHistoryEntry,
): readonly VerificationHistoryEntry[] {
  const found = history.findLast(({ sessionId, state }) => sessionId === entry.sessionId && state === entry.state)
  if (found === undefined) return [...history, entry].slice(-maxHistoryEntries)
  if (found.by !== undefined || entry.by === undefined) return history
  return history.map((one) => (one === found ? { ...entry, at: found.at } : one))
}
