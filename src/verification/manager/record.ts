import { StoreError } from '../../errors/sdk-error.ts'
import { parseJson } from '../../runtime/bytes.ts'
import { pendingStates, type SessionState, sessionStates, states } from './states.ts'
import type {
  CheckSummary,
  EndedReason,
  PendingVerificationState,
  Verification,
  VerificationHistoryEntry,
  VerificationState,
} from './verification.ts'

/** A session of a person. */
export interface SessionRecord {
  readonly id: string
  readonly state: SessionState
  /** Why it ended. Records of 1.0.0-rc.1 do not have it. */
  readonly reason?: EndedReason | null
  readonly url: string
  /** As the service sent it. */
  readonly expiresAt: string
  /** When it was created, by the clock of the process that started it. */
  readonly createdAt: string
  readonly decidedAt: string | null
  readonly checks: readonly CheckSummary[]
  /** The `workflow_id` that was sent. */
  readonly workflow: string | null
  /** Whether a renewal has begun since. Its outcome then changes the history only. */
  readonly superseded: boolean
}

/** A start that has not ended: a session may exist that is not in the record. */
interface PendingStart {
  /** The run that creates the session, or looks for it. It may have failed. */
  readonly run: string
  readonly at: string
  /** The state before it. */
  readonly from: 'none' | SessionState
  /** When the record had last changed before it. */
  readonly updatedBefore: string | null
  readonly sent: SentParams
}

/** What tells the session of a start apart from other sessions of the person. */
export interface SentParams {
  /** The `workflow_id` that was sent. */
  readonly workflow: string | null
  /** A digest of the `redirect_url` that was sent, because the address is the application's. */
  readonly redirectDigest: string | null
}

/** A verdict that is sent to the service, of which the outcome is not recorded. The service may not have received it. */
export interface PendingReview {
  readonly id: string
  readonly sessionId: string
  readonly state: Extract<SessionState, 'approved' | 'declined'>
  readonly by: string
  readonly reason: string
}

/** A change for which `onChange` has not run to its end. */
export interface PendingChange {
  readonly id: string
  readonly from: VerificationState
  readonly to: VerificationState
  /** As it was after the change, without the subject and the history, which the record has. */
  readonly verification: Omit<Verification, 'subject' | 'history'>
}

/** What is stored about a person: nothing that comes from the person's documents or images. */
export interface VerificationRecord {
  readonly version: 1
  /** The application that wrote it. Records of 1.0.0-rc.1 have none. */
  readonly app?: string | undefined
  /** Given when the record is created. A start whose record was forgotten meanwhile writes nothing. */
  readonly id: string | null
  /** Oldest first. */
  readonly sessions: readonly SessionRecord[]
  /** The id of the session that the state belongs to. */
  readonly current: string | null
  readonly start: PendingStart | null
  /** Oldest first. Records of 1.0.0-rc.2 do not have it. */
  readonly reviews?: readonly PendingReview[]
  readonly history: readonly VerificationHistoryEntry[]
  /** Oldest first. */
  readonly changes: readonly PendingChange[]
  /** The run that calls `onChange` for the changes. It may have failed. */
  readonly delivery: string | null
  readonly updatedAt: string | null
}

/** The record of a person who never started. It is not stored. */
export const noRecord: VerificationRecord = {
  version: 1,
  id: null,
  sessions: [],
  current: null,
  start: null,
  history: [],
  changes: [],
  delivery: null,
  updatedAt: null,
}

/** @returns `null` if there is nothing to store */
export function encodeRecord(record: VerificationRecord): string | null {
  const { sessions, start, changes } = record
  return sessions.length === 0 && start === null && changes.length === 0 ? null : JSON.stringify(record)
}

/** @throws {StoreError} the text is not a record of this version */
export function decodeRecord(text: string | null): VerificationRecord {
  if (text === null) return noRecord
  const record = parseJson(text)
  if (isRecord(record)) return record
  throw new StoreError({
    message:
      'the record of a verification is not one that this version of the package wrote. ' +
      'Update the package in every process, or call forget(subject).',
  })
}

export const currentSession = ({ sessions, current }: VerificationRecord): SessionRecord | undefined =>
  sessions.find(({ id }) => id === current)

/** The state of the current session. */
export const sessionState = (record: VerificationRecord): 'none' | SessionState =>
  currentSession(record)?.state ?? 'none'

/** The state that `onChange` was last called with. A start is reported when it ends. */
export const reportedState = (record: VerificationRecord): 'none' | SessionState =>
  record.start?.from ?? sessionState(record)

export const verificationState = (record: VerificationRecord): VerificationState =>
  record.start ? 'starting' : sessionState(record)

/** People for whom a change is to be delivered are in a list of their own, which is read whatever their age. */
const undelivered = 'undelivered'

/** Returns the lists of the people in a state. */
export const listsOf = (state: PendingVerificationState): readonly string[] => [state, `${state}:${undelivered}`]

/** The lists of people for whom a change is to be delivered. */
export const undeliveredLists = (): readonly string[] => [
  undelivered,
  ...pendingStates.map((state) => `${state}:${undelivered}`),
]

export const allLists = (): readonly string[] => [...undeliveredLists(), ...pendingStates]

/** Returns the list that a record is in, if it is in one. */
export function listOf(record: VerificationRecord): string | undefined {
  const state = verificationState(record)
  const parts = [...(states[state].isPending ? [state] : []), ...(record.changes.length > 0 ? [undelivered] : [])]
  return parts.length === 0 ? undefined : parts.join(':')
}

/** @param span the span in which sessions count as attempts */
export function toVerification(subject: string, record: VerificationRecord, span: Span): Verification {
  const state = verificationState(record)
  const session = state === 'starting' ? undefined : currentSession(record)
  const isOpen = state === 'open'
  const isDecided = state === 'approved' || state === 'declined'
  return {
    subject,
    state,
    // What ended by a record of 1.0.0-rc.1 needs a new session, whichever reason it had.
    reason: state === 'ended' ? (session?.reason ?? 'expired') : null,
    sessionId: session?.id ?? null,
    url: (isOpen && session?.url) || null,
    expiresAt: (isOpen && session?.expiresAt) || null,
    decidedAt: (isDecided && session?.decidedAt) || null,
    checks: session?.checks ?? [],
    attempts: attemptTimes(record, span).length,
    history: record.history,
    updatedAt: record.updatedAt,
    // The fields follow from the state.
  } as Verification
}

/** The last `ms` milliseconds before `now`, which is in milliseconds since the epoch. */
interface Span {
  readonly now: number
  readonly ms: number
}

/** When the sessions were created that count as attempts, oldest first, in milliseconds since the epoch. */
export const attemptTimes = ({ sessions }: VerificationRecord, { now, ms }: Span): number[] =>
  sessions
    .map((session) => creationTime(session, now))
    .filter((time) => time > now - ms)
    .sort((a, b) => a - b)

/**
 * Returns when a session was created, for the limit. A clock that was ahead, perhaps by years, may have written a session
 * of the future. It was created before it expires, which the service's clock says.
 */
function creationTime({ createdAt, expiresAt }: SessionRecord, now: number): number {
  const time = Date.parse(createdAt)
  if (time <= now) return time
  const end = Date.parse(expiresAt)
  return Number.isNaN(end) ? now : Math.min(time, end)
}

type Form = Readonly<Record<string, (value: unknown) => boolean>>

const isText = (value: unknown) => typeof value === 'string'
const isFlag = (value: unknown) => typeof value === 'boolean'
const isTime = (value: unknown) => isText(value) && !Number.isNaN(Date.parse(value as string))
const orNull = (isValid: (value: unknown) => boolean) => (value: unknown) => value === null || isValid(value)
const isOneOf = (values: readonly string[]) => (value: unknown) => values.includes(value as string)
const isListOf = (form: Form) => (value: unknown) => Array.isArray(value) && value.every(hasForm(form))
const hasForm = (form: Form) => (value: unknown) => {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(form).every(([name, isValid]) => isValid((value as Record<string, unknown>)[name]))
}

const endedReasons: readonly EndedReason[] = ['expired', 'abandoned', 'check_missing']
const isState = /* @__PURE__ */ isOneOf(sessionStates)
const isSettledState = /* @__PURE__ */ isOneOf(/* @__PURE__ */ ['none'].concat(sessionStates))
const isAnyState = /* @__PURE__ */ isOneOf(/* @__PURE__ */ ['none', 'starting'].concat(sessionStates))

const recordForm = () =>
  ({
    version: (value) => value === 1,
    app: (value) => value === undefined || isText(value),
    id: orNull(isText),
    sessions: isListOf({
      id: isText,
      state: isState,
      reason: (value: unknown) => value === undefined || orNull(isOneOf(endedReasons))(value),
      url: isText,
      expiresAt: isText,
      createdAt: isTime,
      decidedAt: orNull(isText),
      checks: isListOf({ type: isText, status: isText }),
      workflow: orNull(isText),
      superseded: isFlag,
    } satisfies Record<keyof SessionRecord, unknown>),
    current: orNull(isText),
    start: orNull(
      hasForm({
        run: isText,
        at: isTime,
        from: isSettledState,
        updatedBefore: orNull(isTime),
        sent: hasForm({
          workflow: orNull(isText),
          redirectDigest: orNull(isText),
        } satisfies Record<keyof SentParams, unknown>),
      } satisfies Record<keyof PendingStart, unknown>),
    ),
    reviews: (value) =>
      value === undefined ||
      isListOf({ id: isText, sessionId: isText, state: isState, by: isText, reason: isText } satisfies Record<
        keyof PendingReview,
        unknown
      >)(value),
    history: isListOf({ sessionId: isText, state: isState, at: isText }),
    changes: isListOf({
      id: isText,
      from: isAnyState,
      to: isAnyState,
      verification: hasForm({ state: isAnyState }),
    } satisfies Record<keyof PendingChange, unknown>),
    delivery: orNull(isText),
    updatedAt: orNull(isTime),
  }) satisfies Record<keyof VerificationRecord, (value: unknown) => boolean>

const isRecord = /* @__PURE__ */ hasForm(/* @__PURE__ */ recordForm()) as (
  value: unknown,
) => value is VerificationRecord
