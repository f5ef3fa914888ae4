import {
  endedStatuses,
  type SessionStatus,
  sessionStatuses,
} from '../../contract/verification/session-status.ts'
import type { Decision, Session, SessionCreateParams } from '../../contract/verification/sessions.ts'
import { InvalidResponseError } from '../../errors/call-errors.ts'
import { isSdkError } from '../../errors/is-sdk-error.ts'
import type { RequestOptions } from '../../http/params/options.ts'
import type { Sessions } from '../sessions.ts'
import type { SessionState } from './record.ts'
import { summarizeChecks } from './summarize-decision.ts'
import type { CreatedSession, SessionFacts } from './transitions.ts'

/** What a verification manager needs of `client.sessions`. A fake can return any promise. */
export type VerificationSessions = {
  readonly [Name in 'create' | 'decision' | 'list' | 'retrieve' | 'updateStatus']: (
    ...call: Parameters<Sessions[Name]>
  ) => PromiseLike<Awaited<ReturnType<Sessions[Name]>>>
}

/** Creates a session. */
export async function createSession(
  sessions: VerificationSessions,
  params: SessionCreateParams,
  options: RequestOptions,
): Promise<CreatedSession> {
  return readSession(await sessions.create(params, options), 'sessions.create')
}

/**
 * Whether a failed call of `create` shows that no session was created: the service rejected it, or it was not sent. A
 * failure of any other kind leaves that open.
 */
export function isNotCreated(error: unknown): boolean {
  // Not by class, because the client may be of another copy of the package.
  if (!isSdkError(error)) return false
  if ('retryable' in error) return error.status >= 400 && error.status < 500 && error.status !== 408
  if ('mayHaveArrived' in error) return !error.mayHaveArrived
  return error.code === 'configuration' || error.code === 'invalid_params'
}

/**
 * Finds an open session of a person that is not known yet, among those that the service lists. Pagination is not
 * documented, so this reads one page.
 */
export async function findOpenSession(
  sessions: VerificationSessions,
  { subject, isKnown, now }: { subject: string; isKnown: (id: string) => boolean; now: number },
  options: RequestOptions,
): Promise<CreatedSession | undefined> {
  const listed: readonly Session[] = await sessions.list({ vendor_data: subject }, options)
  if (!Array.isArray(listed)) throw invalid('sessions.list', 'is not an array')
  const found = listed
    .map((session) => Object(session) as Session)
    // The contract does not say whether a listed session has its `vendor_data`.
    .filter(({ vendor_data }) => (vendor_data ?? subject) === subject)
    .filter(({ status }) => status === 'NOT_STARTED' || status === 'IN_PROGRESS')
    .map((session) => readSession(session, 'sessions.list'))
    .filter(({ id, expiresAt }) => !isKnown(id) && !isPast(expiresAt, now))
  // The newest is most likely the one that the lost call created.
  return found.sort((a, b) => Date.parse(b.expiresAt) - Date.parse(a.expiresAt))[0]
}

/** Reads what the service says about a session. The outcome comes from the decision alone. */
export async function readFacts(
  sessions: VerificationSessions,
  id: string,
  options: RequestOptions,
): Promise<SessionFacts> {
  const { decision, status, decided_at, checks } = Object(await sessions.decision(id, options)) as Decision
  const facts = { decidedAt: timeOf(decided_at), checks: summarizeChecks(checks) }
  if (decision === 'APPROVED') return { ...facts, state: 'approved' }
  if (decision === 'DECLINED') return { ...facts, state: 'declined' }
  if ((decision ?? null) !== null) throw invalid('sessions.decision', 'has an unknown decision')
  // The contract lists only some statuses for a decision, and all of them for a session.
  const isListed = sessionStatuses.some((listed) => listed === status)
  const progress = isListed ? status : (await sessions.retrieve(id, options))?.status
  return { ...facts, state: progressOf(progress), decidedAt: null }
}

/** A session without an outcome is open, whatever its status, unless that status says otherwise. */
function progressOf(status: SessionStatus | undefined): SessionState {
  if (status === 'IN_REVIEW') return 'in_review'
  return endedStatuses.some((ended) => ended === status) ? 'ended' : 'open'
}

/** Whether a time has come. Not if it cannot be read. */
export const isPast = (time: string, now: number) => Date.parse(time) <= now

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/

/** Any other text is not kept, because it may be anything. */
const timeOf = (text: unknown) =>
  typeof text === 'string' && isoTime.test(text) && !Number.isNaN(Date.parse(text)) ? text : null

function readSession(session: Session, operation: string): CreatedSession {
  const { session_id: id, url, expires_at: expiresAt } = Object(session) as Session
  for (const [name, value] of Object.entries({ session_id: id, url, expires_at: expiresAt })) {
    if (typeof value !== 'string' || value === '') throw invalid(operation, `has no ${name}`)
  }
  return { id, url, expiresAt }
}

const invalid = (operation: string, problem: string) =>
  new InvalidResponseError({ operation, message: `${operation}: the result ${problem}` })
