import type { CallFacts } from '../errors/call-errors.ts'
import type { ErrorDetail } from '../errors/error-detail.ts'
import { inOperation, withCaller } from '../errors/sdk-error.ts'
import { callHook, type Logger, writeLog, writeRecord } from '../runtime/logger.ts'
import type { Timing } from '../runtime/timing.ts'
import type { FactsOf, RequestEvent } from './call-events.ts'
import { describeFailure, errorType, failureFacts, framesOf } from './failure-text.ts'
import {
  type Observations,
  type ObservedOperation,
  type ObservedResult,
  type ObservedWork,
  startObservation,
} from './instrumentation.ts'
import { loggerOfEnvironment, type ObservationOptions, observationOfProcess } from './observation.ts'

export interface StreamOptions {
  readonly observation: ObservationOptions
  /** Called for each event of a call. */
  readonly onEvent?: ((event: RequestEvent) => void) | undefined
  /** Called with each failure and rejection. */
  readonly onError?: ((error: unknown, context: object) => unknown) | undefined
  /**
   * Whether the caller gets every failure. Then nothing is written without a logger.
   *
   * @default whether there is an `onError`
   */
  readonly isHandled?: boolean
  readonly timing: Pick<Timing, 'now'>
}

/** What failed, and why. */
export interface Failure {
  /** The subject of the record, such as `the callback for verification.approved`. */
  readonly what: string
  readonly error: unknown
  /**
   * Why a request was rejected, if it was. Rejections are written at most once a minute for each reason, because anyone
   * can send such requests.
   */
  readonly reason?: string
}

/** The facts of a call that its events contain. */
interface ObservedCall extends CallFacts {
  readonly id: string
  readonly call: {
    readonly endpoint: {
      readonly method: string
      readonly path: string
      readonly undeclared?: boolean | undefined
    }
  }
}

/** An attempt that is in progress. */
export interface AttemptObservation extends Pick<Observations, 'headers' | 'run'> {
  /** Reports the response. @param requestIdOf called if somebody listens */
  responded(status: number, requestIdOf: () => string | undefined): void
  /** Reports the end. @param error why it failed */
  end(error?: unknown): void
}

const quietMs = 60_000
/** The service can send any number of error codes. Those beyond this number share one limit. */
const maxReasons = 64

/** An attempt that nobody observes. */
const unobserved: AttemptObservation = {
  headers: {},
  run: (work) => work(),
  responded() {},
  end() {},
}

type AsyncMethod = (...args: never[]) => Promise<unknown>

/**
 * What happens in a client, a handler or a manager. `onEvent`, the logger and the instrumentations subscribe to it.
 * What they throw never reaches the work. Failures that no one else learns of are written to `console.error`. A record
 * has the class, the code and the places in the stack of an error, and its message if this package wrote it: other
 * messages may contain personal data.
 */
export class Stream {
  readonly #own: ObservationOptions
  readonly #onEvent: StreamOptions['onEvent']
  readonly #onError: StreamOptions['onError']
  readonly #isHandled: boolean
  readonly #timing: Pick<Timing, 'now'>
  readonly #ofEnvironment: Logger | undefined
  readonly #written = new Map<string, { readonly at: number; suppressed: number }>()

  constructor({ observation, onEvent, onError, isHandled = onError !== undefined, timing }: StreamOptions) {
    this.#own = observation
    this.#onEvent = onEvent
    this.#onError = onError
    this.#isHandled = isHandled
    this.#timing = timing
    this.#ofEnvironment = loggerOfEnvironment()
  }

  // `configure` may be called after this was created, so the default is looked up when something happens.
  get logger(): Logger | undefined {
    return this.#own.logger ?? observationOfProcess().logger ?? this.#ofEnvironment
  }

  get #instrumentation() {
    return this.#own.instrumentation ?? observationOfProcess().instrumentation
  }

  /** Whether errors show what others wrote. `undefined`: as the process says. */
  get errorDetail(): ErrorDetail | undefined {
    return this.#own.errorDetail
  }

  /** Starts an attempt of a call. */
  attempt(state: ObservedCall, origin: string): AttemptObservation {
    // Most clients have no subscriber, and a call must not pay for events that nobody receives.
    const reports = this.#onEvent !== undefined || this.logger !== undefined
    if (!reports && this.#instrumentation === undefined) return unobserved
    const { operation, attempts: attempt } = state
    const { method, path: template, undeclared } = state.call.endpoint
    const path = undeclared ? undefined : template
    const { headers, run, end } = this.#start({ kind: 'attempt', operation, method, path, origin, attempt })
    const startedAt = this.#timing.now()
    let responseStatus: number | undefined
    if (reports) this.report(state, { type: 'request' })
    return {
      headers,
      run,
      responded: (status, requestIdOf) => {
        responseStatus = status
        if (!reports) return
        const requestId = requestIdOf()
        const durationMs = this.#timing.now() - startedAt
        this.report(state, {
          type: 'response',
          status,
          durationMs,
          ...(requestId !== undefined && { requestId }),
        })
      },
      end: (error) => end({ status: responseStatus, error }),
    }
  }

  /** Reports a step of a call. */
  report(state: ObservedCall, facts: FactsOf<RequestEvent>): void {
    const { id: callId, operation, attempts: attempt, idempotencyKey } = state
    const { method, path } = state.call.endpoint
    const { type } = facts
    const key = idempotencyKey === undefined ? {} : { idempotencyKey }
    const event = { callId, operation, method, path, attempt, ...key, ...facts }
    this.callHook('onEvent', () => this.#onEvent?.(event))
    const level = type === 'retry' || type === 'error' ? 'warn' : 'debug'
    if (this.logger) writeRecord(this.logger, level, `${operation} ${type}`, { ...event })
  }

  /**
   * Runs an operation of what is not a client, and reports it.
   *
   * @param resultOf describes what the operation returned
   */
  async observe<Result>(
    work: ObservedOperation,
    run: () => Promise<Result>,
    resultOf: (result: Result) => ObservedResult = () => ({}),
  ): Promise<Result> {
    const named = () =>
      work.kind === 'store'
        ? run()
        : run().catch((error) => {
            throw withCaller(inOperation(error, work.operation))
          })
    if (this.#instrumentation === undefined && this.logger === undefined) return named()
    const startedAt = this.#timing.now()
    const observation = this.#start(work)
    const end = (result: ObservedResult) => {
      observation.end(result)
      this.#recordEnd(work, result, this.#timing.now() - startedAt)
    }
    try {
      const result = await observation.run(named)
      end(resultOf(result))
      return result
    } catch (error) {
      end({ error })
      throw error
    }
  }

  /** Reports a failure of the caller's code, of a store or of the service, or a rejection. @param context for `onError` */
  failed(failure: Failure, context: object = {}): void {
    const { what, error, reason } = failure
    this.callHook('onError', () => this.#onError?.(error, context))
    if (this.#isHandled && this.logger === undefined) return
    if (reason === undefined) this.#write('error', `${what} failed`, failure)
    else this.#writeOnce('warn', `${what} was rejected`, failure, reason)
  }

  /**
   * Calls a hook of the caller, such as `onEvent`. That it threw is written at most once a minute for each hook.
   *
   * @returns what the hook returns, or `undefined` if it fails
   */
  callHook<Result>(what: string, hook: () => Result) {
    return callHook(hook, (error) => this.#hookThrew({ what, error }))
  }

  #hookThrew(failure: Failure): void {
    this.#writeOnce('error', `${failure.what} threw`, failure, failure.what)
  }

  #start(work: ObservedWork): Observations {
    return startObservation(this.#instrumentation ?? [], work, (error) =>
      this.#hookThrew({ what: 'instrumentation', error }),
    )
  }

  #recordEnd(
    { kind, operation }: ObservedOperation,
    { error, outcome = 'succeeded', eventType }: ObservedResult,
    durationMs: number,
  ): void {
    const isHandler = kind === 'webhook' || kind === 'signIn'
    if (error === undefined) {
      const fields = { operation, ...(eventType !== undefined && { eventType }), durationMs }
      // Anyone can start sign-ins, so a started one is recorded at `debug`.
      const level = isHandler && operation !== 'signIn.login' ? 'info' : 'debug'
      writeRecord(this.logger, level, `${operation} ${outcome}`, fields)
      return
    }
    // A handler reports its failures one by one.
    if (isHandler) return
    const type = errorType(error)
    // The failure of a store is reported by what used it too.
    const level = kind === 'store' || isAboutPerson(type) ? 'debug' : 'warn'
    writeRecord(this.logger, level, `${operation} failed`, { operation, error: type, durationMs })
  }

  #writeOnce(level: 'error' | 'warn', message: string, failure: Failure, reason: string): void {
    const now = this.#timing.now()
    // A reason may be text of an attacker. Those beyond the limit share one entry, so that memory stays bounded.
    const key = this.#written.has(reason) || this.#written.size < maxReasons ? reason : ''
    const last = this.#written.get(key)
    if (last && now - last.at < quietMs) {
      last.suppressed++
      return
    }
    this.#written.set(key, { at: now, suppressed: 0 })
    this.#write(level, message, failure, last?.suppressed)
  }

  #write(level: 'error' | 'warn', message: string, { error }: Failure, suppressed = 0): void {
    // A logger may throw.
    callHook(() => {
      const { logger } = this
      const more = suppressed > 0 ? ` (and ${suppressed} more since the last message)` : ''
      const line = `${message}${more}: ${describeFailure(error, this.errorDetail)}`
      // Where a request was rejected is the same place each time.
      const frames = level === 'error' ? framesOf(error) : []
      const { name, ...codes } = failureFacts(error)
      const fields = {
        error: name,
        ...codes,
        ...(suppressed > 0 && { suppressed }),
        ...(frames.length > 0 && { stack: frames.join('\n') }),
      }
      return logger
        ? writeLog(logger, level, line, fields)
        : console.error([`identity-service-sdk: ${line}`, ...frames].join('\n'))
    })
  }
}

/**
 * Makes methods of an object report each call.
 *
 * @param prefix what the operations are named after, such as `verifications`
 */
export function observeMethods<Target extends object>(
  stream: Stream,
  target: Target,
  names: readonly MethodsOf<Target>[],
  kind: ObservedOperation['kind'],
  prefix: string,
): Target {
  for (const name of names) {
    const method = target[name] as AsyncMethod
    const observed: AsyncMethod = (...args) =>
      stream.observe({ kind, operation: `${prefix}.${String(name)}` }, () => method.apply(target, args))
    // As assigned: a `Proxy` may return another function only for a property that could change.
    Object.defineProperty(target, name, { value: observed, configurable: true, writable: true })
  }
  return target
}

type MethodsOf<Target> = {
  [Name in keyof Target]: Target[Name] extends AsyncMethod ? Name : never
}[keyof Target]

/** Whether an error says something about a person, and not about the application or a service. */
const isAboutPerson = (type: string) => type === 'not_verified' || type === 'verification_limit'
