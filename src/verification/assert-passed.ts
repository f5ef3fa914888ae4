import type { CheckType, CredentialData } from '../contract/verification/check-data.ts'
import type { Check, CombinedResult, StandaloneResult } from '../contract/verification/check-results.ts'
import { CheckNotPassedError } from '../errors/verification-errors.ts'

/**
 * Throws unless every check passed: `review` is not passed, a licence that was only searched for verifies
 * nobody, and a result without checks shows nothing.
 *
 * @throws {CheckNotPassedError} `failed` tells type and status of each check that did not pass
 * @see service contract, sections 2.3 and 4.4
 *
 * @example
 * const result = await client.checks.liveness({ image: selfie })
 * assertPassed(result)
 */
export function assertPassed(result: StandaloneResult<CheckType> | CombinedResult): void {
  const single = (result as { check?: Check }).check
  const checks = single ? [single] : ((result as { checks?: readonly Check[] }).checks ?? [])
  const failed = checks.filter((check) => !hasPassed(check))
  if (failed.length === 0 && checks.length > 0 && result.status === 'passed') return
  const which = failed.map(({ type, status }) => `${type} is ${status}`).join(', ')
  throw new CheckNotPassedError(failed, `not passed: ${which || `the result is ${result.status}`}`)
}

function hasPassed(check: Check): boolean {
  if (check.status !== 'passed') return false
  if (check.type !== 'credential') return true
  // Answers are handed on as they came, so `data` may be missing: what it does not say was not verified.
  const { mode, match }: CredentialData = check.data ?? {}
  if (mode === 'search') return false
  return match === true || (match === undefined && typeof mode === 'string')
}
