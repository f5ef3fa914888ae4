import type { CallFacts } from '../errors/call-errors.ts'
import type { SdkError } from '../errors/sdk-error.ts'
import { callHook } from '../runtime/call-hook.ts'

/** Where log records go: `console` and winston fit as they are; pino takes the fields first, so turn the two around. */
export interface Logger {
  /** Attempts and answers. */
  debug(message: string, fields?: Record<string, unknown>): void
  /** Not used so far. */
  info(message: string, fields?: Record<string, unknown>): void
  /** Retries, failures, and answers of another shape than documented. */
  warn(message: string, fields?: Record<string, unknown>): void
  /** A hook of yours that threw. */
  error(message: string, fields?: Record<string, unknown>): void
}

/** One step of a call. Holds no body, no header value and no id from a path. */
export interface RequestEvent {
  /**
   * `request`: an attempt begins; `response`: it was answered; `retry`: another follows after `delayMs`;
   * `error`: the call failed for good.
   */
  readonly type: 'request' | 'response' | 'retry' | 'error'
  /**
   * The same for all events of one request and its repeats, and of no other in any process. A method that makes
   * several requests, such as `waitForDecision` or `addAll`, has one for each.
   */
  readonly callId: string
  /** The method called, such as `sessions.create`. */
  readonly operation: string
  /** The HTTP method. */
  readonly method: string
  /** The path template. */
  readonly path: string
  /** Counts from 1. */
  readonly attempt: number
  /** Of the answer, where there is one. */
  readonly status?: number
  /** Names the request in the service's logs. */
  readonly requestId?: string
  /** Of the attempt (`response`), or of the whole call (`error`), in milliseconds. */
  readonly durationMs?: number
  /** Before the next attempt, in milliseconds. */
  readonly delayMs?: number
  /** Why the attempt or the call failed. */
  readonly error?: SdkError
  /** The same for all attempts of a call. */
  readonly idempotencyKey?: string
}

/** What an event contains of its call. */
interface ReportedCall extends CallFacts {
  readonly id: string
  readonly call: { readonly endpoint: { readonly method: string; readonly path: string } }
}

/** Tells the caller's hooks what happens, and keeps what they throw from reaching the call. */
export class Reporter {
  readonly #logger: Logger | undefined
  readonly #onEvent: ((event: RequestEvent) => void) | undefined
  readonly #warned = new Set<string>()
  /** Whether anybody listens: where nobody does, no event is built. */
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

  /** Says once an operation that its answers are not as documented. */
  warnOnce(operation: string, fields: Record<string, unknown>): void {
    if (this.#warned.has(operation)) return
    this.#warned.add(operation)
    this.#log('warn', `${operation} answered in another shape than documented`, { operation, ...fields })
  }

  #log(level: keyof Logger, message: string, fields: Record<string, unknown>): void {
    callHook(() => this.#logger?.[level](message, fields))
  }
}

const nameOf = (thrown: unknown) => (thrown instanceof Error ? thrown.name : typeof thrown)
