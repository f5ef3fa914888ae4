import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { absoluteUrl, anyObject, maybe, maybeText, oneOf, open, wholeNumber } from '../schema/fields.ts'
import type { MoreFields, Open } from '../schema/open-types.ts'
import { schema, schemaFor } from '../schema/schema.ts'
import { anyCheck, type Check, checkOutcome } from './check-results.ts'

/** Every status that the contract lists (section 3.1). */
export const sessionStatuses = [
  'NOT_STARTED',
  'IN_PROGRESS',
  'IN_REVIEW',
  'APPROVED',
  'DECLINED',
  'ABANDONED',
  'EXPIRED',
] as const

/**
 * A status that the contract lists (section 3.1).
 *
 * @useDeclaredType
 */
export type KnownSessionStatus = (typeof sessionStatuses)[number]

/**
 * Where a session stands. Open: a status that is not listed passes through.
 */
export type SessionStatus = Open<KnownSessionStatus>

/** The two business outcomes (contract, section 2.4). */
export const outcomes = ['APPROVED', 'DECLINED'] as const

/**
 * A verdict. Never `IN_REVIEW`.
 *
 * @useDeclaredType
 */
export type Outcome = (typeof outcomes)[number]

/** Statuses after which a session changes no more. */
export const endedStatuses = ['APPROVED', 'DECLINED', 'ABANDONED', 'EXPIRED'] as const

/** Query parameters that the hosted page adds to `redirect_url` (contract, section 2.2). */
export const returnParameters = { sessionId: 'session_id', status: 'status' } as const

/**
 * A hosted verification (contract, section 2.2). Fields that the contract only names, such as the workflow
 * and the timestamps of a session that was read again, are kept under the names that the service gives them.
 */
export interface Session extends MoreFields {
  /** What the other calls take. */
  readonly session_id: string
  /** A status is no verdict; the outcome is in the decision. */
  readonly status: SessionStatus
  /** The hosted page: send the person here. */
  readonly url: string
  /** May be handed to the browser. The API key may not. */
  readonly session_token: string
  /** Types of check that the workflow runs. */
  readonly features: readonly string[]
  /** Where the person returns. */
  readonly redirect_url?: string | null | undefined
  /** ISO 8601, UTC. */
  readonly expires_at: string
}

/** What starts a session (contract, section 2.2). Which fields are mandatory is not shown, so the service decides. */
export interface SessionCreateParams {
  /** Selects the checks to run. An unknown or foreign one is answered with 404 `workflow_not_found`. */
  readonly workflow_id?: string | undefined
  /** An absolute URL. The browser returns here with `session_id` and `status`; the status is a hint only. */
  readonly redirect_url?: string | undefined
  /** Must equal an approved HTTPS webhook destination of the project, else 422 `callback_not_allowed`. */
  readonly callback?: string | undefined
  /** Your own reference, echoed on webhooks and the decision. */
  readonly vendor_data?: string | undefined
  /** Lifetime in whole seconds. Its bounds are not shown: the service judges it. */
  readonly ttl_seconds?: number | undefined
  /** Free-form data of yours. Its bounds are not shown. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /**
   * Account variant: the person's access token. The result is stored on their account, and the reuse rules
   * of accounts apply (proofs only, selfie only).
   */
  readonly svc_access_token?: string | undefined
}

/** Narrows a list of sessions. How the service pages it is not shown: a call returns one page. */
export interface SessionListParams {
  /** Only sessions that stand there. */
  readonly status?: SessionStatus | undefined
  /** Only sessions with this reference of yours. */
  readonly vendor_data?: string | undefined
  /** A whole number; its bounds are not shown. */
  readonly limit?: number | undefined
}

/** A verdict by hand (contract, sections 3.1 and 4.1). */
export interface SessionStatusUpdate {
  /** The verdict to record. It cannot be taken back. */
  readonly status: Outcome
}

/** The authoritative result of a session (contract, section 2.4). */
export interface Decision extends MoreFields {
  /** Progress: may be `IN_REVIEW`, or pending. */
  readonly status: SessionStatus
  /** The outcome; `null` while there is none. Never worked out from `status`. */
  readonly decision: Outcome | null
  /** ISO 8601; missing or `null` while there is no decision. */
  readonly decided_at?: string | null | undefined
  /** Every check of the workflow. */
  readonly checks: readonly Check[]
}

const session = schemaFor<Session>()(() =>
  z.looseObject({
    session_id: z.string(),
    status: open<KnownSessionStatus>(),
    url: z.string(),
    session_token: z.string(),
    features: z.array(z.string()),
    redirect_url: maybeText(),
    expires_at: z.string(),
  }),
)

/** The always validated part of a decision. */
const decisionOutcome = schema(() =>
  z.looseObject({
    status: z.string(),
    decision: maybe(oneOf(outcomes)),
    checks: maybe(z.array(checkOutcome())),
  }),
)

const decision = schemaFor<Decision>()(() =>
  z.looseObject({
    status: open<KnownSessionStatus>(),
    decision: z.nullable(oneOf(outcomes)),
    decided_at: maybeText(),
    checks: z.array(anyCheck.zod),
  }),
)

const sessionCreateParams = schemaFor<SessionCreateParams>()(() =>
  z.looseObject({
    workflow_id: z.optional(z.string()),
    redirect_url: z.optional(absoluteUrl()),
    callback: z.optional(absoluteUrl()),
    vendor_data: z.optional(z.string()),
    ttl_seconds: z.optional(wholeNumber()),
    metadata: z.optional(anyObject.zod),
    svc_access_token: z.optional(z.string()),
  }),
)

const sessionListParams = schemaFor<SessionListParams>()(() =>
  z.looseObject({
    status: z.optional(open<KnownSessionStatus>()),
    vendor_data: z.optional(z.string()),
    limit: z.optional(wholeNumber()),
  }),
)

const sessionStatusUpdate = schemaFor<SessionStatusUpdate>()(() => z.looseObject({ status: oneOf(outcomes) }))

export const createSession = endpoint({
  operation: 'sessions.create',
  section: '4.1',
  errors: ['validation_error', 'callback_not_allowed', 'workflow_not_found'],
  method: 'POST',
  path: '/api/v2/session',
  body: sessionCreateParams,
  response: session,
  replay: 'if-not-executed',
})

export const listSessions = endpoint({
  operation: 'sessions.list',
  section: '4.1',
  method: 'GET',
  path: '/api/v2/session',
  query: sessionListParams,
  response: schema(() => z.array(session.zod)),
  replay: 'safe',
})

export const retrieveSession = endpoint({
  operation: 'sessions.retrieve',
  section: '4.1',
  errors: ['not_found'],
  method: 'GET',
  path: '/api/v2/session/{id}',
  response: session,
  replay: 'safe',
})

export const retrieveDecision = endpoint({
  operation: 'sessions.decision',
  section: '4.1',
  errors: ['not_found'],
  method: 'GET',
  path: '/api/v2/session/{id}/decision',
  response: decision,
  strict: decisionOutcome,
  defaults: { decision: null, checks: [] },
  replay: 'safe',
})

export const updateSessionStatus = endpoint({
  operation: 'sessions.updateStatus',
  section: '4.1',
  errors: [
    'not_found',
    'already_decided',
    'required_face_checks_incomplete',
    'review_not_pending',
    'session_closed',
    'session_expired',
  ],
  method: 'PATCH',
  path: '/api/v2/session/{id}/status',
  body: sessionStatusUpdate,
  response: session,
  replay: 'if-not-executed',
})
