import type { Check } from '../../contract/verification/check-results.ts'
import type { Outcome, SessionStatus } from '../../contract/verification/session-status.ts'
import type { Decision } from '../../contract/verification/sessions.ts'
import { hasPassed } from '../assert-passed.ts'
import type { CheckSummary } from './verification.ts'

/** A decision without personal data. */
export interface DecisionSummary {
  /** The outcome. `null` while the decision is pending. */
  readonly decision: Outcome | null
  /** The progress of the session. */
  readonly status: SessionStatus
  /** When the decision was made, in ISO 8601. `null` if the service gave no time. */
  readonly decided_at: string | null
  /** The type and the status of each check. */
  readonly checks: CheckSummary[]
}

/**
 * Returns the outcome of a decision as evidence that you can keep: names and values as the service sent them, without
 * personal data.
 *
 * @example
 * const evidence = summarizeDecision(await client.sessions.decision('sess_123'))
 */
export const summarizeDecision = ({ decision, status, decided_at, checks }: Decision): DecisionSummary => ({
  decision,
  status,
  decided_at: decided_at ?? null,
  checks: summarizeChecks(checks),
})

/** @param checks may have any type, because only a client of this package validates it */
export const summarizeChecks = (checks: unknown): CheckSummary[] =>
  (Array.isArray(checks) ? checks : []).flatMap((check: unknown) => {
    const { type, status } = Object(check) as Record<string, unknown>
    if (typeof type !== 'string' || typeof status !== 'string') return []
    const isUnverified = status === 'passed' && !hasPassed(check as Check)
    return [{ type, status, ...(isUnverified && { verified: false }) } as CheckSummary]
  })
