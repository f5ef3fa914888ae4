import { ConfigurationError, StoreError } from '../errors/sdk-error.ts'
import { longestTimerMs, type Timing } from '../runtime/timing.ts'

/** How long the operations of a store may take. */
export interface StoreTimeLimit {
  /**
   * How long an operation may take, in milliseconds, 1 to 2,147,483,647. After that it rejects with `StoreError`. A
   * write may still take effect, so `mayHaveHappened` is then true.
   *
   * @default 5_000
   */
  readonly operationTimeoutMs?: number | undefined
}

const defaultTimeoutMs = 5_000

/**
 * @param owner where the limit is set, such as `redisStore`
 * @throws {ConfigurationError} it is not a duration
 */
export function readTimeLimit(
  owner: string,
  { operationTimeoutMs = defaultTimeoutMs }: StoreTimeLimit,
): number {
  const isValid =
    Number.isSafeInteger(operationTimeoutMs) && operationTimeoutMs > 0 && operationTimeoutMs <= longestTimerMs
  if (isValid) return operationTimeoutMs
  throw new ConfigurationError({
    message: `${owner}: operationTimeoutMs must be a whole number of milliseconds from 1 to ${longestTimerMs}`,
  })
}

/** An operation that has a time limit. */
export interface LimitedOperation {
  /** The subject of the error's message, such as `Redis`. */
  readonly engine: string
  readonly operation: string
  readonly timeoutMs: number
  readonly timing: Pick<Timing, 'timer'>
  /** Whether the operation may have taken effect when the time is over. It is called once, then. */
  mayHaveHappened(): boolean
}

/** Runs an operation. If it takes longer than its limit, it rejects, and what comes of it later is ignored. */
export function withTimeLimit<T>(
  run: () => Promise<T>,
  { engine, operation, timeoutMs, timing, mayHaveHappened }: LimitedOperation,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = () =>
      reject(
        new StoreError({
          message: `${engine} did not respond to ${operation} within ${timeoutMs} ms (operationTimeoutMs)`,
          mayHaveHappened: mayHaveHappened(),
        }),
      )
    const cancelTimer = timing.timer(expire, timeoutMs)
    const end = <Result>(settle: (result: Result) => void) => {
      return (result: Result) => {
        cancelTimer()
        settle(result)
      }
    }
    run().then(end(resolve), end(reject))
  })
}
