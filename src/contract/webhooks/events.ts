import type { Id, Unlisted } from '../schema/open-types.ts'
import { type JsonObject, nonEmpty, schema } from '../schema/schema.ts'
import * as z from '../schema/zod.ts'
import { type Check, withCheckData } from '../verification/check-results.ts'
import { type KnownSessionStatus, type Outcome, outcomes, type SessionStatus } from '../verification/session-status.ts'

/** The decision in an event, which is a summary. The full decision comes from `sessions.decision`. */
export interface WebhookDecision {
  /** Status of the session. */
  readonly status?: SessionStatus | null | undefined
  /** The outcome: `APPROVED` or `DECLINED`. Null or absent while the decision is pending. */
  readonly decision?: Outcome | null | undefined
  /** Time of the decision, in ISO 8601. */
  readonly decided_at?: string | null | undefined
  /** May be absent. `sessions.decision` returns all checks. */
  readonly checks?: Check[] | null | undefined
}

/** The fields of every event (contract, section 6). */
export interface WebhookEventOf<Type extends string> {
  /** Identifies the event. A second delivery of the same event has the same id. */
  readonly event_id: Id<'event'>
  /** The event's type. */
  readonly type: Type
  /** The session's id. Pass it to `sessions.decision`. */
  readonly session_id: Id<'session'>
  /** Status of the session when the event was created. */
  readonly status?: SessionStatus | null | undefined
  /** The `vendor_data` that you passed to `sessions.create`. */
  readonly vendor_data?: string | null | undefined
  /** A summary. Call `sessions.decision` before you act on it. */
  readonly decision?: WebhookDecision | null | undefined
  /** Time of the event, in ISO 8601. Compare it, because events may arrive out of order. */
  readonly occurred_at?: string | null | undefined
  /**
   * True for a test event, which concerns nobody: it has `test: true`, or a session id that starts with `sess_test_`.
   * Its signature is valid. Check this before you act on an event.
   */
  readonly test?: boolean | null | undefined
}

/**
 * An event type that the contract lists (section 6).
 *
 * @useDeclaredType
 */
export type WebhookEventType = (typeof webhookEventTypes)[number]

/** An event: a union discriminated by `type`, with an open member for types that are not listed yet. */
export type WebhookEvent =
  | { [Type in WebhookEventType]: WebhookEventOf<Type> }[WebhookEventType]
  | WebhookEventOf<Unlisted>

/** Event types that the contract lists (section 6). */
export const webhookEventTypes = [
  'verification.approved',
  'verification.declined',
  'verification.in_review',
  'verification.abandoned',
  'verification.expired',
] as const

/** The session status that an event of each type announces (contract, section 6). */
export const webhookEventStatuses = {
  'verification.approved': 'APPROVED',
  'verification.declined': 'DECLINED',
  'verification.in_review': 'IN_REVIEW',
  'verification.abandoned': 'ABANDONED',
  'verification.expired': 'EXPIRED',
} as const satisfies Record<(typeof webhookEventTypes)[number], KnownSessionStatus>

/** Prefix of the session id of a test event from the console (contract, section 6). */
export const testSessionPrefix = 'sess_test_'

const hasKnownOutcome = (event: Readonly<Record<string, unknown>>) => {
  const outcome = (event.decision as { readonly decision?: unknown } | null | undefined)?.decision ?? null
  return outcome === null || outcomes.some((known) => known === outcome)
}

/**
 * The identity and the outcome of an event. Nothing else in a webhook is validated, because a field of an unexpected
 * type must not hide an event.
 */
export const webhookEvent = /* @__PURE__ */ schema(() =>
  z
    .object({
      event_id: nonEmpty(),
      type: nonEmpty(),
      session_id: nonEmpty(),
      decision: z.optional(z.unknown()),
    })
    .check(
      z.refine(hasKnownOutcome, {
        error: 'must be "APPROVED", "DECLINED", null or absent',
        path: ['decision', 'decision'],
      }),
    ),
)

/** Turns a valid event that was just parsed into what callers get: checks have data, and every test event has `test: true`. */
export function receivedEvent(event: JsonObject): WebhookEvent {
  withCheckData(event.decision)
  const isTest = String(event.session_id).startsWith(testSessionPrefix)
  return (isTest ? Object.assign(event, { test: true }) : event) as unknown as WebhookEvent
}
