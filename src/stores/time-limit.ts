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

const storesWithLimit = new WeakSet<StoreTimeLimit>()

/** Returns the store, of which it is now known that its operations end in time. */
export function limitingItself<Limited extends StoreTimeLimit>(store: Limited): Limited {
  storesWithLimit.add(store)
  return store
}

/** Whether the operations of a store end in time without further measures. A copy of a store is another store. */
export const limitsItself = (store: StoreTimeLimit) => storesWithLimit.has(store)

/** An operation that has a time limit. */
export interface LimitedOperation {
  /** The subject of the error's message, such as `Redis`. */
  readonly engine: string
  readonly operation: string
  /** Without it, there is no limit. */
  readonly timeoutMs: number | undefined
  readonly timing: Pick<Timing, 'timer'>
  /** Whether the operation may have taken effect when its time is over. */
  readonly mayHaveHappened: boolean
}

/**
 * Runs an operation. If it takes longer than its limit, it rejects, and what comes of it later is ignored.
 *
 * @param start is passed a signal that aborts when the time is over
 */
export function withTimeLimit<T>(
  start: (signal: AbortSignal) => Promise<T>,
  { engine, operation, timeoutMs, timing, mayHaveHappened }: LimitedOperation,
): Promise<T> {
  const controller = new AbortController()
  if (timeoutMs === undefined) return start(controller.signal)
  return new Promise((resolve, reject) => {
    const expire = () => {
      const message = `${engine} did not respond to ${operation} within ${timeoutMs} ms (operationTimeoutMs)`
      reject(new StoreError({ message, mayHaveHappened }))
      controller.abort()
    }
    const cancelTimer = timing.timer(expire, timeoutMs)
    start(controller.signal).then(resolve, reject).finally(cancelTimer)
  })
}
