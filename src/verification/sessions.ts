import {
  createSession,
  type Decision,
  listSessions,
  retrieveDecision,
  retrieveSession,
  type Session,
  type SessionCreateParams,
  type SessionListParams,
  type SessionStatusUpdate,
} from '../contract/verification/sessions.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { RequestOptions } from '../http/params/options.ts'
import { updateStatus } from './status-update.ts'
import { type WaitOptions, waitForDecision } from './wait-for-decision.ts'

/** Hosted verifications. Reached as `client.sessions`. */
export class Sessions {
  readonly #http: HttpClient

  /** @internal */
  constructor(http: HttpClient) {
    this.#http = http
  }

  /**
   * Starts a hosted verification: send the person to the `url` of the result.
   *
   * Not billed by itself and without a documented idempotency key, so it is repeated only where the failure
   * shows that no session was made; a key of yours is sent along.
   *
   * @throws {BadRequestError} `validation_error`
   * @throws {NotFoundError} `workflow_not_found`
   * @throws {UnprocessableError} `callback_not_allowed`: the callback is no approved webhook destination
   * @see service contract, sections 2.2 and 4.1
   *
   * @example
   * const session = await client.sessions.create({
   *   workflow_id: 'wf_1',
   *   redirect_url: 'https://app.example.com/return',
   *   vendor_data: 'user-42',
   * })
   */
  create(params: SessionCreateParams = {}, options?: RequestOptions): ApiPromise<Session> {
    return this.#http.send(createSession, { body: params }, options)
  }

  /**
   * Lists sessions, one page: how the service pages them is not shown.
   *
   * @param params `status`, `vendor_data` and `limit` narrow the list
   * @see service contract, section 4.1
   *
   * @example
   * const waiting = await client.sessions.list({ status: 'IN_REVIEW', limit: 20 })
   */
  list(params: SessionListParams = {}, options?: RequestOptions): ApiPromise<readonly Session[]> {
    return this.#http.send(listSessions, { query: params }, options)
  }

  /**
   * Reads where a session stands. For the outcome, ask {@link decision}: a status alone is no verdict.
   *
   * @param id the `session_id`
   * @throws {NotFoundError} no such session, or it belongs to another project
   * @see service contract, section 4.1
   *
   * @example
   * const session = await client.sessions.retrieve('sess_123')
   */
  retrieve(id: string, options?: RequestOptions): ApiPromise<Session> {
    return this.#http.send(retrieveSession, { path: { id } }, options)
  }

  /**
   * Reads the authoritative result, with every check. While there is none, `decision` is `null`.
   *
   * @param id the `session_id`
   * @throws {NotFoundError} no such session, or it belongs to another project
   * @throws {InvalidResponseError} an outcome that is neither `APPROVED`, `DECLINED` nor `null`
   * @see service contract, sections 2.4 and 4.1
   *
   * @example
   * const { decision, checks } = await client.sessions.decision('sess_123')
   */
  decision(id: string, options?: RequestOptions): ApiPromise<Decision> {
    return this.#http.send(retrieveDecision, { path: { id } }, options)
  }

  /**
   * Overrides the verdict of a session, for good. It is sent whatever is known of the session's state: the
   * service judges that.
   *
   * After a failure that leaves open whether it worked, the session is read; if it has the status asked for,
   * that is success, and if not, the change is tried again within `maxRetries`.
   *
   * @param id the `session_id`
   * @throws {ConflictError} `already_decided` (`details.status` tells the verdict), `required_face_checks_incomplete`,
   *   `review_not_pending`, `session_closed`
   * @throws {GoneError} `session_expired`
   * @throws {NotFoundError} no such session, or it belongs to another project
   * @see service contract, sections 3.1 and 4.1
   *
   * @example
   * await client.sessions.updateStatus('sess_123', { status: 'DECLINED' })
   */
  updateStatus(id: string, params: SessionStatusUpdate, options?: RequestOptions): ApiPromise<Session> {
    return updateStatus(this.#http, id, params, options)
  }

  /**
   * Reads the session until it is decided, then its decision. The pause between reads grows from
   * `pollIntervalMs` to eight times that. A webhook tells sooner and costs less.
   *
   * @param id the `session_id`
   * @throws {WaitTimeoutError} no decision within `timeoutMs`; the session goes on
   * @throws {SessionEndedError} the session was abandoned or has expired
   * @throws {AbortedError} `signal` was aborted
   * @see service contract, sections 3.1 and 4.1
   *
   * @example
   * const { decision } = await client.sessions.waitForDecision('sess_123', { timeoutMs: 120_000 })
   */
  waitForDecision(id: string, options?: WaitOptions): Promise<Decision> {
    return waitForDecision(this.#http, id, options)
  }
}
