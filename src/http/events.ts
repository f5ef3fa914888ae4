import type { CallFacts } from '../errors/call-errors.ts'
import type { SdkError } from '../errors/sdk-error.ts'
import { callHook } from '../runtime/call-hook.ts'

/** Receives log records. `console` and winston work as they are. pino takes the fields first, so swap the arguments. */
export interface Logger {
  /** Attempts and responses. */
  debug(message: string, fields?: Record<string, unknown>): void
  /** Not used yet. */
  info(message: string, fields?: Record<string, unknown>): void
  /** Retries, failed calls, and responses that are not as documented. */
  warn(message: string, fields?: Record<string, unknown>): void
  /** Errors that your `onEvent` threw. */
  error(message: string, fields?: Record<string, unknown>): void
}

/** One step of a call. It contains no body, no header value and no id from a path. */
export interface RequestEvent {
  /**
   * `request`: an attempt starts. `response`: its response was received. `retry`: another attempt follows after
   * `delayMs`. `error`: the call failed, and no attempt follows.
   */
  readonly type: 'request' | 'response' | 'retry' | 'error'
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
  /** The HTTP status, if a response was received. */
  readonly status?: number
  /** Identifies the request in the service's logs. */
  readonly requestId?: string
  /** How long the attempt (`response`) or the whole call (`error`) took, in milliseconds. */
  readonly durationMs?: number
  /** The wait before the next attempt, in milliseconds. */
  readonly delayMs?: number
  /** Why the attempt or the call failed. */
  readonly error?: SdkError
  /** The idempotency key, if the call has one. It is the same for all attempts. */
  readonly idempotencyKey?: string
}

/** The facts of a call that its events contain. */
interface ReportedCall extends CallFacts {
  readonly id: string
  readonly call: { readonly endpoint: { readonly method: string; readonly path: string } }
}

/** Reports events to the caller's hooks. What a hook throws never reaches the call. */
export class Reporter {
  readonly #logger: Logger | undefined
  readonly #onEvent: ((event: RequestEvent) => void) | undefined
  readonly #warned = new Set<string>()
  /** False if there is no hook, so that no event needs to be built. */
  readonly enabled: boolean

  constructor(logger: Logger | undefined, onEvent: ((event: RequestEvent) => void) | undefined) {
    this.#logger = logger
    this.#onEvent = onEvent
    this.enabled = logger !== undefined || onEvent !== undefined
  }

  report(
    state: ReportedCall,
    type: RequestEvent['type'],
    facts: Pick<RequestEvent, 'status' | 'requestId' | 'durationMs' | 'delayMs' | 'error'> = {},
  ): void {
    const { id: callId, operation, attempts: attempt, idempotencyKey } = state
    const { method, path } = state.call.endpoint
    const event: RequestEvent = {
      type,
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
      (thrown) => this.#log('error', 'onEvent threw', { operation, thrown: nameOf(thrown) }),
    )
    if (this.#logger === undefined) return
    const level = type === 'retry' || type === 'error' ? 'warn' : 'debug'
    this.#log(level, `${operation} ${type}`, { ...event })
  }

  /** Warns that responses are not as documented, once for each operation. */
  warnOnce(operation: string, fields: Record<string, unknown>): void {
    if (this.#warned.has(operation)) return
    this.#warned.add(operation)
    this.#log('warn', `${operation}: the response is not as documented`, { operation, ...fields })
  }

  #log(level: keyof Logger, message: string, fields: Record<string, unknown>): void {
    callHook(() => this.#logger?.[level](message, fields))
  }
}

const nameOf = (thrown: unknown) => (thrown instanceof Error ? thrown.name : typeof thrown)
