import type { Check } from '../../contract/verification/check-results.ts'
import { hasPassed } from '../assert-passed.ts'
import type { CheckSummary } from './verification.ts'

/**
 * Returns the type and the status of each check.
 *
 * @param checks may have any type, because only a client of this package validates it
 */
export const summarizeChecks = (checks: unknown): CheckSummary[] =>
  (Array.isArray(checks) ? checks : []).flatMap((check: unknown) => {
    const { type, status } = Object(check) as Record<string, unknown>
    if (typeof type !== 'string' || typeof status !== 'string') return []
    const isUnverified = status === 'passed' && !hasPassed(check as Check)
    return [{ type, status, ...(isUnverified && { verified: false }) } as CheckSummary]
  })
