import { endedStatuses, outcomes, type SessionStatus } from '../contract/verification/session-status.ts'
import { type Decision, retrieveDecision, retrieveSession } from '../contract/verification/sessions.ts'
import { ApiError } from '../errors/api-errors.ts'
import { AbortedError, badParam, ConnectionError, TimeoutError } from '../errors/call-errors.ts'
import type { OptionNames } from '../errors/option-names.ts'
import { SessionEndedError, WaitTimeoutError } from '../errors/verification-errors.ts'
import type { HttpClient } from '../http/http-client.ts'
import { checkCallOptionNames, durationForm, isDuration } from '../http/params/check-options.ts'

/** Options of `sessions.waitForDecision`. */
export interface WaitOptions {
  /** Pause after the first read, in milliseconds. Later pauses grow to eight times this value. @default 2_000 */
  readonly pollIntervalMs?: number | undefined
  /** Maximum time for the whole wait, in milliseconds. @default 600_000 */
  readonly deadlineMs?: number | undefined
  /**
   * Maximum time for the whole wait, in milliseconds.
   *
   * @default `deadlineMs`
   * @deprecated Use `deadlineMs`, as in the options of every call.
   */
  readonly timeoutMs?: number | undefined
  /** Ends the wait, also during a pause. */
  readonly signal?: AbortSignal | undefined
  /**
   * Called for each status that differs from the previous one. An error that it throws is logged, and has no effect on
   * the wait.
   */
  readonly onStatus?: ((status: SessionStatus) => void) | undefined
  /** Only an outcome ends the wait. @default undefined */
  readonly until?: undefined
}

/** The same, for a wait that also stops at a human review. */
export interface WaitForReviewOptions extends Omit<WaitOptions, 'until'> {
  /** Also stops when the session needs human review. The result then has no outcome yet. */
  readonly until: 'IN_REVIEW'
}

const optionNames = {
  pollIntervalMs: true,
  deadlineMs: true,
  timeoutMs: true,
  signal: true,
  onStatus: true,
  until: true,
} satisfies OptionNames<WaitOptions | WaitForReviewOptions>

const operation = 'sessions.waitForDecision'
const defaultPollIntervalMs = 2_000
const defaultDeadlineMs = 600_000
const growth = 1.5
const longestFactor = 8

export async function waitForDecision(
  http: HttpClient,
  id: string,
  options: WaitOptions | WaitForReviewOptions = {},
): Promise<Decision> {
  checkCallOptionNames(options, operation, optionNames)
  const { pollIntervalMs = defaultPollIntervalMs, signal, onStatus, until } = options
  const limit =
    options.deadlineMs === undefined && options.timeoutMs !== undefined ? 'timeoutMs' : 'deadlineMs'
  const limitMs = options[limit] ?? defaultDeadlineMs
  checkDurations({ pollIntervalMs, [limit]: limitMs })
  const { now, sleep } = http.timing
  const endsAt = now() + limitMs
  let lastStatus: SessionStatus | undefined
  let pauseMs = pollIntervalMs
  let cause: unknown
  let retryAfterMs = 0
  for (;;) {
    const leftMs = Math.ceil(endsAt - now())
    if (leftMs <= 0) throw new WaitTimeoutError({ sessionId: id, timeoutMs: limitMs, lastStatus, cause })
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
      throw new AbortedError({ operation, attempts: 0, mayHaveArrived: false, cause: signal.reason })
    }
    pauseMs = Math.min(pauseMs * growth, pollIntervalMs * longestFactor)
  }

  async function readOnce(deadlineMs: number): Promise<Decision | undefined> {
    const call = { signal, deadlineMs }
    const { status } = await http.send(retrieveSession, { path: { id } }, call)
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

function checkDurations(durations: Readonly<Record<string, number>>): void {
  for (const [path, value] of Object.entries(durations)) {
    if (!isDuration(value)) throw badParam(operation, path, `must be ${durationForm}`)
  }
}
