import * as z from 'zod/mini'
import { nonEmpty } from '../schema/fields.ts'
import type { MoreFields, Unlisted } from '../schema/open-types.ts'
import { schema } from '../schema/schema.ts'
import type { Check } from '../verification/check-results.ts'
import { type Outcome, outcomes, type SessionStatus } from '../verification/sessions.ts'

/** Event types that the contract lists (section 6), each with the session status that it announces. */
export const webhookEventStatuses = {
  'verification.approved': 'APPROVED',
  'verification.declined': 'DECLINED',
  'verification.in_review': 'IN_REVIEW',
  'verification.abandoned': 'ABANDONED',
  'verification.expired': 'EXPIRED',
} as const

/**
 * A type of event that the contract lists (section 6).
 *
 * @useDeclaredType
 */
export type WebhookEventType = keyof typeof webhookEventStatuses

/** How the session id of a console test begins (contract, section 6). */
export const testSessionPrefix = 'sess_test_'

/** A decision as an event carries it: a summary. The full one comes from `sessions.decision`. */
export interface WebhookDecision extends MoreFields {
  /** Progress of the session. */
  readonly status?: SessionStatus | null | undefined
  /** `APPROVED`, `DECLINED`, or none yet. */
  readonly decision?: Outcome | null | undefined
  /** ISO 8601. */
  readonly decided_at?: string | null | undefined
  /** May be left out: ask `sessions.decision` for all. */
  readonly checks?: readonly Check[] | null | undefined
}

/** What every event has (contract, section 6). */
export interface WebhookEventOf<Type> extends MoreFields {
  /** Tells events apart: the same id is the same event, delivered again. */
  readonly event_id: string
  /** What happened. */
  readonly type: Type
  /** What to ask `sessions.decision` about. */
  readonly session_id: string
  /** Where the session stood when the event was made. */
  readonly status?: SessionStatus | null | undefined
  /** Your own reference, as given to `sessions.create`. */
  readonly vendor_data?: string | null | undefined
  /** A summary. Read the decision itself before you act on it. */
  readonly decision?: WebhookDecision | null | undefined
  /** ISO 8601. Events may arrive out of order: compare this. */
  readonly occurred_at?: string | null | undefined
  /** True on events sent from the console. */
  readonly test?: boolean | null | undefined
}

/** An event of one listed type. */
export type WebhookEventFor<Type extends WebhookEventType> = WebhookEventOf<Type>

/** A delivery whose signature held: a union told apart by `type`, open to types not listed yet. */
export type WebhookEvent =
  | { [Type in WebhookEventType]: WebhookEventOf<Type> }[WebhookEventType]
  | WebhookEventOf<Unlisted>

const hasKnownOutcome = (event: Readonly<Record<string, unknown>>) => {
  const outcome = (event.decision as { readonly decision?: unknown } | null | undefined)?.decision ?? null
  return outcome === null || outcomes.some((known) => known === outcome)
}

/**
 * The identity and the outcome of an event: all that is validated in a webhook. A breakdown in an unexpected shape
 * must not hide an event.
 */
export const webhookEvent = schema(() =>
  z.looseObject({ event_id: nonEmpty(), type: nonEmpty(), session_id: nonEmpty() }).check(
    z.refine(hasKnownOutcome, {
      error: 'must be "APPROVED", "DECLINED", null or absent',
      path: ['decision', 'decision'],
    }),
  ),
)
