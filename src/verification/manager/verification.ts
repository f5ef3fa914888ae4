import type { Id, Unlisted } from '../../contract/schema/open-types.ts'
import type { CheckStatus, CheckType } from '../../contract/verification/check-data.ts'

/**
 * The state of a person's verification:
 *
 * - `none`: never started
 * - `starting`: a session is being created, or it is unknown whether it was created
 * - `open`: the person can use the hosted page
 * - `in_review`: the service waits for a review
 * - `approved` and `declined`: the outcome
 * - `ended`: the session ended without an outcome that counts; `reason` says why
 */
export type VerificationState = 'none' | 'starting' | 'open' | 'in_review' | 'approved' | 'declined' | 'ended'

/** A state in which a verification waits: for the service, for the person, or for a review. */
export type PendingVerificationState = Extract<VerificationState, 'starting' | 'open' | 'in_review'>

/**
 * Why a verification ended without an outcome that counts:
 *
 * - `expired` and `abandoned`: the person did not finish the session
 * - `check_missing`: the service approved the session, but a check that `requires` names is missing or not passed
 */
export type EndedReason = 'expired' | 'abandoned' | 'check_missing'

/** The type and the status of a check, without its data. */
export interface CheckSummary {
  /** The type of check, such as `liveness`. */
  readonly type: CheckType | Unlisted
  /** The status of the check. */
  readonly status: CheckStatus
  /**
   * `false` if the check passed without verifying the holder, as a license search does. `ensureApproved` does not
   * accept it.
   */
  readonly verified?: false
}

/** A state that a session had. */
export interface VerificationHistoryEntry {
  /** The session's id. */
  readonly sessionId: Id<'session'>
  /** The state. */
  readonly state: Exclude<VerificationState, 'none' | 'starting'>
  /** When the manager recorded it, in ISO 8601. */
  readonly at: string
  /** Who decided, if `review` was called. */
  readonly by?: string
  /** Why, if `review` was called. */
  readonly reason?: string
}

/** A person's verification in one state. */
export interface VerificationOf<State extends VerificationState, Subject extends string = string> {
  /** Your id of the person. */
  readonly subject: Subject
  /** The state. It discriminates the union {@link Verification}. */
  readonly state: State
  /** Why the verification ended. */
  readonly reason: State extends 'ended' ? EndedReason : null
  /** The session that the state belongs to. */
  readonly sessionId: State extends 'none' | 'starting' ? null : Id<'session'>
  /** The address of the hosted page. Send the person here. */
  readonly url: State extends 'open' ? string : null
  /** When the session expires, in ISO 8601. */
  readonly expiresAt: State extends 'open' ? string : null
  /** When the service decided, in ISO 8601. `null` if it gave no time. */
  readonly decidedAt: State extends 'approved' | 'declined' ? string | null : null
  /** The checks of the session, as last read. At most 100 are kept, first those that did not pass. */
  readonly checks: readonly CheckSummary[]
  /** The number of sessions in the current span of the `limit`. */
  readonly attempts: number
  /** The states of all sessions, oldest first. The latest 50 entries are kept. */
  readonly history: readonly VerificationHistoryEntry[]
  /** When the record last changed, in ISO 8601. */
  readonly updatedAt: State extends 'none' ? null : string
}

/** A person's verification: a union that `state` discriminates. Fields that a state lacks are `null`. */
export type Verification<Subject extends string = string> = {
  [State in VerificationState]: VerificationOf<State, Subject>
}[VerificationState]

/** A change of the state of a person's verification. */
export interface VerificationChange<Subject extends string = string> {
  /** The id of the change: the same each time `onChange` runs for it. Make your effect idempotent with it. */
  readonly id: string
  /** Your id of the person. */
  readonly subject: Subject
  /** The state before. */
  readonly from: VerificationState
  /** The state after. */
  readonly to: VerificationState
  /** The verification after the change. */
  readonly verification: Verification<Subject>
}
