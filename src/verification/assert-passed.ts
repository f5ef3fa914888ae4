import type { Unlisted } from '../contract/schema/open-types.ts'
import type { CheckType, CredentialData } from '../contract/verification/check-data.ts'
import type {
  AgeResult,
  Check,
  CheckFor,
  CombinedResult,
  StandaloneResult,
} from '../contract/verification/check-results.ts'
import type { Decision } from '../contract/verification/sessions.ts'
import { CheckNotPassedError, unknownBands } from '../errors/verification-errors.ts'

/** What `assertPassed` takes. */
export type CheckResult = StandaloneResult | AgeResult | CombinedResult | Decision

/** What is known of a result after `assertPassed`. */
export type Passed<Result extends CheckResult> = Result extends Decision
  ? { readonly decision: 'APPROVED' }
  : { readonly status: 'passed' }

/**
 * Throws unless every check of a result passed, or unless a decision is APPROVED.
 *
 * - `review` is not `passed`.
 * - A license search is not a pass, because a search verifies no one.
 * - A result without checks is not a pass.
 * - The checks of a decision have no effect, because the decision is the outcome.
 *
 * @throws {CheckNotPassedError} a check did not pass; `failed` contains the type and the status of each, and the bands
 *   that the service did not decide. It is empty for a decision that is not APPROVED
 *
 * @example
 * const result = await client.checks.liveness({ image: selfie })
 * assertPassed(result)
 */
export function assertPassed<Result extends CheckResult>(result: Result): asserts result is Result & Passed<Result> {
  // A decision of a session has no `check`. A result may have fields that the contract does not list.
  if (!('check' in result) && 'decision' in result) return assertApproved(result)
  const checks = 'check' in result ? [result.check] : (result.checks ?? [])
  const failed = checks.filter((check) => !hasPassed(check))
  if (failed.length === 0 && checks.length > 0 && result.status === 'passed') return
  throw new CheckNotPassedError({
    checks: failed,
    message: `assertPassed: ${reasonFor(failed, checks, result.status)}`,
  })
}

function assertApproved({ decision, status }: Decision): void {
  if (decision === 'APPROVED') return
  const outcome = decision === null ? `pending (status ${status})` : decision
  throw new CheckNotPassedError({
    checks: [],
    message: `assertPassed: the decision is ${outcome}, not APPROVED`,
  })
}

function reasonFor(failed: readonly Check[], checks: readonly Check[], status: string): string {
  if (failed.length > 0) return `these checks did not pass: ${failed.map(describe).join(', ')}`
  return checks.length === 0 ? 'the result has no checks' : `the status of the result is ${status}, not passed`
}

function describe(check: Check): string {
  const { type, status } = check
  if (status === 'passed') return `${type} (the holder was not verified)`
  const bands = unknownBands(check)
  const names = bands.filter((band) => /^\w{1,32}\+?$/.test(band)).join(', ')
  if (bands.length === 0) return `${type} (${status})`
  return `${type} (${status}: the service did not decide ${names || bands.length} of the bands, which does not mean too young)`
}

/** Whether a check passed, and verified the holder of a license if it is about one. */
export function hasPassed(check: Check): boolean {
  if (check.status !== 'passed') return false
  if (check.type !== 'credential') return true
  // A result of another origin than a client may lack it.
  const { mode, match }: CredentialData = check.data ?? {}
  if (mode === 'search') return false
  return match === true || (match === undefined && typeof mode === 'string')
}

/**
 * Returns the first check of one type, or undefined if there is none.
 *
 * @param result a decision, a combined result, or the decision in a webhook event
 *
 * @example
 * const liveness = findCheck(await client.sessions.decision('sess_123'), 'liveness')
 * if (liveness?.status === 'passed') console.log(liveness.data.live_score)
 */
export function findCheck<Type extends CheckType | Unlisted>(
  result: { readonly checks?: readonly Check[] | null | undefined },
  type: Type,
): CheckFor<Type> | undefined {
  return result.checks?.find((check): check is Extract<Check, CheckFor<Type>> => check.type === type)
}
