import type { Logger } from '../runtime/logger.ts'
import { realTiming, type Timing, timing } from '../runtime/timing.ts'
import { factsOfThrown } from './error-detail.ts'
import { FailureLog } from './failure-log.ts'
import {
  type Instrumentations,
  type ObservedOperation,
  type ObservedResult,
  startObservation,
} from './instrumentation.ts'
import { hasBrand, inOperation } from './sdk-error.ts'

export interface ObserversOptions {
  readonly instrumentation?: Instrumentations | undefined
  /** Receives a record of each operation: `debug` if it succeeded, or if a person is not verified, `warn` if it failed. */
  readonly logger?: Logger | undefined
  readonly [timing]?: Partial<Timing>
}

type Method = (...args: never[]) => Promise<unknown>

/** The instrumentations and the logger of what is not a client. */
export class Observers {
  readonly #instrumentation: Instrumentations
  readonly #log: FailureLog
  readonly #timing: Pick<Timing, 'now'>
  readonly #areNone: boolean

  constructor(options: ObserversOptions) {
    const { instrumentation, logger } = options
    this.#areNone = instrumentation === undefined && logger === undefined
    this.#instrumentation = instrumentation ?? []
    this.#timing = { ...realTiming, ...options[timing] }
    this.#log = new FailureLog({ logger, timing: this.#timing })
  }

  /**
   * Runs an operation, and reports it.
   *
   * @param resultOf describes what the operation returned
   */
  async observe<Result>(
    work: ObservedOperation,
    run: () => Promise<Result>,
    resultOf: (result: Result) => ObservedResult = () => ({}),
  ): Promise<Result> {
    const named = () =>
      run().catch((error) => {
        throw work.kind === 'store' ? error : inOperation(error, work.operation)
      })
    if (this.#areNone) return named()
    const startedAt = this.#timing.now()
    const observation = startObservation(this.#instrumentation, work, (error) =>
      this.#log.hookThrew({ what: 'instrumentation', error }),
    )
    const end = (result: ObservedResult) => {
      observation.end(result)
      this.#record(work.operation, result, this.#timing.now() - startedAt)
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

  #record(operation: string, { error }: ObservedResult, durationMs: number): void {
    if (error === undefined) {
      this.#log.record('debug', `${operation} succeeded`, { operation, durationMs })
      return
    }
    const type = errorType(error)
    this.#log.record(isOutcome(type) ? 'debug' : 'warn', `${operation} failed`, {
      operation,
      error: type,
      durationMs,
    })
  }

  /**
   * Makes methods of an object report each call, and name themselves in the errors of a store.
   *
   * @param prefix what the operations are named after, such as `store`
   */
  observeMethods<Target extends object>(
    target: Target,
    names: readonly MethodsOf<Target>[],
    kind: ObservedOperation['kind'],
    prefix: string,
  ): Target {
    if (this.#areNone && kind === 'store') return target
    for (const name of names) {
      const method = target[name] as Method
      const observed: Method = (...args) =>
        this.observe({ kind, operation: `${prefix}.${String(name)}` }, () => method.apply(target, args))
      // As assigned: a `Proxy` may return another function only for a property that could change.
      Object.defineProperty(target, name, { value: observed, configurable: true, writable: true })
    }
    return target
  }
}

type MethodsOf<Target> = {
  [Name in keyof Target]: Target[Name] extends Method ? Name : never
}[keyof Target]

/** Whether an error says something about a person, and not about the application or a service. */
const isOutcome = (type: string) => type === 'not_verified' || type === 'verification_limit'

/** The code of an error of this package, and the code or the class of any other. None of them is a value. */
export const errorType = (error: unknown): string => {
  if (hasBrand(error)) return String((error as { readonly code?: unknown }).code)
  const { code, name } = factsOfThrown(error)
  return code ?? name
}
