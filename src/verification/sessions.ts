import type { Id } from '../contract/schema/open-types.ts'
import {
  createSession,
  type DecidedDecision,
  type Decision,
  listSessions,
  retrieveDecision,
  retrieveSession,
  type Session,
  type SessionCreateParams,
  type SessionListParams,
  type SessionStatusUpdate,
} from '../contract/verification/sessions.ts'
import { type ApiPromise, type ListPromise, listPromise } from '../http/exchange/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { RequestOptions } from '../http/params/options.ts'
import { updateStatus } from './status-update.ts'
import { type WaitOptions, waitForDecision } from './wait-for-decision.ts'

/** The sessions resource: hosted verifications. Available as `client.sessions`. */
export interface Sessions {
  /**
   * Creates a hosted verification. Send the person to the `url` of the result.
   *
   * The contract documents no idempotency key for it, so the call is retried only if the failure shows that no session
   * was created. If you pass an `idempotencyKey`, it is sent.
   *
   * @throws {BadRequestError} `validation_error`
   * @throws {NotFoundError} `workflow_not_found`
   * @throws {UnprocessableError} `callback_not_allowed`: the callback is not an approved webhook destination
   *
   * @example
   * const session = await client.sessions.create({
   *   workflow_id: 'wf_1',
   *   redirect_url: 'https://app.example.com/return',
   *   vendor_data: 'user-42',
   * })
   */
  create(params?: SessionCreateParams, options?: RequestOptions): ApiPromise<Session>
  /**
   * Lists one page of sessions. `await` gives the list, `for await` its sessions.
   *
   * @param params `status`, `vendor_data` and `limit` filter the list
   *
   * @example
   * const waiting = await client.sessions.list({ status: 'IN_REVIEW', limit: 20 })
   */
  list(params?: SessionListParams, options?: RequestOptions): ListPromise<Session[]>
  /**
   * Returns a session with its current status. For the outcome, call {@link decision}, because a status alone is not a
   * verdict.
   *
   * @param id the `session_id`
   * @throws {NotFoundError} the session does not exist, or it belongs to another project
   *
   * @example
   * const session = await client.sessions.retrieve('sess_123')
   */
  retrieve(id: Id<'session'>, options?: RequestOptions): ApiPromise<Session>
  /**
   * Returns the authoritative result, with every check. `decision` is `null` while the decision is pending.
   *
   * @param id the `session_id`
   * @throws {NotFoundError} the session does not exist, or it belongs to another project
   * @throws {InvalidResponseError} the outcome is not `APPROVED`, `DECLINED` or `null`
   *
   * @example
   * const { decision, checks } = await client.sessions.decision('sess_123')
   */
  decision(id: Id<'session'>, options?: RequestOptions): ApiPromise<Decision>
  /**
   * Decides a session that is `NOT_STARTED`, `IN_PROGRESS` or `IN_REVIEW`. This cannot be undone. The client sends the
   * request with any status of the session, because the service decides whether an override is allowed.
   *
   * After a failure that leaves the outcome open, the client reads the session. If the session has the requested
   * status, the call succeeds. If not, the request is retried within `maxRetries`. If the read fails too, the call
   * throws the first failure.
   *
   * @param id the `session_id`
   * @throws {ConflictError} `already_decided` (`details.status` contains the verdict),
   *   `required_face_checks_incomplete`, `review_not_pending`, `session_closed`
   * @throws {GoneError} `session_expired`
   * @throws {NotFoundError} the session does not exist, or it belongs to another project
   *
   * @example
   * await client.sessions.updateStatus('sess_123', { status: 'DECLINED' })
   */
  updateStatus(id: Id<'session'>, params: SessionStatusUpdate, options?: RequestOptions): ApiPromise<Session>
  /**
   * Polls the session until it is decided, then returns its decision. The pause between reads grows from
   * `pollIntervalMs` to eight times that value. A webhook is faster and sends fewer requests.
   *
   * @param id the `session_id`
   * @param options those of every call, which apply to each read, and those of the wait
   * @throws {WaitTimeoutError} there is no decision within `deadlineMs`; the session itself continues
   * @throws {SessionEndedError} the session was abandoned, or it expired
   * @throws {AbortedError} `signal` was aborted
   *
   * @example
   * const { decision } = await client.sessions.waitForDecision('sess_123', { deadlineMs: 120_000 })
   */
  waitForDecision<Until extends 'IN_REVIEW' | undefined = undefined>(
    id: Id<'session'>,
    options?: WaitOptions<Until>,
  ): Promise<Until extends 'IN_REVIEW' ? Decision : DecidedDecision>
}

export const createSessions = (http: HttpClient): Sessions => ({
  create: (params = {}, options) => http.send(createSession, { body: params }, options),
  list: (params = {}, options) => listPromise(listSessions, http.send(listSessions, { query: params }, options)),
  retrieve: (id, options) => http.send(retrieveSession, { path: { id } }, options),
  decision: (id, options) => http.send(retrieveDecision, { path: { id } }, options),
  updateStatus: (id, params, options) => updateStatus(http, id, params, options),
  // `until` decides which of the two types of decision it is.
  waitForDecision: (id, options) => waitForDecision(http, id, options) as Promise<never>,
})
