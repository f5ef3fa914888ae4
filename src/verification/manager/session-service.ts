import type { CheckType } from '../../contract/verification/check-data.ts'
import { type SessionStatus, sessionStatuses } from '../../contract/verification/session-status.ts'
import type { Decision, Session, SessionCreateParams } from '../../contract/verification/sessions.ts'
import { isSdkError } from '../../errors/any-sdk-error.ts'
import type { ApiError } from '../../errors/api-errors.ts'
import { InvalidResponseError } from '../../errors/call-errors.ts'
import { hasNoCode } from '../../http/exchange/doubt.ts'
import type { RequestOptions } from '../../http/params/options.ts'
import { hmacSha256Hex } from '../../runtime/crypto.ts'
import type { Sessions } from '../sessions.ts'
import type { SentParams } from './record.ts'
import { summarizeChecks } from './summarize-decision.ts'
import { type CreatedSession, isPassed, maxChecks, type SessionFacts } from './transitions.ts'
import type { CheckSummary } from './verification.ts'

/** What a verification manager needs of `client.sessions`. A fake can return any promise. */
export type VerificationSessions = {
  readonly [Name in 'create' | 'decision' | 'list' | 'retrieve' | 'updateStatus']: (
    ...call: Parameters<Sessions[Name]>
  ) => PromiseLike<Awaited<ReturnType<Sessions[Name]>>>
}

/** The service's sessions, and what an approval by them must contain. */
export interface SessionService {
  readonly sessions: VerificationSessions
  /** Checks without which an approval does not count. */
  readonly requires: readonly (CheckType | (string & {}))[]
  readonly warn: (message: string) => void
}

export async function createOwnSession(
  { sessions }: SessionService,
  params: SessionCreateParams,
  options: RequestOptions,
): Promise<CreatedSession> {
  return readSession(await sessions.create(params, options), 'sessions.create')
}

/**
 * Whether a failed call of a write shows that it had no effect: the service rejected it, or it was not sent. A failure of
 * any other kind leaves that open.
 */
export function isNotExecuted(error: unknown): boolean {
  // Not by class, because the client may be of another copy of the package.
  if (!isSdkError(error)) return false
  if ('serviceMessage' in error) return error.status >= 400 && error.status < 500 && error.status !== 408
  if ('mayHaveArrived' in error) return !error.mayHaveArrived
  return error.code === 'configuration' || error.code === 'invalid_params'
}

/** Whether a failed call had no effect, also if what responded may be a proxy that had passed it on. */
export const isRejected = (error: unknown): boolean => isNotExecuted(error) && !hasNoCode(error as ApiError)

/** What is known about the session that a start may have created. */
export interface LostSession {
  readonly subject: string
  readonly sent: SentParams
  readonly isKnown: (id: string) => boolean
  /**
   * A session that had expired at this time is not the one. For a renewal the time at which it began, because its
   * session decides also if it has ended meanwhile. Otherwise now. In milliseconds since the epoch.
   */
  readonly expiresAfter: number
  /** Whether the session may have ended. */
  readonly mayHaveEnded: boolean
}

/** Listed sessions that are read again, at most. */
const maxCandidates = 10

/**
 * Finds the session that a start created and whose response was lost: a session of the person that is not known yet,
 * and that has what the start sent, as far as the service returns it. Pagination is not documented, so this reads one
 * page.
 */
export async function findLostSession(
  service: SessionService,
  lost: LostSession,
  options: RequestOptions,
): Promise<CreatedSession | undefined> {
  const { sessions } = service
  const { subject, isKnown, expiresAfter, mayHaveEnded } = lost
  // What ended sessions lack is not known, and one of another start must not stop this one.
  const isPossible = (session: Session) => isUnfinished(session) || (mayHaveEnded && isComplete(session))
  const listed: readonly Session[] = await sessions.list({ vendor_data: subject }, options)
  if (!Array.isArray(listed)) throw invalid('sessions.list', 'is not an array')
  const candidates = listed
    .map((session) => Object(session) as Session)
    .filter(({ vendor_data }) => (vendor_data ?? subject) === subject)
    .filter(isPossible)
    .map((session) => readSession(session, 'sessions.list'))
    .filter(({ id, expiresAt }) => !isKnown(id) && !isPast(expiresAt, expiresAfter))
    // The newest is most likely the one that the lost call created.
    .sort((a, b) => Date.parse(b.expiresAt) - Date.parse(a.expiresAt))
  for (const { id } of candidates.slice(0, maxCandidates)) {
    // The contract does not say which fields a listed session has. A retrieved one has most.
    const session = Object(await sessions.retrieve(id, options)) as Session
    if (!isPossible(session) || !(await isOf(session, lost, service))) continue
    if (isUnfinished(session) || !(await wasDecidedBefore(service, id, expiresAfter, options)))
      return readSession(session, 'sessions.retrieve')
  }
  return undefined
}

/** Whether a session was decided before a start began, so that it is not the one of that start. */
async function wasDecidedBefore(
  { sessions }: SessionService,
  id: string,
  startedAt: number,
  options: RequestOptions,
): Promise<boolean> {
  const { decided_at } = Object(await sessions.decision(id, options)) as Decision
  return isPast(timeOf(decided_at) ?? '', startedAt - 1)
}

const isComplete = ({ session_id, url, expires_at }: Session) =>
  [session_id, url, expires_at].every((field) => typeof field === 'string' && field !== '')

const isUnfinished = ({ status }: Session) => status === 'NOT_STARTED' || status === 'IN_PROGRESS'

/**
 * Whether a session is that of a start. The person must be named. Every other field must be equal if the service
 * returns it. The contract does not give the name of the workflow's field, so it is compared only if it has the name of
 * the param.
 */
async function isOf(
  session: Session & { readonly workflow_id?: unknown },
  { subject, sent }: LostSession,
  { requires }: SessionService,
): Promise<boolean> {
  const { vendor_data, workflow_id = sent.workflow, redirect_url, features } = session
  return (
    vendor_data === subject &&
    workflow_id === sent.workflow &&
    (redirect_url === undefined || (await digestOf(redirect_url)) === sent.redirectDigest) &&
    (!Array.isArray(features) || requires.every((type) => features.some((feature) => feature === type)))
  )
}

/** Returns what tells the session of a start apart, from what it sends. */
export async function sentParams({ workflow_id, redirect_url }: SessionCreateParams): Promise<SentParams> {
  return {
    workflow: workflow_id ?? null,
    redirectDigest: await digestOf(redirect_url),
  }
}

/** A session without an address has null. */
const digestOf = async (url: string | null | undefined) =>
  typeof url === 'string' ? hmacSha256Hex('verification', url, '') : null

/** Reads what the service says about a session. The outcome comes from the decision alone. */
export async function readFacts(
  { sessions, requires, warn }: SessionService,
  id: string,
  options: RequestOptions,
): Promise<SessionFacts> {
  const { decision, status, decided_at, checks } = Object(await sessions.decision(id, options)) as Decision
  const facts = { reason: null, decidedAt: timeOf(decided_at), checks: summarizeChecks(checks) }
  if (facts.checks.length > maxChecks)
    warn(`The record keeps ${maxChecks} of ${facts.checks.length} checks of the session ${id}`)
  if (decision === 'APPROVED') {
    const missing = requires.filter((type) => !includesPassed(facts.checks, type))
    if (missing.length === 0) return { ...facts, state: 'approved' }
    warn(`An approval does not count, because these checks are missing or not passed: ${missing.join(', ')}`)
    return { ...facts, decidedAt: null, state: 'ended', reason: 'check_missing' }
  }
  if (decision === 'DECLINED') return { ...facts, state: 'declined' }
  if ((decision ?? null) !== null) throw invalid('sessions.decision', 'has an unknown decision')
  // The contract lists only some statuses for a decision, and all of them for a session.
  const isListed = sessionStatuses.some((listed) => listed === status)
  const progress = isListed ? status : (await sessions.retrieve(id, options))?.status
  return { ...facts, decidedAt: null, ...progressOf(progress) }
}

/** Whether there are checks of a type, and all of them passed. */
export function includesPassed(checks: readonly CheckSummary[], type: string): boolean {
  const ofType = checks.filter((check) => check.type === type)
  return ofType.length > 0 && ofType.every(isPassed)
}

/** A session without an outcome is open, whatever its status, unless that status says otherwise. */
function progressOf(status: SessionStatus | undefined): Pick<SessionFacts, 'state' | 'reason'> {
  if (status === 'ABANDONED') return { state: 'ended', reason: 'abandoned' }
  if (status === 'EXPIRED') return { state: 'ended', reason: 'expired' }
  return { state: status === 'IN_REVIEW' ? 'in_review' : 'open', reason: null }
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
