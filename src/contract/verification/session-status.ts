import type { Unlisted } from '../schema/open-types.ts'

/** Every status of a session that the contract lists (section 3.1). */
export const sessionStatuses = [
  'NOT_STARTED',
  'IN_PROGRESS',
  'IN_REVIEW',
  'APPROVED',
  'DECLINED',
  'ABANDONED',
  'EXPIRED',
] as const

/**
 * A status that the contract lists (section 3.1).
 *
 * @useDeclaredType
 */
export type KnownSessionStatus = (typeof sessionStatuses)[number]

/**
 * The status of a session. Another status passes through.
 */
export type SessionStatus = KnownSessionStatus | Unlisted

/** The two business outcomes (contract, section 2.4). */
export const outcomes = ['APPROVED', 'DECLINED'] as const

/**
 * A verdict. Never `IN_REVIEW`.
 *
 * @useDeclaredType
 */
export type Outcome = (typeof outcomes)[number]

/** Statuses of a session that ended without an outcome. */
export const endedStatuses = ['ABANDONED', 'EXPIRED'] as const

/** The members of `details` that the contract lists, by code (section 2.1). */
export interface ErrorDetailsByCode {
  /** The details of the error for a session that already has a verdict. */
  readonly already_decided: {
    /** The current status of the session. */
    readonly status: SessionStatus
  }
}
