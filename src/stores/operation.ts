import { isSdkError } from '../errors/any-sdk-error.ts'
import { defaultErrorDetail, type ErrorDetail, factsOfThrown, howToSee } from '../errors/error-detail.ts'
import { StoreError } from '../errors/sdk-error.ts'
import { backoffMs, type Timing } from '../runtime/timing.ts'

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

export const defaultTimeoutMs = 5_000

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

/** An operation of a store. */
export interface StoreOperation {
  /** The subject of error messages, such as `Redis`. */
  readonly engine: string
  /** Its name, such as `get`. */
  readonly operation: string
  /** Without it, the operation ends in time by itself. */
  readonly timeoutMs: number | undefined
  readonly timing: Pick<Timing, 'timer'>
  /** Whether it may have taken effect if it fails. @default true unless it is a read */
  readonly mayHaveHappened?: boolean
  readonly errorDetail: ErrorDetail | undefined
}

/**
 * Runs an operation within its time limit.
 *
 * @param start is passed a signal that aborts when the time is over
 * @throws {StoreError} it failed, or took too long
 */
export async function runOperation<T>(
  start: (signal: AbortSignal) => Promise<T>,
  {
    engine,
    operation,
    timeoutMs,
    timing,
    mayHaveHappened = operation !== 'get' && operation !== 'scan',
    errorDetail,
  }: StoreOperation,
): Promise<T> {
  try {
    return await withTimeLimit(start, { engine, operation, mayHaveHappened, timeoutMs, timing })
  } catch (thrown) {
    throw driverError(thrown, { engine, operation, mayHaveHappened, errorDetail })
  }
}

/** An operation of a store that failed. */
export interface FailedOperation {
  /** The subject of the error's message, such as `Redis`. */
  readonly engine: string
  readonly operation: string
  readonly mayHaveHappened: boolean
  readonly errorDetail: ErrorDetail | undefined
}

/**
 * Creates the `StoreError` for what a driver threw. It shows no word of the driver, because drivers put the parameters,
 * the row, the statement and the address into their errors.
 */
export function driverError(
  thrown: unknown,
  { engine, operation, mayHaveHappened, errorDetail = defaultErrorDetail() }: FailedOperation,
): Error {
  if (isSdkError(thrown)) return thrown
  const { name, code = engine === 'Redis' ? redisCode(thrown) : undefined } = factsOfThrown(thrown)
  const { message } = Object(thrown) as { readonly message?: unknown }
  const why = errorDetail === 'full' ? message : `for the message of the driver, ${howToSee('original')}`
  const kind = code ?? name
  return new StoreError({
    message: `${engine} failed at ${operation}${kind === 'Error' ? '' : ` (${kind})`}: ${why}`,
    cause: thrown,
    mayHaveHappened,
    errorDetail,
  })
}

/** The protocol of Redis starts an error with its code: "WRONGTYPE Operation against a key...". */
const redisCode = (thrown: unknown) =>
  /^[A-Z]{3,20}(?= )/.exec(String((Object(thrown) as { message?: unknown }).message))?.[0]

/** The code that a driver gave, such as an SQLSTATE. */
export const driverCode = (thrown: unknown): unknown => (Object(thrown) as { code?: unknown }).code

const maxAttempts = 3

/**
 * Runs a write that must not be lost because the store fails briefly, up to three times.
 *
 * @param write must recognize what an earlier attempt wrote, because its response may have been lost:
 *   `(await store.compareAndSet(key, old, next)) || (await store.get(key)) === next`
 * @throws the error of the last attempt
 */
export async function persist<T>(
  write: () => Promise<T>,
  timing: Pick<Timing, 'sleep' | 'random'>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if (attempt === maxAttempts) throw error
      await timing.sleep(backoffMs(1, timing.random()), undefined)
    }
  }
}
