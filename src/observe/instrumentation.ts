import type { Rule } from '../options/rules.ts'
import { callHook } from '../runtime/logger.ts'

/** One attempt of a call: a request and its response. */
export interface ObservedAttempt {
  /** What does the work: a client. */
  readonly kind: 'attempt'
  /** The method that was called, such as `sessions.create`. */
  readonly operation: string
  /** The HTTP method. */
  readonly method: string
  /** The path template. `undefined` if you passed a path to `request` that the contract does not declare. */
  readonly path: string | undefined
  /** The origin of the service, such as `https://api.example.com`. */
  readonly origin: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
}

/** Any other work of the package. */
export interface ObservedOperation {
  /** What does the work: a webhook handler or processor, a sign-in handler, a manager or a store. */
  readonly kind: 'webhook' | 'signIn' | 'tokens' | 'verification' | 'store'
  /**
   * The function that was called, such as `webhooks.handle`, `webhooks.process`, `signIn.callback`,
   * `tokenManager.getAccessToken`, `verifications.start` or `store.get`.
   */
  readonly operation: string
}

/** What an {@link Instrumentation} observes. It contains no id, query, header or body. */
export type ObservedWork = ObservedAttempt | ObservedOperation

/** How observed work ended. */
export interface ObservedResult {
  /** The HTTP status of an attempt, if a response was received. */
  readonly status?: number | undefined
  /** The outcome of a webhook, such as `duplicate`. */
  readonly outcome?: string | undefined
  /** The type of a webhook's event, if it is listed in `webhookEventTypes`. */
  readonly eventType?: string | undefined
  /** Why the work failed. */
  readonly error?: unknown
}

/** The observation of one piece of work. */
export interface Observation {
  /** Headers for an attempt, such as `traceparent`. Headers of the client and of the call win over them. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Runs the work, for example in a context. It must return what the work returns.
   *
   * @default the work is called directly
   *
   * @example
   * const observed = client.withOptions({
   *   instrumentation: { start: () => ({ run: (work) => work(), end: () => {} }) },
   * })
   */
  run?<Result>(work: () => Result): Result
  /**
   * Called once, when the work has ended.
   *
   * @example
   * const observed = client.withOptions({
   *   instrumentation: { start: ({ operation }) => ({ end: ({ status }) => console.log(operation, status) }) },
   * })
   */
  end(result: ObservedResult): void
}

/**
 * Observes the work of clients, webhook handlers, sign-in handlers, managers and stores, for traces and metrics. An
 * error that it throws is logged and has no effect. `openTelemetry()` of `identity-service-sdk/opentelemetry` returns
 * one.
 */
export interface Instrumentation {
  /**
   * Called when work starts.
   *
   * @returns what is called when the work ends; `undefined` if it is not to be observed
   *
   * @example
   * const observed = client.withOptions({
   *   instrumentation: {
   *     start: ({ operation }) => {
   *       const startedAt = performance.now()
   *       return { end: () => console.log(operation, performance.now() - startedAt) }
   *     },
   *   },
   * })
   * await observed.sessions.list()
   */
  start(work: ObservedWork): Observation | undefined
}

/** One instrumentation, or several. */
export type Instrumentations = Instrumentation | readonly Instrumentation[]

export const anInstrumentation: Rule = {
  form: 'have a method start, or be an array of objects that have one',
  allows: (instrumentations) => [instrumentations].flat().every((one) => typeof Object(one).start === 'function'),
}

/** The observations of one piece of work by all instrumentations. */
export type Observations = Required<Observation>

/**
 * Starts the observation of work.
 *
 * @param hookThrew called with what an instrumentation throws
 */
export function startObservation(
  instrumentations: Instrumentations,
  work: ObservedWork,
  hookThrew: (thrown: unknown) => void,
): Observations {
  if ('start' in instrumentations) return startOne(instrumentations, work, hookThrew)
  const started = instrumentations.map((instrumentation) => startOne(instrumentation, work, hookThrew))
  return {
    headers: Object.assign({}, ...started.map(({ headers }) => headers)),
    run: (run) => started.reduce((inner, observation) => () => observation.run(inner), run)(),
    end: (result) => {
      for (const { end } of started) end(result)
    },
  }
}

function startOne(
  instrumentation: Instrumentation,
  work: ObservedWork,
  hookThrew: (thrown: unknown) => void,
): Observations {
  let observation: Observation | undefined
  callHook(() => {
    observation = instrumentation.start(work)
  }, hookThrew)
  const started: Observation = observation ?? { end() {} }
  return {
    headers: started.headers ?? {},
    run: (run) => within(started, run, hookThrew),
    end: (result) => callHook(() => started.end(result), hookThrew),
  }
}

/** Runs work in an observation: once, also if the observation throws. */
function within<Result>(observation: Observation, work: () => Result, hookThrew: (thrown: unknown) => void): Result {
  if (observation.run === undefined) return work()
  let ran: { readonly result: Result } | undefined
  const once = () => {
    ran ??= { result: work() }
    return ran.result
  }
  try {
    observation.run(once)
  } catch (thrown) {
    hookThrew(thrown)
  }
  return once()
}
