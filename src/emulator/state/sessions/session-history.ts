import type { KnownSessionStatus } from '../../../contract/verification/sessions.ts'

/** Who changed a status: the person at the hosted page, whoever holds the API key, a review, or nobody in time. */
export type Cause = 'person' | 'api' | 'review' | 'time'

/** One thing that happened to a session. */
export type SessionMoment = { readonly at: Date } & (
  | { readonly event: 'created' }
  /** The person came to the hosted page for the first time. */
  | { readonly event: 'opened' }
  /** `status` is the check's from now on. */
  | { readonly event: 'check'; readonly check: string; readonly status: string }
  | { readonly event: 'status'; readonly status: KnownSessionStatus; readonly by: Cause }
)

/** The most that is remembered of one session: the first moment and the last ones. */
const maxMoments = 100

export function remember(
  history: readonly SessionMoment[],
  moments: readonly SessionMoment[],
): readonly SessionMoment[] {
  const all = [...history, ...moments]
  return all.length <= maxMoments ? all : [...all.slice(0, 1), ...all.slice(1 - maxMoments)]
}
