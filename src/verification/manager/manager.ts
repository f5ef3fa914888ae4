import type { Bulk } from '../../bulk/bulk.ts'
import { outcomes } from '../../contract/verification/session-status.ts'
import type { WebhookEvent } from '../../contract/webhooks/events.ts'
import { isErrorCode } from '../../errors/any-sdk-error.ts'
import { ConflictError } from '../../errors/api-errors.ts'
import { invalidParam } from '../../errors/call-errors.ts'
import { StoreError } from '../../errors/sdk-error.ts'
import { NotVerifiedError } from '../../errors/verification-errors.ts'
import { type RequestOptions, requestOptionRules } from '../../http/params/options.ts'
import { checkCallOptions } from '../../http/params/params.ts'
import { observeMethods, type Stream } from '../../observe/stream.ts'
import { kindOf, notBlank, oneOfTexts, required } from '../../options/rules.ts'
import { writeRecord } from '../../runtime/logger.ts'
import { bindMethods } from '../../runtime/public-class.ts'
import type { Timing } from '../../runtime/timing.ts'
import type { ScannableStore, Store } from '../../stores/store.ts'
import { ChangeDelivery, type DeliveringCall } from './changes.ts'
import { countVerifications, listVerifications } from './list.ts'
import {
  type EnsureApprovedOptions,
  ensureOptionRules,
  type ReconcileItem,
  type ReconcileOptions,
  type ReconcileSummary,
  type ReviewParams,
  type StartOptions,
  startOptionRules,
  type VerificationListOptions,
  type VerificationManagerOptions,
  type VerificationSessionParams,
} from './options.ts'
import { isDue, type Reconcilable, reconcile, type Visit } from './reconcile.ts'
import { currentSession, listOf, type PendingReview, verificationState } from './record.ts'
import { type StoredRecord, type UpdatedRecord, VerificationRecords } from './record-store.ts'
import { includesPassed, isRejected, readFacts, type SessionService } from './session-service.ts'
import { readManagerOptions } from './settings.ts'
import { Starter } from './start.ts'
import { states } from './states.ts'
import { applyFacts, beginReview, cancelReview, isCurrent, noteReview } from './transitions.ts'
import type { PendingVerificationState, Verification, VerificationChange, VerificationOf } from './verification.ts'

/**
 * One verification for each person: starts and resumes sessions, keeps the outcome, and finds what lost webhooks would
 * have reported. It is also an event consumer: pass it in `consumers` of a handler or processor.
 */
export interface VerificationManager<Subject extends string = string>
  extends Omit<BasicVerificationManager<Subject>, 'reconcile'> {
  /**
   * Finds the changes that lost webhooks would have reported: reads the verifications that are `starting`, `open` or
   * `in_review` and have not changed for some time from the service. Also calls `onChange` for changes for which it
   * failed. Several processes may do so at once. If the store keeps lists, only these people are read. Otherwise all
   * are.
   *
   * @throws {InvalidParamsError} an option is invalid
   * @throws {StoreError} the store could not list its keys
   *
   * @example
   * for await (const item of verifications.reconcile({ olderThanMs: 600_000 })) {
   *   if (item.outcome === 'failed') console.error(item.error)
   * }
   */
  // A property, because methods would be compared loosely: a manager that needs `subjects` would fit here.
  readonly reconcile: (options?: ReconcileOptions<Subject>) => Bulk<ReconcileItem<Subject>, ReconcileSummary<Subject>>
  /**
   * Yields the people whose verification is in a state, the one that changed longest ago first: the review queue, the
   * open sessions, or the starts whose outcome is unknown. Reads the people in the state only, whatever the number of
   * people in the store.
   *
   * @param options `state`; `changedBefore`: only those that have not changed since; `limit`: maximum number of people,
   *   1 or more
   * @throws {InvalidParamsError} an option is invalid
   * @throws {ConfigurationError} the store keeps no lists
   * @throws {StoreError}
   *
   * @example
   * for await (const { subject, updatedAt } of verifications.list({ state: 'in_review', limit: 20 })) {
   *   console.log(subject, 'waits for a review since', updatedAt)
   * }
   */
  list(options: VerificationListOptions): AsyncIterable<Verification<Subject>>
  /**
   * Returns about how many people are in a state. It is not exact, because people can change their state meanwhile.
   *
   * @param state `starting`, `open` or `in_review`
   * @throws {InvalidParamsError} it is another state
   * @throws {ConfigurationError} the store keeps no lists
   * @throws {StoreError}
   *
   * @example
   * const waiting = await verifications.count('in_review')
   */
  count(state: PendingVerificationState): Promise<number>
}

/** A {@link VerificationManager} whose store cannot list its keys: `reconcile` needs `subjects`. */
export interface BasicVerificationManager<Subject extends string = string> {
  /**
   * Finds the changes that lost webhooks would have reported for some people, as {@link VerificationManager.reconcile}
   * does.
   *
   * @param options `subjects`: the people
   * @throws {ConfigurationError} `subjects` is missing
   *
   * @example
   * await verifications.reconcile({ subjects: ['user-42'] })
   */
  readonly reconcile: (
    options: ReconcileOptions<Subject> & Required<Pick<ReconcileOptions<Subject>, 'subjects'>>,
  ) => Bulk<ReconcileItem<Subject>, ReconcileSummary<Subject>>
  /**
   * Returns the person's verification with a session to continue. It resumes an open session, creates one if there is
   * none or it has ended, and returns a verification that is in review or approved as it is. Concurrent starts of one
   * subject, in any number of processes, create one session.
   *
   * If it is unknown whether the service created a session, the start throws, and the next one looks for that session
   * before it creates another.
   *
   * @param subject your stable id of the person; sent as `vendor_data`
   * @param params override those of `session`
   * @param options those of a call, for the request that creates the session; `signal` and `deadlineMs` also end the
   *   wait for a start in another process, and `deadlineMs` the attempts to write to a store that fails. `renew`: creates
   *   a session for a person who is approved
   * @throws {VerificationLimitError} the `limit` is reached
   * @throws {TimeoutError} another start of the subject has not ended within `deadlineMs`, default four times
   *   `startLeaseMs`, or a request has not ended within four fifths of `startLeaseMs`
   * @throws {StoreError} the store failed: call again
   * @throws {ApiError | ConnectionError} the session could not be created: see the error
   *
   * @example
   * const verification = await verifications.start(user.id)
   * if (verification.state === 'open') console.log(verification.url) // send the person there
   */
  start(
    subject: Subject,
    params?: Partial<VerificationSessionParams>,
    options?: StartOptions,
  ): Promise<Verification<Subject>>
  /**
   * Returns the person's verification as recorded. Only the store is read. The state is `none` if there is no record.
   *
   * @throws {StoreError}
   *
   * @example
   * const { state, checks } = await verifications.get(user.id)
   */
  get(subject: Subject): Promise<Verification<Subject>>
  /**
   * Reads the session of the person from the service and applies the result. Call it when the person returns, because
   * the webhook may be later. The state is `none` if the person has no record.
   *
   * @param options those of a call, for each request; `signal` and `deadlineMs` also end the wait for a start or an
   *   `onChange` in another process
   * @throws {StoreError} the store failed, or `onChange` in another process has not ended within twice `startLeaseMs`
   * @throws {ApiError | ConnectionError | TimeoutError} the service could not be read, or another process has not ended
   *   within `deadlineMs`, for a start by default four times `startLeaseMs`
   *
   * @example
   * const { state } = await verifications.refresh(user.id)
   */
  refresh(subject: Subject, options?: RequestOptions): Promise<Verification<Subject>>
  /**
   * Applies an event that was verified. The outcome is read from the service, not from the event, so events can be
   * late, repeated or out of order.
   *
   * @param options as those of `refresh`. Also accepts the context of an event, of which it takes `signal`
   * @returns the change that followed, or `null`: also if the subject or the session is not in the store
   * @throws {StoreError}
   * @throws {ApiError | ConnectionError | TimeoutError} as for `refresh`
   *
   * @example
   * const change = await verifications.handle(event)
   * if (change?.to === 'approved') console.log('verified')
   */
  handle(event: WebhookEvent, options?: RequestOptions): Promise<VerificationChange<Subject> | null>
  /**
   * Returns the verification of a person who is approved. Only the store is read. Without `await`, a call lets
   * everybody pass, so return its promise, or continue from it.
   *
   * @throws {NotVerifiedError} the person is not verified as required: see `reason`
   * @throws {StoreError}
   *
   * @example
   * const requirements = { maxAgeMs: 365 * 86_400_000, checks: ['liveness'] } as const
   * const { checks } = await verifications.ensureApproved(user.id, requirements)
   */
  ensureApproved(subject: Subject, options?: EnsureApprovedOptions): Promise<VerificationOf<'approved', Subject>>
  /**
   * Overrides the verdict of the person's session, as `sessions.updateStatus` does, and records who did so and why.
   *
   * @throws {ConflictError} `session_superseded`: the person has another session by now, or none, and nothing was sent;
   *   `already_decided`: the verdict of the service is stored; `required_face_checks_incomplete`, `review_not_pending`,
   *   `session_closed`: nothing is stored
   * @throws {GoneError} `session_expired`
   * @throws {StoreError | TimeoutError | AbortedError} if the verdict was given, or may have been, `refresh` applies it
   *   later, with `by` and `reason`
   *
   * @example
   * const seen = await verifications.get(user.id)
   * if (seen.state === 'in_review') {
   *   const note = { by: 'agent-7', reason: 'The photo was altered' }
   *   await verifications.review(user.id, { sessionId: seen.sessionId, status: 'DECLINED', ...note })
   * }
   */
  review(subject: Subject, params: ReviewParams, options?: RequestOptions): Promise<Verification<Subject>>
  /**
   * Deletes the record of a person. The service keeps its sessions. It waits for an `onChange` of the person in another
   * process, and aborts the `signal` of one in this process.
   *
   * @returns whether there was a record
   * @throws {StoreError} the store failed, or `onChange` in another process has not ended within twice `startLeaseMs`
   *
   * @example
   * const wasKnown = await verifications.forget(user.id)
   */
  forget(subject: Subject): Promise<boolean>
}

/**
 * Creates a manager that keeps one verification for each person in a store, over all processes that share the store.
 * The record contains the ids, addresses and states of sessions, and the types and statuses of checks. It contains
 * nothing of a document or an image, and nothing else about the person.
 *
 * To type the subjects, annotate a parameter of `session` or of `onChange`: `session: (id: UserId) => …`. If you pass
 * the type of the subject instead, and the store has no `scan`, pass the type of the store too:
 * `createVerificationManager<UserId, Store>(…)`, because the compiler infers all type arguments or none.
 *
 * @throws {ConfigurationError} an option is missing or invalid
 *
 * @example
 * const verifications = createVerificationManager({
 *   client,
 *   store,
 *   session: { workflow_id: 'wf_1', redirect_url: 'https://app.example.com/return' },
 *   onChange: async ({ subject, to }) => console.log(subject, to),
 * })
 * const { state, url } = await verifications.start(user.id)
 */
export function createVerificationManager<Subject extends string = string, Shared extends Store = ScannableStore>(
  options: VerificationManagerOptions<Subject, Shared>,
): ManagerOf<Subject, Shared> {
  // A subject is any string at run time, and `reconcile` checks what the store can do.
  const settings = readManagerOptions(options as never)
  const manager = bindMethods(new StoredVerifications(settings))
  return observeMethods(settings.stream, manager, observed, 'verification', 'verifications') as never
}

/** Not distributed over a union of stores: each of them must have `scan`. */
type ManagerOf<Subject extends string, Shared extends Store> = [Shared] extends [ScannableStore]
  ? VerificationManager<Subject>
  : BasicVerificationManager<Subject>

/** The methods that return a promise. */
const observed = [
  'start',
  'get',
  'refresh',
  'handle',
  'count',
  'ensureApproved',
  'review',
  'forget',
] as const satisfies readonly (keyof VerificationManager)[]

class StoredVerifications implements VerificationManager {
  readonly #service: SessionService
  readonly #stream: Stream
  readonly #records: VerificationRecords
  readonly #starter: Starter
  readonly #changes: ChangeDelivery
  readonly #clock: () => number
  readonly #timing: Timing

  constructor(settings: ReturnType<typeof readManagerOptions>) {
    const { service, store, paramsOf, limit, spanMs, onChange, ...shared } = settings
    const records = new VerificationRecords(store, {
      ...shared,
      spanMs,
      keepsChanges: onChange !== undefined,
    })
    this.#service = service
    this.#stream = shared.stream
    this.#clock = shared.clock
    this.#timing = shared.timing
    this.#records = records
    this.#starter = new Starter({
      ...shared,
      records,
      service,
      paramsOf,
      limit,
    })
    this.#changes = new ChangeDelivery({ ...shared, records, onChange })
  }

  async start(
    subject: string,
    params: Partial<VerificationSessionParams> = {},
    options: StartOptions = {},
  ): Promise<Verification> {
    const operation = 'verifications.start'
    checkSubject(operation, subject)
    if (typeof params !== 'object' || params === null)
      throw invalidParam(operation, 'params', `must be an object, not ${kindOf(params)}`)
    checkCallOptions(options, operation, startOptionRules)
    const { renew = 'never', ...request } = options
    const started = await this.#starter.start(subject, { params, renew, options: request })
    if (started.change) await this.#changes.deliver(subject, started, { ...this.#begin(operation, {}), waits: false })
    return this.#records.toVerification(subject, started.stored.value)
  }

  async get(subject: string): Promise<Verification> {
    checkSubject('verifications.get', subject)
    return this.#read(subject)
  }

  async refresh(subject: string, options: RequestOptions = {}): Promise<Verification> {
    const operation = 'verifications.refresh'
    checkSubject(operation, subject)
    checkCallOptions(options, operation, requestOptionRules)
    const call = this.#begin(operation, options)
    const { stored } = await this.#update(subject, await this.#records.read(subject), options, call)
    return this.#records.toVerification(subject, stored.value)
  }

  async handle(event: WebhookEvent, options: RequestOptions = {}): Promise<VerificationChange | null> {
    const operation = 'verifications.handle'
    const request = requestOf(options)
    checkCallOptions(request, operation, requestOptionRules)
    const call = this.#begin(operation, request)
    const { vendor_data, session_id: id } = Object(event) as WebhookEvent
    const subject = typeof vendor_data === 'string' ? vendor_data : ''
    const stored = subject === '' ? undefined : await this.#records.read(subject)
    const session = stored?.value.sessions.find((one) => one.id === id)
    if (stored === undefined || session === undefined) {
      // Not a warning, because the session may be one of another manager.
      writeRecord(this.#stream.logger, 'debug', 'verifications.handle: no record has the session of the event.', {})
      return null
    }
    let updated: UpdatedRecord = { stored }
    if (states[session.state].asksOnEvent) {
      const facts = await readFacts(this.#service, id, request)
      updated = await this.#records.update(subject, applyFacts(id, facts, this.#now()), { stored, until: call.until })
    }
    const changes = await this.#deliver(subject, updated, call)
    return updated.change ?? changes.at(-1) ?? null
  }

  reconcile(options?: ReconcileOptions): Bulk<ReconcileItem, ReconcileSummary> {
    const visit: Reconcilable['visit'] = (...visited) => this.#visit(...visited)
    return reconcile({ records: this.#records, visit, clock: this.#clock, stream: this.#stream }, options)
  }

  list(options: VerificationListOptions): AsyncIterable<Verification> {
    return listVerifications(this.#records, options)
  }

  async count(state: PendingVerificationState): Promise<number> {
    return countVerifications(this.#records, state)
  }

  async ensureApproved(subject: string, options: EnsureApprovedOptions = {}): Promise<VerificationOf<'approved'>> {
    const operation = 'verifications.ensureApproved'
    checkSubject(operation, subject)
    checkCallOptions(options, operation, ensureOptionRules)
    const { maxAgeMs, checks: required = [] } = options
    const verification = await this.#read(subject)
    const { state, decidedAt, checks } = verification
    if (state !== 'approved') throw new NotVerifiedError({ reason: state })
    // An age that is not a number is not within any limit.
    const isRecent = maxAgeMs === undefined || this.#clock() - Date.parse(decidedAt ?? '') <= maxAgeMs
    if (!isRecent) throw new NotVerifiedError({ reason: 'too_old' })
    // An approval may be older than the option `requires`.
    if (![...this.#service.requires, ...required].every((type) => includesPassed(checks, type)))
      throw new NotVerifiedError({ reason: 'check_missing' })
    return verification
  }

  async review(subject: string, params: ReviewParams, options: RequestOptions = {}): Promise<Verification> {
    const operation = 'verifications.review'
    checkSubject(operation, subject)
    checkCallOptions(
      params,
      operation,
      {
        sessionId: required(notBlank),
        status: required(oneOfTexts(outcomes)),
        by: required(notBlank),
        reason: required(notBlank),
      },
      'params',
    )
    checkCallOptions(options, operation, requestOptionRules)
    const call = this.#begin(operation, options)
    const { idempotencyKey: _, extraParams: __, ...limits } = options
    const { sessionId, status, by, reason } = params
    const state = status === 'APPROVED' ? 'approved' : 'declined'
    const review: PendingReview = { id: crypto.randomUUID(), sessionId, state, by, reason }
    // Written before the verdict is sent. Written later, a crash or a failure of the store would lose who gave it.
    const begun = await this.#records.updateOnly(subject, beginReview(review), { until: call.until })
    if (!isCurrent(begun.stored.value, sessionId)) {
      const message = 'the person has another session by now, or none. Show the reviewer the current one.'
      throw new ConflictError({ code: 'session_superseded', operation, attempts: 0, message })
    }
    try {
      await this.#service.sessions.updateStatus(sessionId, { status }, options)
    } catch (error) {
      const cancel = cancelReview(review)
      if (isRejected(error)) await this.#records.updateOnly(subject, cancel, { stored: begun.stored }).catch(() => {})
      // Somebody decided elsewhere, and the webhook was lost: the person must not stay in the queue of reviews. The verdict
      // is what the caller has to know, so a failure of this waits for the next refresh.
      if (isErrorCode(error, 'already_decided')) await this.refresh(subject, limits).catch(() => {})
      throw error
    }
    // If something fails from here on, the next refresh applies the verdict, and says who gave it.
    const facts = await readFacts(this.#service, sessionId, options)
    const at = this.#now()
    const apply = applyFacts(sessionId, facts, at)
    const note = noteReview(review, facts.state, at)
    const isDecided = !states[facts.state].isPending
    const reviewed = await this.#records
      .update(subject, (record) => (isDecided ? note(apply(record)) : apply(record)), { until: call.until })
      .catch((cause: unknown) => {
        const message = 'the verdict was given, but the store failed. Call refresh when it works again.'
        throw new StoreError({ message, cause, mayHaveHappened: true })
      })
    await this.#deliver(subject, reviewed, { ...call, done: 'The verdict was given', mayHaveArrived: true })
    return this.#records.toVerification(subject, reviewed.stored.value)
  }

  async forget(subject: string): Promise<boolean> {
    checkSubject('verifications.forget', subject)
    return this.#changes.forget(subject)
  }

  /** Brings a person up to date, unless nothing is to be expected or the record has changed recently. */
  async #visit(
    subject: string,
    { olderThanMs, list, all }: Visit,
    request: RequestOptions,
  ): Promise<VerificationChange[] | undefined> {
    const operation = 'verifications.reconcile'
    checkSubject(operation, subject)
    const call = this.#begin(operation, {})
    const stored = await this.#records.read(subject)
    const { changes, updatedAt } = stored.value
    const belongsTo = listOf(stored.value)
    if (list === undefined ? all && belongsTo !== undefined : list !== belongsTo)
      await this.#records.writeEntry(subject, stored, list)
    const now = this.#clock()
    if (states[verificationState(stored.value)].isPending && isDue(Date.parse(updatedAt ?? ''), now - olderThanMs, now))
      return (await this.#update(subject, stored, request, call)).changes
    // Changes that a crash or a failure of `onChange` has left.
    return changes.length > 0 ? this.#deliver(subject, { stored }, call) : undefined
  }

  /** Reads the person's session from the service and applies the result. */
  async #update(
    subject: string,
    known: StoredRecord,
    options: RequestOptions,
    call: DeliveringCall,
  ): Promise<{ readonly stored: StoredRecord; readonly changes: VerificationChange[] }> {
    const adopted: UpdatedRecord = known.value.start
      ? await this.#starter.adopt(subject, known, options)
      : { stored: known }
    const session = currentSession(adopted.stored.value)
    let updated: UpdatedRecord = adopted
    if (session && adopted.stored.value.start === null) {
      const facts = await readFacts(this.#service, session.id, options).catch((error: unknown) => {
        const advice = 'If it was deleted there, call forget(subject), so that the person can start again'
        if (isErrorCode(error, 'not_found')) this.#service.warn(`The service has no session ${session.id}. ${advice}`)
        throw error
      })
      const apply = applyFacts(session.id, facts, this.#now())
      updated = await this.#records.update(subject, apply, { stored: adopted.stored, until: call.until })
    }
    const changes = await this.#deliver(subject, updated, call, [adopted.change, updated.change])
    return { stored: updated.stored, changes }
  }

  /**
   * Delivers what is recorded. Returns that and, if another process delivered them, the changes that were made here.
   */
  async #deliver(
    subject: string,
    updated: UpdatedRecord,
    call: DeliveringCall,
    made: readonly (VerificationChange | undefined)[] = [updated.change],
  ): Promise<VerificationChange[]> {
    const delivered = await this.#changes.deliver(subject, updated, call)
    const others = [...new Set(made)].filter((one) => one !== undefined)
    return [...delivered, ...others.filter(({ id }) => !delivered.some((other) => other.id === id))]
  }

  /** Returns how a call waits for `onChange` in other processes. Its `deadlineMs` counts from now. */
  #begin(operation: string, { signal, deadlineMs }: RequestOptions): DeliveringCall {
    const call = { operation, waits: true, signal, deadlineMs, done: 'The state is recorded, and get returns it' }
    return { ...call, until: deadlineMs === undefined ? undefined : this.#timing.now() + deadlineMs }
  }

  async #read(subject: string): Promise<Verification> {
    return this.#records.toVerification(subject, (await this.#records.read(subject)).value)
  }

  #now(): string {
    return new Date(this.#clock()).toISOString()
  }
}

/** The options of a call. An event's context has other members too. */
const requestOf = (options: object): RequestOptions =>
  Object.fromEntries(Object.entries(Object(options)).filter(([name]) => Object.hasOwn(requestOptionRules, name)))

/** A lone surrogate would reach the service as another text. */
function checkSubject(operation: string, subject: string): void {
  if (typeof subject !== 'string' || subject === '' || !subject.isWellFormed())
    throw invalidParam(operation, 'subject', 'must be a string that is not empty and is valid Unicode')
}
