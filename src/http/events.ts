import type { AnySdkError } from '../errors/any-sdk-error.ts'
import type { CallFacts } from '../errors/call-errors.ts'
import type { ErrorDetail } from '../errors/error-detail.ts'
import { FailureLog } from '../errors/failure-log.ts'
import { callHook, type Logger, writeLog } from '../runtime/logger.ts'
import type { Timing } from '../runtime/timing.ts'

/** What every event of a call says. It contains no body, no header value and no id from a path. */
export interface CallEvent {
  /**
   * Identifies one request and its retries, across all processes. A method that makes several requests, such as
   * `waitForDecision` or `addAll`, has one id for each.
   */
  readonly callId: string
  /** The method that was called, such as `sessions.create`. */
  readonly operation: string
  /** The HTTP method. */
  readonly method: string
  /** The path template. */
  readonly path: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The idempotency key, if the call has one. It is the same for all attempts. */
  readonly idempotencyKey?: string
  /** The HTTP status. Only responses have it. */
  readonly status?: number
  /** Identifies the request in the service's logs. Only responses have it. */
  readonly requestId?: string
  /** How long an attempt or the call took, in milliseconds. Missing when an attempt starts or another one follows. */
  readonly durationMs?: number
  /** The wait before the next attempt, in milliseconds. Missing unless another attempt follows. */
  readonly delayMs?: number
  /** Why an attempt or the call failed. */
  readonly error?: AnySdkError
}

/** An attempt starts. */
export interface AttemptStarted extends CallEvent {
  /** An attempt starts. */
  readonly type: 'request'
}

/** The response of an attempt was received, with any status. */
export interface ResponseReceived extends CallEvent {
  /** A response was received. */
  readonly type: 'response'
  /** The HTTP status. */
  readonly status: number
  /** Identifies the request in the service's logs. */
  readonly requestId?: string
  /** How long the attempt took, in milliseconds. */
  readonly durationMs: number
}

/** An attempt failed, and another one follows. */
export interface RetryScheduled extends CallEvent {
  /** Another attempt follows. */
  readonly type: 'retry'
  /** The wait before the next attempt, in milliseconds. */
  readonly delayMs: number
  /** Why the attempt failed. */
  readonly error: AnySdkError
}

/** The call failed, and no attempt follows. */
export interface CallFailed extends CallEvent {
  /** The call failed. */
  readonly type: 'error'
  /** The error that the caller gets. */
  readonly error: AnySdkError
  /** How long the whole call took, in milliseconds. */
  readonly durationMs: number
}

/** One step of a call: a union discriminated by `type`. */
export type RequestEvent = AttemptStarted | ResponseReceived | RetryScheduled | CallFailed

type FactsOfCall = 'callId' | 'operation' | 'method' | 'path' | 'attempt' | 'idempotencyKey'

/** The additional fields of the events of one type. */
type FactsOf<Event> = Event extends RequestEvent ? Omit<Event, FactsOfCall> : never

/** The facts of a call that its events contain. */
interface ReportedCall extends CallFacts {
  readonly id: string
  readonly call: { readonly endpoint: { readonly method: string; readonly path: string } }
}

/** The hooks of a client. */
interface Hooks {
  readonly logger?: Logger | undefined
  readonly onEvent?: ((event: RequestEvent) => void) | undefined
  readonly errorDetail?: ErrorDetail | undefined
}

/** Reports events to the caller's hooks. What a hook throws never reaches the call. */
export class Reporter {
  readonly #logger: Logger | undefined
  readonly #onEvent: ((event: RequestEvent) => void) | undefined
  readonly #failures: FailureLog
  readonly #warned: Set<string>
  /** False if there is no hook, so that no event needs to be built. */
  readonly enabled: boolean

  /** @param warned the operations for which {@link warnOnce} has warned */
  constructor({ logger, onEvent, errorDetail }: Hooks, timing: Pick<Timing, 'now'>, warned: Set<string>) {
    this.#logger = logger
    this.#warned = warned
    this.#onEvent = onEvent
    this.#failures = new FailureLog({ logger, onError: undefined, errorDetail, timing })
    this.enabled = logger !== undefined || onEvent !== undefined
  }

  report(state: ReportedCall, facts: FactsOf<RequestEvent>): void {
    const { id: callId, operation, attempts: attempt, idempotencyKey } = state
    const { method, path } = state.call.endpoint
    const { type } = facts
    const event = {
      callId,
      operation,
      method,
      path,
      attempt,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...facts,
    }
    callHook(
      () => this.#onEvent?.(event),
      (thrown) => this.hookThrew('onEvent', thrown),
    )
    if (this.#logger === undefined) return
    const level = type === 'retry' || type === 'error' ? 'warn' : 'debug'
    this.#log(level, `${operation} ${type}`, { ...event })
  }

  /** Logs that a hook of the caller threw. */
  hookThrew(name: string, error: unknown): void {
    this.#failures.hookThrew({ what: name, error })
  }

  /** Warns that responses are not as documented, once for each operation. */
  warnOnce(operation: string, fields: Record<string, unknown>): void {
    if (this.#warned.has(operation)) return
    this.#warned.add(operation)
    this.#log('warn', `${operation}: the response is not as documented`, { operation, ...fields })
  }

  #log(level: keyof Logger, message: string, fields: Record<string, unknown>): void {
    callHook(() => this.#logger && writeLog(this.#logger, level, message, fields))
  }
}
