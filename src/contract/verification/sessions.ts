import type { Endpoint, OperationFacts } from '../endpoint.ts'
import type { Id, Unlisted } from '../schema/open-types.ts'
import {
  absoluteUrl,
  anyObject,
  id,
  maybe,
  maybeText,
  oneOf,
  open,
  schema,
  schemaFor,
  suggested,
  type Type,
  untyped,
  wholeNumber,
  withDefaults,
} from '../schema/schema.ts'
import * as z from '../schema/zod.ts'
import type { CheckType } from './check-data.ts'
import { anyCheck, type Check, checkOutcome, withCheckData } from './check-results.ts'
import { type Outcome, outcomes, type SessionStatus } from './session-status.ts'

/** Query parameters that the hosted page adds to `redirect_url` (contract, section 2.2). */
export const returnParameters = { sessionId: 'session_id', status: 'status' } as const

/**
 * A hosted verification (contract, section 2.2). A retrieved session has more fields, such as the
 * workflow and timestamps. They are kept, and `in` narrows to them.
 */
export interface Session {
  /** The session's id, which the other methods take. */
  readonly session_id: Id<'session'>
  /** The current status. It is not a verdict: the outcome is in the decision. */
  readonly status: SessionStatus
  /** The address of the hosted page. Send the person here. */
  readonly url: string
  /** Safe to pass to the browser. The API key is not. */
  readonly session_token: string
  /** The types of check that the workflow runs. */
  readonly features: (CheckType | Unlisted)[]
  /** The address to which the person returns. */
  readonly redirect_url?: string | null | undefined
  /** ISO 8601, UTC. */
  readonly expires_at: string
  /** Your own reference, as you passed it to `sessions.create`. The contract shows it only for retrieved sessions. */
  readonly vendor_data?: string | null | undefined
}

/**
 * Params of a new session (contract, section 2.2). The service decides which fields it requires.
 */
export interface SessionCreateParams {
  /** Selects the checks to run. For an unknown or foreign id the service returns 404 `workflow_not_found`. */
  readonly workflow_id?: Id<'workflow'> | undefined
  /** An absolute URL. The browser returns here with `session_id` and `status`. The status is only a hint. */
  readonly redirect_url?: string | undefined
  /**
   * The webhook destination. It must equal an active, approved HTTPS webhook destination of the project, otherwise the
   * service returns 422 `callback_not_allowed`.
   */
  readonly callback?: string | undefined
  /** Your own reference. The service echoes it on webhooks and on the decision. */
  readonly vendor_data?: string | undefined
  /** Lifetime of the session in whole seconds. The contract lists no bounds, so the service decides. */
  readonly ttl_seconds?: number | undefined
  /** Your own free-form data. The contract lists no bounds. */
  readonly metadata?: object | undefined
  /**
   * The person's access token, for the account variant. The result is then stored on the person's account, and
   * proofs-only results and selfie-only reuse apply.
   */
  readonly svc_access_token?: string | undefined
}

/** Filters of a list of sessions. A call returns one page. */
export interface SessionListParams {
  /** Only sessions with this status. */
  readonly status?: SessionStatus | (string & {}) | undefined
  /** Only sessions with this reference. */
  readonly vendor_data?: string | undefined
  /** Maximum number of sessions, a whole number. The contract lists no bounds. */
  readonly limit?: number | undefined
}

/** Params of a manual verdict (contract, sections 3.1 and 4.1). */
export interface SessionStatusUpdate {
  /** The verdict to record. It cannot be undone. */
  readonly status: Outcome
}

/** The authoritative result of a session (contract, section 2.4). */
export interface Decision {
  /** The progress of the session. It may be `IN_REVIEW`, or the session may still be pending. */
  readonly status: SessionStatus
  /** The outcome. `null` while the decision is pending. Never derived from `status`. */
  readonly decision: Outcome | null
  /** When the decision was made, ISO 8601. Missing or `null` while the decision is pending. */
  readonly decided_at?: string | null | undefined
  /** Every check of the workflow. */
  readonly checks: Check[]
  /** Your own reference, as you passed it to `sessions.create`. */
  readonly vendor_data?: string | null | undefined
}

/** A decision that has an outcome. */
export interface DecidedDecision extends Decision {
  /** The outcome. */
  readonly decision: Outcome
}

/** The contract gives `vendor_data` a type where it is sent, and none where the service echoes it. */
const echoed = () => maybe(untyped(z.string()))

const session = /* @__PURE__ */ schemaFor<Session>()(() =>
  z.looseObject({
    session_id: id<'session'>(),
    status: open<SessionStatus>(),
    url: z.string(),
    session_token: z.string(),
    features: z.array(open<CheckType>()),
    redirect_url: maybeText(),
    expires_at: z.string(),
    vendor_data: echoed(),
  }),
)

/** The always validated part of a decision. */
const decisionOutcome = /* @__PURE__ */ schema(() =>
  z.looseObject({
    status: z.string(),
    decision: maybe(oneOf(outcomes)),
    checks: maybe(z.array(checkOutcome())),
  }),
)

const decision = /* @__PURE__ */ schemaFor<Decision>()(() =>
  z.looseObject({
    status: open<SessionStatus>(),
    decision: z.nullable(oneOf(outcomes)),
    decided_at: maybeText(),
    checks: z.array(anyCheck.zod),
    vendor_data: echoed(),
  }),
)

const sessionCreateParams = /* @__PURE__ */ schemaFor<SessionCreateParams>()(() =>
  z.looseObject({
    workflow_id: z.optional(id<'workflow'>()),
    redirect_url: z.optional(absoluteUrl()),
    callback: z.optional(absoluteUrl()),
    vendor_data: z.optional(z.string()),
    ttl_seconds: z.optional(wholeNumber()),
    metadata: z.optional(anyObject.zod as unknown as Type<object>),
    svc_access_token: z.optional(z.string()),
  }),
)

const sessionListParams = /* @__PURE__ */ schemaFor<SessionListParams>()(() =>
  z.looseObject({
    status: z.optional(suggested<SessionStatus>()),
    vendor_data: z.optional(z.string()),
    limit: z.optional(wholeNumber()),
  }),
)

const sessionStatusUpdate = /* @__PURE__ */ schemaFor<SessionStatusUpdate>()(() =>
  z.looseObject({ status: oneOf(outcomes) }),
)

export const createSession = {
  operation: 'sessions.create',
  section: '4.1',
  errors: ['validation_error', 'callback_not_allowed', 'workflow_not_found'],
  method: 'POST',
  path: '/api/v2/session',
  body: sessionCreateParams,
  response: session,
  replay: 'if-not-executed',
} as const satisfies Endpoint

/** The part of a session that a wait reads. */
export const sessionProgress = /* @__PURE__ */ schema(() => z.looseObject({ status: z.string() }))

export const listSessions = {
  operation: 'sessions.list',
  section: '4.1',
  method: 'GET',
  path: '/api/v2/session',
  query: sessionListParams,
  response: /* @__PURE__ */ schema(() => z.array(session.zod)),
  replay: 'safe',
} as const satisfies Endpoint

export const retrieveSession = {
  operation: 'sessions.retrieve',
  section: '4.1',
  errors: ['not_found'],
  method: 'GET',
  path: '/api/v2/session/{id}',
  response: session,
  replay: 'safe',
} as const satisfies Endpoint

export const retrieveDecision = {
  operation: 'sessions.decision',
  section: '4.1',
  errors: ['not_found'],
  method: 'GET',
  path: '/api/v2/session/{id}/decision',
  response: decision,
  strict: decisionOutcome,
  complete: (payload) => withCheckData(withDefaults(payload, { decision: null, checks: [] })),
  replay: 'safe',
} as const satisfies Endpoint

export const updateSessionStatus = {
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
} as const satisfies Endpoint

/** The operations on sessions, as a type. */
export interface SessionOperations {
  readonly 'sessions.create': OperationFacts<
    'POST /api/v2/session',
    'validation_error' | 'callback_not_allowed' | 'workflow_not_found'
  >
  readonly 'sessions.list': OperationFacts<'GET /api/v2/session', never>
  readonly 'sessions.retrieve': OperationFacts<'GET /api/v2/session/{id}', 'not_found'>
  readonly 'sessions.decision': OperationFacts<'GET /api/v2/session/{id}/decision', 'not_found'>
  readonly 'sessions.updateStatus': OperationFacts<
    'PATCH /api/v2/session/{id}/status',
    | 'not_found'
    | 'already_decided'
    | 'required_face_checks_incomplete'
    | 'review_not_pending'
    | 'session_closed'
    | 'session_expired'
  >
}

/** The operations on sessions. */
export const sessionEndpoints = [
  createSession,
  listSessions,
  retrieveSession,
  retrieveDecision,
  updateSessionStatus,
] as const
