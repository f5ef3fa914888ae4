import type { Unlisted } from '../contract/schema/open-types.ts'
import type { CheckType } from '../contract/verification/check-data.ts'
import type { Check, CheckFor } from '../contract/verification/check-results.ts'

/**
 * Returns the first check of one type, or undefined if there is none.
 *
 * @param result a decision, a combined result, or the decision in a webhook event
 * @see service contract, section 2.3
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
