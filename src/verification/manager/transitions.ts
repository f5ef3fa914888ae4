import {
  currentSession,
  reportedState,
  type SessionRecord,
  type SessionState,
  sessionState,
  type VerificationRecord,
} from './record.ts'
import type { CheckSummary, VerificationHistoryEntry } from './verification.ts'

/** What the service says about a session. */
export interface SessionFacts {
  readonly state: SessionState
  readonly decidedAt: string | null
  readonly checks: readonly CheckSummary[]
}

/** A session that the service created. */
export interface CreatedSession {
  readonly id: string
  readonly url: string
  readonly expiresAt: string
}

/** Who decided in a review, and why. */
export interface ReviewNote {
  readonly by: string
  readonly reason: string
}

/** A transition returns the same record if nothing changes. */
export type Transition = (record: VerificationRecord) => VerificationRecord

/**
 * The states of a session in their order. A session never goes back, so facts can be applied in any order: those that
 * were read earlier never undo later ones, and nothing undoes an approval.
 */
const order: readonly SessionState[] = ['open', 'in_review', 'ended', 'declined', 'approved']

const maxHistoryEntries = 200

/** Writes the intent to create a session. */
export const beginStart =
  (run: string, at: string): Transition =>
  (record) => {
    const updatedBefore = record.start ? record.start.updatedBefore : record.updatedAt
    return { ...record, start: { run, at, from: reportedState(record), updatedBefore }, updatedAt: at }
  }

/** Restores the record as it was before a start that created no session. */
export const cancelStart =
  (run: string): Transition =>
  (record) =>
    record.start?.run === run ? { ...record, start: null, updatedAt: record.start.updatedBefore } : record

/**
 * Adds a session that a start created or found.
 *
 * @param keep the number of sessions to keep
 */
export const addSession =
  (
    created: CreatedSession,
    { createdAt, at, keep }: { createdAt: string; at: string; keep: number },
  ): Transition =>
  (record) => {
    const { start, sessions } = record
    if (sessions.some(({ id }) => id === created.id)) {
      // The service returned a session of an earlier start, so the start that requested it has ended. Another may run.
      return start?.at === createdAt ? { ...record, start: null, updatedAt: at } : record
    }
    const session: SessionRecord = {
      ...created,
      state: 'open',
      createdAt,
      decidedAt: null,
      checks: [],
      renews: start?.from === 'approved',
    }
    // If another process has taken this start over and finished it, the state is that of its session.
    const isLate = start === null && ['open', 'in_review', 'approved'].includes(sessionState(record))
    const current = isLate ? record.current : session.id
    const first = sessions.length + 1 - keep
    return {
      ...record,
      sessions: [...sessions.filter(({ id }, i) => i >= first || id === current), session],
      current,
      start: null,
      history: noted(record.history, { sessionId: session.id, state: session.state, at }),
      updatedAt: at,
    }
  }

/**
 * Applies what the service says about a session. An older session changes the state only if it is newly approved, and
 * no renewal is in progress.
 */
export const applyFacts =
  (sessionId: string, facts: SessionFacts, at: string): Transition =>
  (record) => {
    const session = record.sessions.find(({ id }) => id === sessionId)
    if (session === undefined || rank(facts) < rank(session)) return record
    const next = { ...session, ...facts, decidedAt: facts.decidedAt ?? session.decidedAt }
    const isNew = next.state !== session.state
    if (!isNew && JSON.stringify(next) === JSON.stringify(session)) return record
    const isApproval = isNew && next.state === 'approved'
    const decides = isApproval && sessionState(record) !== 'approved' && !isRenewing(record)
    return {
      ...record,
      sessions: record.sessions.map((one) => (one === session ? next : one)),
      history: noted(record.history, { sessionId, state: next.state, at }),
      ...(decides && { current: sessionId, start: null }),
      updatedAt: at,
    }
  }

/** Keeps who decided. */
export const noteReview =
  (sessionId: string, state: SessionState, at: string, { by, reason }: ReviewNote): Transition =>
  (record) => {
    const history = noted(record.history, { sessionId, state, at, by, reason })
    return history === record.history ? record : { ...record, history, updatedAt: at }
  }

const rank = ({ state }: { readonly state: SessionState }) => order.indexOf(state)

function isRenewing(record: VerificationRecord): boolean {
  if (record.start) return record.start.from === 'approved'
  const session = currentSession(record)
  return session?.renews === true && (session.state === 'open' || session.state === 'in_review')
}

/** Adds an entry. A session has each state once, so that a review joins what a webhook reported before. */
function noted(
  history: readonly VerificationHistoryEntry[],
  entry: VerificationHistoryEntry,
): readonly VerificationHistoryEntry[] {
  const found = history.findLast(
    ({ sessionId, state }) => sessionId === entry.sessionId && state === entry.state,
  )
  if (found === undefined) return [...history, entry].slice(-maxHistoryEntries)
  if (found.by !== undefined || entry.by === undefined) return history
  return history.map((one) => (one === found ? { ...entry, at: found.at } : one))
}
