import { endedStatuses, outcomes, type SessionStatus } from '../contract/verification/session-status.ts'
import { type Decision, retrieveDecision, retrieveSession, sessionProgress } from '../contract/verification/sessions.ts'
import { ApiError } from '../errors/api-errors.ts'
import { AbortedError, ConnectionError, TimeoutError } from '../errors/call-errors.ts'
import { SessionEndedError, WaitTimeoutError } from '../errors/verification-errors.ts'
import { requireShape } from '../http/exchange/required-shape.ts'
import type { HttpClient } from '../http/http-client.ts'
import { type RequestOptions, requestOptionRules } from '../http/params/options.ts'
import { checkCallOptions } from '../http/params/params.ts'
import { aFunction, timeSpan } from '../options/rules.ts'

/**
 * Options of `sessions.waitForDecision`: those of every call, which apply to each request of the wait, and those of the
 * wait itself.
 */
export interface WaitOptions<Until extends 'IN_REVIEW' | undefined = 'IN_REVIEW' | undefined> extends RequestOptions {
  /** Pause after the first read, in milliseconds. Later pauses grow to eight times this value. @default 2_000 */
  readonly pollIntervalMs?: number | undefined
  /** Maximum time for the whole wait, in milliseconds. `timeoutMs` bounds one attempt. @default 600_000 */
  readonly deadlineMs?: number | undefined
  /**
   * Called for each status that differs from the previous one. An error that it throws is logged, and has no effect on
   * the wait.
   */
  readonly onStatus?: ((status: SessionStatus) => void) | undefined
  /**
   * Also stops when the session needs human review. The result then may have no outcome yet.
   *
   * @default undefined: only an outcome ends the wait
   */
  readonly until?: Until
}

const operation = 'sessions.waitForDecision'
const defaultPollIntervalMs = 2_000
const defaultDeadlineMs = 600_000
const growth = 1.5
const longestFactor = 8

export async function waitForDecision(http: HttpClient, id: string, options: WaitOptions = {}): Promise<Decision> {
  checkCallOptions(options, operation, {
    ...requestOptionRules,
    pollIntervalMs: timeSpan,
    onStatus: aFunction,
    until: true,
  })
  const { pollIntervalMs = defaultPollIntervalMs, deadlineMs = defaultDeadlineMs, onStatus, until, ...shared } = options
  const { signal } = shared
  const { now, sleep } = http.timing
  const endsAt = now() + deadlineMs
  let lastStatus: SessionStatus | undefined
  let pauseMs = pollIntervalMs
  let cause: unknown
  let retryAfterMs = 0
  for (;;) {
    const leftMs = Math.ceil(endsAt - now())
    if (leftMs <= 0) throw new WaitTimeoutError({ sessionId: id, timeoutMs: deadlineMs, lastStatus, cause })
    try {
      const decision = await readOnce(leftMs)
      if (decision) return decision
      cause = undefined
      retryAfterMs = 0
    } catch (failure) {
      // A wait of minutes continues after an outage.
      if (!isTransient(failure)) throw failure
      cause = failure
      retryAfterMs = (failure instanceof ApiError && failure.retryAfterMs) || 0
    }
    await sleep(Math.min(Math.max(pauseMs, retryAfterMs), Math.max(0, endsAt - now())), signal)
    if (signal?.aborted) {
      const { errorDetail } = http
      const facts = { operation, attempts: 0, mayHaveArrived: false, errorDetail }
      throw new AbortedError({ ...facts, cause: signal.reason })
    }
    pauseMs = Math.min(pauseMs * growth, pollIntervalMs * longestFactor)
  }

  async function readOnce(leftMs: number): Promise<Decision | undefined> {
    const call = { ...shared, deadlineMs: leftMs }
    const session = await http.send(retrieveSession, { path: { id } }, call)
    const { status } = requireShape(retrieveSession.operation, session, sessionProgress)
    if (status !== lastStatus) {
      lastStatus = status
      http.callHook('onStatus', () => onStatus?.(status))
    }
    const stopsHere = status === until
    if (!stopsHere && !isOneOf(outcomes, status)) {
      if (isOneOf(endedStatuses, status)) throw new SessionEndedError({ sessionId: id, status })
      return undefined
    }
    const decision = await http.send(retrieveDecision, { path: { id } }, call)
    // The decision may appear shortly after the status of the session changes.
    return stopsHere || decision.decision !== null ? decision : undefined
  }
}

const isOneOf = <Status extends string>(list: readonly Status[], status: string): status is Status =>
  list.some((one) => one === status)

const isTransient = (failure: unknown) =>
  failure instanceof ConnectionError ||
  failure instanceof TimeoutError ||
  (failure instanceof ApiError && failure.retryable)
