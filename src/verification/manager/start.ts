import type { SessionCreateParams } from '../../contract/verification/sessions.ts'
import { isSdkError } from '../../errors/any-sdk-error.ts'
import { AbortedError, TimeoutError } from '../../errors/call-errors.ts'
import type { ErrorDetail } from '../../errors/error-detail.ts'
import { VerificationLimitError } from '../../errors/verification-errors.ts'
import type { RequestOptions } from '../../http/params/options.ts'
import { backoffMs, type Timing } from '../../runtime/timing.ts'
import type { RenewOption, VerificationLimit, VerificationSessionParams } from './options.ts'
import { attemptTimes, currentSession, stateOf, type VerificationRecord } from './record.ts'
import type { StoredRecord, UpdatedRecord, VerificationRecords } from './record-store.ts'
import {
  createOwnSession,
  findLostSession,
  isNotCreated,
  isPast,
  readFacts,
  type SessionService,
  sentParams,
} from './session-service.ts'
import { addSession, applyFacts, beginStart, type CreatedSession, cancelStart } from './transitions.ts'

export interface StarterOptions {
  readonly service: SessionService
  readonly records: VerificationRecords
  readonly paramsOf: (subject: string) => Promise<VerificationSessionParams>
  readonly limit: VerificationLimit | undefined
  readonly leaseMs: number
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly timing: Timing
  readonly errorDetail: ErrorDetail | undefined
}

/** What a call of `start` was given. */
export interface StartCall {
  readonly params: Partial<VerificationSessionParams>
  readonly renew: RenewOption
  readonly options: RequestOptions
}

/** The time in which a process holds the lock of a person. */
interface Turn {
  /** The record, as it was read under the lock. */
  readonly stored: StoredRecord
  /** Options for a request that ends before the lock does. `undefined` if too little time is left. */
  request(): RequestOptions | undefined
}

interface LockedWork {
  /** Whether nothing is left to do, so that no lock is needed. */
  readonly isDone: (record: VerificationRecord) => boolean | Promise<boolean>
  /** @returns `undefined` if the record has to be read again */
  readonly run: (turn: Turn) => Promise<StartedRecord | undefined>
}

/** A record, and the change of its state that a start made. */
type StartedRecord = Pick<UpdatedRecord, 'record'> & Partial<UpdatedRecord>

/**
 * Parts of the lease until which a request may start, and must end. The rest is for storing the session. So the requests
 * have ended when the signal of the lock aborts.
 */
const latestRequest = { start: 0.5, end: 0.8 }
/** How many leases a call waits for other processes, which may crash one after the other. */
const maxLeases = 4
/** Sessions of which the record is kept, at least. */
const minKept = 100

const operation = 'verifications.start'

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
  async start(subject: string, { params, renew, options }: StartCall): Promise<StartedRecord> {
    let shared: Promise<VerificationSessionParams> | undefined
    const allParams = async () => {
      shared ??= this.#options.paramsOf(subject)
      return { ...(await shared), ...params, vendor_data: subject }
    }
    const isDone = async (record: VerificationRecord) => !(await this.#needsSession(record, renew, allParams))
    return this.#whileLocked(subject, options, {
      isDone,
      run: async (turn) => {
        const request = turn.request()
        if (request === undefined) return undefined
        const taken = await this.#takeOver(subject, turn.stored, request)
        const stored = await this.#afterExpiry(subject, taken ?? turn.stored, request)
        const change = stored.change ?? taken?.change
        if (await isDone(stored.record)) return { ...stored, change }
        this.#checkLimit(stored.record)
        const started = await this.#create(subject, { ...turn, stored }, await allParams(), options)
        return started && { ...started, change: started.change ?? change }
      },
    })
  }

  /** Adds the session of a start that has not ended, if the service lists one. */
  async adopt(subject: string, options: RequestOptions): Promise<StartedRecord> {
    return this.#whileLocked(subject, options, {
      isDone: ({ start }) => start === null,
      run: async ({ stored, request }) => {
        const limited = request()
        return limited && ((await this.#takeOver(subject, stored, limited)) ?? stored)
      },
    })
  }

  /** Waits for the lock of a person, or until another process has done the work. */
  async #whileLocked(
    subject: string,
    { idempotencyKey: _, ...options }: RequestOptions,
    { isDone, run }: LockedWork,
  ): Promise<StartedRecord> {
    const { records, leaseMs, timing, errorDetail } = this.#options
    const { signal, deadlineMs = maxLeases * leaseMs } = options
    const endsAt = timing.now() + deadlineMs
    for (let round = 1; ; round++) {
      if (signal?.aborted)
        throw new AbortedError({
          operation,
          attempts: 0,
          mayHaveArrived: false,
          errorDetail,
          cause: signal.reason,
        })
      const read = await records.read(subject)
      if (await isDone(read.record)) return read
      const locked = await records.withLock('start', subject, { ttlMs: leaseMs }, async ({ startedAt }) => {
        const request = () => {
          const elapsedMs = timing.now() - startedAt
          const leftMs = Math.min(latestRequest.end * leaseMs - elapsedMs, endsAt - timing.now())
          const isLate = elapsedMs > latestRequest.start * leaseMs || leftMs < 1
          return isLate ? undefined : { ...options, deadlineMs: Math.floor(leftMs) }
        }
        const stored = await records.read(subject)
        return (await isDone(stored.record)) ? stored : run({ stored, request })
      })
      if (locked?.result) return locked.result
      const leftMs = endsAt - timing.now()
      if (leftMs <= 0) throw waitedTooLong(deadlineMs)
      const pauseMs = backoffMs(Math.min(round, 2), 0.1 + 0.4 * timing.random())
      await timing.sleep(Math.min(pauseMs, leftMs), signal)
    }
  }

  async #needsSession(
    record: VerificationRecord,
    renew: RenewOption,
    params: () => Promise<VerificationSessionParams>,
  ): Promise<boolean> {
    const { clock } = this.#options
    const session = currentSession(record)
    const state = stateOf(record)
    if (session === undefined || state === 'starting' || state === 'ended' || state === 'declined')
      return true
    if (session.workflow !== ((await params()).workflow_id ?? null)) return true
    switch (state) {
      case 'open':
        return isPast(session.expiresAt, clock())
      case 'approved': {
        if (typeof renew === 'string') return renew === 'always'
        const decidedAt = Date.parse(session.decidedAt ?? '')
        return Number.isNaN(decidedAt) || clock() - decidedAt > renew.olderThanMs
      }
      default:
        return false
    }
  }

  /**
   * Takes over a start that has not ended. Its process has failed, because otherwise it would hold the lock.
   *
   * @returns `undefined` if the record stays as it is
   */
  async #takeOver(
    subject: string,
    stored: StoredRecord,
    options: RequestOptions,
  ): Promise<UpdatedRecord | undefined> {
    const { service, records, clock } = this.#options
    const { start, sessions: known } = stored.record
    if (start === null) return undefined
    const { run, at: createdAt, from, sent } = start
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
    if (found) return this.#add(subject, found, { createdAt, workflow: sent.workflow, stored })
    // Otherwise an approval would be lost for a renewal that nobody else asks for.
    return from === 'none' ? undefined : records.update(subject, cancelStart(run), stored)
  }

  /** The person may have finished an expired session in time, and its webhook may be lost. */
  async #afterExpiry(
    subject: string,
    stored: StoredRecord & Partial<UpdatedRecord>,
    options: RequestOptions,
  ): Promise<StoredRecord & Partial<UpdatedRecord>> {
    const { service, records } = this.#options
    const session = currentSession(stored.record)
    if (stateOf(stored.record) !== 'open' || session === undefined) return stored
    try {
      const facts = await readFacts(service, session.id, options)
      return await records.update(subject, applyFacts(session.id, facts, this.#now()), stored)
    } catch (error) {
      if (isSdkError(error) && error.name === 'NotFoundError') return stored
      throw error
    }
  }

  /** @throws {VerificationLimitError} */
  #checkLimit(record: VerificationRecord): void {
    const { limit, clock } = this.#options
    if (limit === undefined) return
    const times = attemptTimes(record, clock() - limit.perMs)
    const leavesFirst = times[times.length - limit.sessions]
    if (leavesFirst === undefined) return
    throw new VerificationLimitError({ retryAfterMs: Math.ceil(leavesFirst + limit.perMs - clock()) })
  }

  async #create(
    subject: string,
    { stored, request }: Turn,
    params: SessionCreateParams,
    { idempotencyKey }: RequestOptions,
  ): Promise<UpdatedRecord | undefined> {
    const { service, records } = this.#options
    if (request() === undefined) return undefined
    const run = crypto.randomUUID()
    const createdAt = this.#now()
    const sent = await sentParams(params)
    const intent = await records.replace(subject, stored, beginStart(run, createdAt, sent))
    if (intent === undefined) return undefined
    // If that fails, the next start looks for a session that does not exist.
    const cancel = () => records.update(subject, cancelStart(run), intent).catch(() => {})
    const options = request()
    if (options === undefined) {
      await cancel()
      return undefined
    }
    let created: CreatedSession
    try {
      created = await createOwnSession(service, params, { ...options, idempotencyKey })
    } catch (error) {
      if (isNotCreated(error)) await cancel()
      else
        service.warn('It is unknown whether sessions.create created a session. The next start looks for it')
      throw error
    }
    return this.#add(subject, created, { createdAt, workflow: sent.workflow, stored: intent })
  }

  async #add(
    subject: string,
    created: CreatedSession,
    { stored, ...start }: { createdAt: string; workflow: string | null; stored: StoredRecord },
  ): Promise<UpdatedRecord> {
    const { records, limit, service } = this.#options
    const keep = Math.max(minKept, limit?.sessions ?? 0)
    const recordId = stored.record.id
    const add = addSession({ ...start, created, recordId, at: this.#now(), keep })
    const updated = await records.update(subject, add, stored)
    if (updated.record.id !== recordId)
      service.warn(`The person was forgotten during a start. Its session ${created.id} is not in the store`)
    return updated
  }

  #now(): string {
    return new Date(this.#options.clock()).toISOString()
  }
}

const waitedTooLong = (limitMs: number) =>
  new TimeoutError({
    operation,
    attempts: 0,
    limit: 'deadlineMs',
    limitMs,
    mayHaveArrived: false,
    message: `${operation}: another start of this subject has not ended within ${limitMs} ms, or the store is slow. Try again.`,
  })
