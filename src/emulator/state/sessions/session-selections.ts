import { type CheckType, checkTypes } from '../../../contract/verification/check-data.ts'
import type { Check } from '../../../contract/verification/check-results.ts'

/** How a check can end. */
export type CheckResult = 'passed' | 'failed' | 'review'

/** What the person picked at the hosted page, and has not sent yet. */
export type Picks = { readonly [Type in CheckType]?: CheckResult | undefined }

interface Worked {
  readonly checks: readonly Check[]
  readonly picks: Picks
}

export const isListed = (type: string): type is CheckType => (checkTypes as readonly string[]).includes(type)

/** The types of check that can be worked through here, each once. */
export const worksThrough = ({ checks }: Pick<Worked, 'checks'>): readonly CheckType[] => [
  ...new Set(checks.map(({ type }): string => type).filter(isListed)),
]

export const isResult = (status: string): status is CheckResult => /^(?:passed|failed|review)$/.test(status)

/** How a check stands: as it was picked, or else as it ended. */
export function resultOf({ checks, picks }: Worked, type: CheckType): CheckResult | undefined {
  const ended = checks.find((check) => check.type === type)?.status
  return picks[type] ?? (ended !== undefined && isResult(ended) ? ended : undefined)
}

/** The end that follows from the checks; `undefined` while one has no result. */
export function endOf(session: Worked): 'APPROVED' | 'DECLINED' | 'IN_REVIEW' | undefined {
  const results = worksThrough(session).map((type) => resultOf(session, type))
  if (results.includes(undefined)) return undefined
  if (results.includes('failed')) return 'DECLINED'
  return results.includes('review') ? 'IN_REVIEW' : 'APPROVED'
}
