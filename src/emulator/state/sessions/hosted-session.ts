import type { Check } from '../../../contract/verification/check-results.ts'
import type { Decision, KnownSessionStatus, Outcome } from '../../../contract/verification/sessions.ts'
import type { Workflow } from '../../../contract/verification/workflows.ts'
import type { SessionMoment } from './session-history.ts'
import type { Picks } from './session-selections.ts'

/** What a session is made of. */
export interface SessionSeed {
  readonly workflow: Workflow
  readonly redirectUrl: string | undefined
  readonly callback: string | undefined
  readonly vendorData: string | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  readonly ttlSeconds: number
}

export interface HostedSession extends SessionSeed {
  readonly id: string
  /** Last segment of the hosted page's address. */
  readonly path: string
  readonly token: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly updatedAt: Date
  readonly status: KnownSessionStatus
  readonly decidedAt: Date | undefined
  readonly checks: readonly Check[]
  /** What the person picked at the page: it counts once they send it. */
  readonly picks: Picks
  /** Oldest first; of a long one the middle is forgotten. */
  readonly history: readonly SessionMoment[]
}

export const isDecided = (status: KnownSessionStatus): status is Outcome =>
  status === 'APPROVED' || status === 'DECLINED'

/** Whether the person may still work through the hosted page. */
export const isAwaited = ({ status }: HostedSession) => status === 'NOT_STARTED' || status === 'IN_PROGRESS'

/** The decision as the decision endpoint and the webhooks give it. */
export function decisionOf({ status, decidedAt, checks }: HostedSession): Decision {
  return {
    status,
    decision: isDecided(status) ? status : null,
    decided_at: decidedAt?.toISOString() ?? null,
    checks,
  }
}
