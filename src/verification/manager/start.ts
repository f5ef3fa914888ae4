import type { SessionCreateParams } from '../../contract/verification/sessions.ts'
import { isSdkError } from '../../errors/any-sdk-error.ts'
import { AbortedError, TimeoutError } from '../../errors/call-errors.ts'
import { VerificationLimitError } from '../../errors/verification-errors.ts'
import type { RequestOptions } from '../../http/params/options.ts'
import type { Stream } from '../../observe/stream.ts'
import type { Timing } from '../../runtime/timing.ts'
import { exclusively, type Lease, leased, longestRequestMs } from '../../stores/exclusive.ts'
import type { RenewOption, VerificationLimit, VerificationSessionParams } from './options.ts'
import { attemptTimes, currentSession, type VerificationRecord, verificationState } from './record.ts'
import type { StoredRecord, UpdatedRecord, VerificationRecords } from './record-store.ts'
import {
  createOwnSession,
  findLostSession,
  includesPassed,
  isNotExecuted,
  isPast,
  readFacts,
  type SessionService,
  sentParams,
} from './session-service.ts'
import { states } from './states.ts'
import {
  addSession,
  applyFacts,
  beginStart,
  type CreatedSession,
  cancelStart,
  type Transition,
  takeOverStart,
} from './transitions.ts'

export interface StarterOptions {
  readonly service: SessionService
  readonly records: VerificationRecords
  readonly paramsOf: (subject: string) => Promise<VerificationSessionParams>
  readonly limit: VerificationLimit | undefined
  readonly leaseMs: number
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly timing: Timing
  readonly stream: Stream
}

/** What a call of `start` was given. */
export interface StartCall {
  readonly params: Partial<VerificationSessionParams>
  readonly renew: RenewOption
  readonly options: RequestOptions
}

/** One attempt to start, or to find the session of a start that has not ended. */
interface Turn {
  /** The record. No other run is creating a session for it. */
  readonly stored: StoredRecord
  /** Returns the run of this attempt. It begins when it is first needed. */
  readonly run: () => Promise<Lease>
  /** Returns options for a request that ends before the run does. `undefined` if too little time is left. */
  readonly request: () => RequestOptions | undefined
  /** When the time of the caller is over, if it has a limit. */
  readonly until: number | undefined
}

interface StartWork {
  /** The operation that errors name. */
  readonly operation: string
  /** Whether nothing is left to do, so that no run is needed. */
  readonly isSettled: (record: VerificationRecord) => boolean | Promise<boolean>
  /** @returns `undefined` if the record has to be read again */
  readonly attempt: (turn: Turn) => Promise<UpdatedRecord | undefined>
}

/** How many leases a call waits for other processes, which may crash one after the other. */
const maxLeases = 4
/** Sessions of which the record is kept, at least. */
const minKept = 100

/**
 * Creates sessions, one at a time for each person over all processes. The intent is written before the call, so that a
 * crash or a lost response leaves a trace. The next start then looks for that session before it creates another one.
 */
export class Starter {
  readonly #options: StarterOptions

  constructor(options: StarterOptions) {
    this.#options = options
  }

  /** Returns the record of a person who has an open session, or needs none. */
  async start(subject: string, { params, renew, options }: StartCall): Promise<UpdatedRecord> {
    let shared: Promise<VerificationSessionParams> | undefined
    const allParams = async () => {
      shared ??= this.#options.paramsOf(subject)
      return { ...(await shared), ...params, vendor_data: subject }
    }
    const isSettled = async (record: VerificationRecord) => !(await this.#needsSession(record, renew, allParams))
    return this.#whenNoStartRuns(subject, options, {
      operation: 'verifications.start',
      isSettled,
      attempt: async (turn) => {
        const taken = await this.#takeOver(subject, turn)
        const known = taken && (await this.#afterExpiry(subject, taken, turn))
        if (known === undefined || (await isSettled(known.stored.value))) return known
        this.#checkLimit(known.stored.value)
        const created = await this.#create(subject, { ...turn, ...known }, await allParams(), options)
        return created && { ...created, change: created.change ?? known.change }
      },
    })
  }

  /** Adds the session of a start that has not ended, if the service lists one. */
  async adopt(subject: string, stored: StoredRecord, options: RequestOptions): Promise<UpdatedRecord> {
    const isSettled = ({ start }: VerificationRecord) => start === null
    return this.#whenNoStartRuns(
      subject,
      options,
      { operation: 'verifications.refresh', isSettled, attempt: (turn) => this.#takeOver(subject, turn) },
      stored,
    )
  }

  /** Does work while no other run is creating a session for a person, or waits until another process has done it. */
  async #whenNoStartRuns(
    subject: string,
    { idempotencyKey: _, extraParams: __, ...options }: RequestOptions,
    { operation, isSettled, attempt }: StartWork,
    known?: StoredRecord,
  ): Promise<UpdatedRecord> {
    const { records, leaseMs, timing, stream } = this.#options
    const { signal, deadlineMs } = options
    const limitMs = deadlineMs ?? maxLeases * leaseMs
    const endsAt = timing.now() + limitMs
    const until = deadlineMs === undefined ? undefined : endsAt
    const throwIfAborted = () => {
      const { errorDetail } = stream
      if (signal?.aborted)
        throw new AbortedError({ operation, attempts: 0, mayHaveArrived: false, errorDetail, cause: signal.reason })
    }
    const requestIn = (run: Lease | undefined) => {
      const requestMs = run ? run.requestMs : longestRequestMs(leaseMs)
      const leftMs = Math.min(requestMs ?? 0, Math.floor(endsAt - timing.now()))
      return leftMs < 1 ? undefined : { ...options, deadlineMs: leftMs }
    }
    throwIfAborted()
    return exclusively<StoredRecord, UpdatedRecord>(
      {
        known,
        async read() {
          throwIfAborted()
          return records.read(subject)
        },
        doneIn: async (stored) => ((await isSettled(stored.value)) ? { stored } : undefined),
        // A process that is still creating a session will store it. This one only has to wait and to read again.
        isTaken: async ({ value: { start } }) => start !== null && records.runs.isAlive(start.run),
        attempt: (stored) =>
          leased(
            () => records.runs.begin(),
            (run, begun) => attempt({ stored, run, request: () => requestIn(begun()), until }),
            (done, run) => {
              if (done === undefined || done.stored.value.start?.run === run.holder) return 'release'
              return done.delivering === run ? 'go on' : 'expire'
            },
          ),
        limitMs,
        signal,
        tooLong: () => {
          throw new TimeoutError({
            operation,
            attempts: 0,
            limit: 'deadlineMs',
            limitMs,
            mayHaveArrived: false,
            message: `${operation}: another start of this subject has not ended within ${limitMs} ms, or the store is slow. Try again.`,
          })
        },
      },
      timing,
    )
  }

  async #needsSession(
    record: VerificationRecord,
    renew: RenewOption,
    params: () => Promise<VerificationSessionParams>,
  ): Promise<boolean> {
    const { clock, service } = this.#options
    const session = currentSession(record)
    const { start } = states[verificationState(record)]
    if (session === undefined || start === 'create' || start === 'take_over') return true
    if (session.workflow !== ((await params()).workflow_id ?? null)) return true
    switch (start) {
      case 'resume':
        return isPast(session.expiresAt, clock())
      case 'renew': {
        // The approval may be older than the option, and does not count.
        if (!service.requires.every((type) => includesPassed(session.checks, type))) return true
        if (typeof renew === 'string') return renew === 'always'
        const decidedAt = Date.parse(session.decidedAt ?? '')
        return Number.isNaN(decidedAt) || clock() - decidedAt > renew.olderThanMs
      }
      case 'keep':
        return false
    }
  }

  /**
   * Takes over a start that has not ended, and whose process has failed.
   *
   * @returns the record after that. `undefined` if the record must be read again
   */
  async #takeOver(subject: string, turn: Turn): Promise<UpdatedRecord | undefined> {
    const { service, records, clock } = this.#options
    const { start } = turn.stored.value
    if (start === null) return { stored: turn.stored }
    const run = await turn.run()
    const stored = await records.replace(subject, turn.stored, takeOverStart(run.holder), turn.until)
    const options = turn.request()
    if (stored === undefined || options === undefined) return undefined
    const { sessions: known } = stored.value
    const { at: createdAt, from, sent } = start
    const isKnown = (id: string) => known.some((one) => one.id === id)
    const isRenewal = from === 'approved'
    const expiresAfter = isRenewal ? Date.parse(createdAt) : clock()
    const lost = { subject, sent, isKnown, expiresAfter, mayHaveEnded: isRenewal }
    const found = await findLostSession(service, lost, options)
    service.warn(
      found
        ? `A start had not ended: its session ${found.id} exists and is used`
        : 'A start had not ended: the service lists no session of it',
    )
    if (found)
      return this.#add(found, { createdAt, workflow: sent.workflow, stored }, (add) =>
        records.updateOnly(subject, add, { stored, until: turn.until }),
      )
    // Otherwise an approval would be lost for a renewal that nobody else asks for.
    return from === 'none'
      ? { stored }
      : records.updateOnly(subject, cancelStart(run.holder), { stored, until: turn.until })
  }

  /** The person may have finished an expired session in time, and its webhook may be lost. */
  async #afterExpiry(subject: string, known: UpdatedRecord, turn: Turn): Promise<UpdatedRecord | undefined> {
    const { service, records } = this.#options
    const { stored } = known
    const session = currentSession(stored.value)
    if (states[verificationState(stored.value)].start !== 'resume' || session === undefined) return known
    const options = turn.request()
    if (options === undefined) return undefined
    try {
      const facts = await readFacts(service, session.id, options)
      const updated = await records.updateOnly(subject, applyFacts(session.id, facts, this.#now()), {
        stored,
        until: turn.until,
      })
      return { ...updated, change: updated.change ?? known.change }
    } catch (error) {
      // The service has deleted the session, so it cannot be resumed, and the person needs another one.
      if (isSdkError(error) && error.name === 'NotFoundError') return known
      throw error
    }
  }

  /** @throws {VerificationLimitError} */
  #checkLimit(record: VerificationRecord): void {
    const { limit, clock } = this.#options
    if (limit === undefined) return
    const now = clock()
    const times = attemptTimes(record, { now, ms: limit.perMs })
    const leavesFirst = times[times.length - limit.sessions]
    if (leavesFirst === undefined) return
    throw new VerificationLimitError({ retryAfterMs: Math.ceil(leavesFirst + limit.perMs - now) })
  }

  async #create(
    subject: string,
    { stored, run: begin, request, until }: Turn,
    params: SessionCreateParams,
    { idempotencyKey }: RequestOptions,
  ): Promise<UpdatedRecord | undefined> {
    const { service, records } = this.#options
    const run = await begin()
    // Beginning the run may have taken long. An intent that cannot be followed by a request would only delay the next.
    if (request() === undefined) return undefined
    const createdAt = this.#now()
    const sent = await sentParams(params)
    const intent = await records.replace(subject, stored, beginStart(run.holder, createdAt, sent), until)
    if (intent === undefined) return undefined
    // If that fails, the next start looks for a session that does not exist.
    const cancel = () => records.updateOnly(subject, cancelStart(run.holder), { stored: intent, until }).catch(() => {})
    // The intent is stored, so the call may be sent, unless storing it has taken too much of the run.
    const options = request()
    if (options === undefined) {
      await cancel()
      return undefined
    }
    let created: CreatedSession
    try {
      created = await createOwnSession(service, params, { ...options, idempotencyKey })
    } catch (error) {
      if (isNotExecuted(error)) await cancel()
      else service.warn('It is unknown whether sessions.create created a session. The next start looks for it')
      throw error
    }
    return this.#add(created, { createdAt, workflow: sent.workflow, stored: intent }, (add) =>
      records.update(subject, add, { stored: intent, run, until }),
    )
  }

  /** Adds a session. @param update applies the transition to the record that `stored` was */
  async #add(
    created: CreatedSession,
    { stored, ...start }: { createdAt: string; workflow: string | null; stored: StoredRecord },
    update: (add: Transition) => Promise<UpdatedRecord>,
  ): Promise<UpdatedRecord> {
    const { limit, service } = this.#options
    const keep = Math.max(minKept, limit?.sessions ?? 0)
    const { id: recordId } = stored.value
    const updated = await update(addSession({ ...start, created, recordId, at: this.#now(), keep }))
    if (updated.stored.value.id !== recordId)
      service.warn(`The person was forgotten during a start. Its session ${created.id} is not in the store`)
    return updated
  }

  #now(): string {
    return new Date(this.#options.clock()).toISOString()
  }
}
