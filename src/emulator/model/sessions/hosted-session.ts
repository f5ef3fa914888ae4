import { type CheckType, checkTypes } from '../../../contract/verification/check-data.ts'
import type { Check } from '../../../contract/verification/check-results.ts'
import type { KnownSessionStatus, Outcome } from '../../../contract/verification/session-status.ts'
import type { Decision } from '../../../contract/verification/sessions.ts'
import type { Workflow } from '../../../contract/verification/workflows.ts'

/** The part of a session that the create request determines. */
export interface NewSession {
  readonly workflow: Workflow
  readonly redirectUrl: string | undefined
  readonly callback: string | undefined
  readonly vendorData: string | undefined
  readonly metadata: object | undefined
  readonly ttlSeconds: number
}

export interface HostedSession extends NewSession {
  readonly id: string
  /** Last segment of the hosted page's address. */
  readonly path: string
  readonly token: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly updatedAt: Date
  readonly status: KnownSessionStatus
  /** The verdict, if the session was decided. It stays if the session expires afterwards. */
  readonly verdict: Outcome | undefined
  readonly decidedAt: Date | undefined
  readonly checks: readonly Check[]
  /** Results that the person selected on the hosted page. They take effect when the person submits them. */
  readonly selections: Selections
  /** Oldest first. A long history keeps its first and its latest entries. */
  readonly history: readonly HistoryEntry[]
}

/** A result that ends a check. */
export type SelectedResult = 'passed' | 'failed' | 'review'

/** Results by type of check, selected on the hosted page. */
export type Selections = { readonly [Type in CheckType]?: SelectedResult | undefined }

/** The cause of a status change: the person on the hosted page, a client with the API key, a review, or the clock. */
export type ChangeCause = 'person' | 'api' | 'review' | 'time'

/** One event in the history of a session. */
export type HistoryEntry = { readonly at: Date } & (
  | { readonly event: 'created' }
  /** The person opened the hosted page for the first time. */
  | { readonly event: 'opened' }
  /** `status` is the new status of the check. */
  | { readonly event: 'check'; readonly check: string; readonly status: string }
  | { readonly event: 'status'; readonly status: KnownSessionStatus; readonly by: ChangeCause }
)

/** Maximum number of history entries kept for one session: the first one and the latest ones. */
const maxHistoryEntries = 100

export function appendHistory(
  history: readonly HistoryEntry[],
  entries: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const all = [...history, ...entries]
  return all.length <= maxHistoryEntries ? all : [...all.slice(0, 1), ...all.slice(1 - maxHistoryEntries)]
}

export const isDecided = (status: KnownSessionStatus): status is Outcome =>
  status === 'APPROVED' || status === 'DECLINED'

/** Returns whether the person can still use the hosted page. */
export const isAwaitingUser = ({ status }: HostedSession) => status === 'NOT_STARTED' || status === 'IN_PROGRESS'

/** Returns the decision in the form that the decision endpoint and the webhooks use. */
export function decisionOf({ status, verdict, decidedAt, checks, vendorData }: HostedSession): Decision {
  return {
    status,
    decision: verdict ?? null,
    decided_at: decidedAt?.toISOString() ?? null,
    checks: [...checks],
    vendor_data: vendorData ?? null,
  }
}

type CheckProgress = Pick<HostedSession, 'checks' | 'selections'>

/** Returns whether the contract lists this type of check. A workflow can contain others. */
export const isCheckType = (type: string): type is CheckType => (checkTypes as readonly string[]).includes(type)

/** Returns the types of a session's checks that the emulator can run, each once. */
export const checkTypesOf = ({ checks }: Pick<CheckProgress, 'checks'>): readonly CheckType[] => [
  ...new Set(checks.map(({ type }): string => type).filter(isCheckType)),
]

export const isResult = (status: string): status is SelectedResult => /^(?:passed|failed|review)$/.test(status)

/** Returns the selected result of a check, or else the result with which it ended. */
export function resultOf({ checks, selections }: CheckProgress, type: CheckType): SelectedResult | undefined {
  const status = checks.find((check) => check.type === type)?.status
  return selections[type] ?? (status !== undefined && isResult(status) ? status : undefined)
}

/** Returns the session status that follows from the checks, or `undefined` if a check has no result yet. */
export function statusFromChecks(session: CheckProgress): 'APPROVED' | 'DECLINED' | 'IN_REVIEW' | undefined {
  const results = checkTypesOf(session).map((type) => resultOf(session, type))
  if (results.includes(undefined)) return undefined
  if (results.includes('failed')) return 'DECLINED'
  return results.includes('review') ? 'IN_REVIEW' : 'APPROVED'
}
