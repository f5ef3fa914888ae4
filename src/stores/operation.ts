import { isSdkError } from '../errors/any-sdk-error.ts'
import { type ErrorDetail, factsOfThrown, howToSee, showsAll } from '../errors/error-detail.ts'
import { StoreError } from '../errors/sdk-error.ts'
import type { Stream } from '../observe/stream.ts'
import { checkMethods, checkOption, kindOf, timeSpan } from '../options/rules.ts'
import { callHook } from '../runtime/logger.ts'
import { backoffMs, realTiming, type Timing } from '../runtime/timing.ts'
import type { Store, StoreLists, StoreTimeLimit } from './store.ts'

export const defaultTimeoutMs = 5_000

const storesWithLimit = new WeakSet<StoreTimeLimit>()

/** Returns the store, of which it is now known that its operations end in time. */
export function withOwnTimeLimit<Limited extends StoreTimeLimit>(store: Limited): Limited {
  storesWithLimit.add(store)
  return store
}

/** Whether the operations of a store end in time without further measures. A copy of a store is another store. */
const hasOwnTimeLimit = (store: StoreTimeLimit) => storesWithLimit.has(store)

export interface StoreOperation {
  /** The subject of error messages, such as `Redis`. */
  readonly engine: string
  /** Its name, such as `get`. */
  readonly operation: string
  /** Whether it may have taken effect if it fails. @default true unless it is a read */
  readonly mayHaveHappened?: boolean
  readonly errorDetail: ErrorDetail | undefined
  /** What to do, by the code or the class of what the driver threw. */
  readonly advice?: Readonly<Record<string, string>> | undefined
}

/** How long an operation may take. */
export interface OperationLimit {
  readonly timeoutMs: number
  readonly timing: Pick<Timing, 'now' | 'timer'>
}

/** What all operations of an engine have in common. */
export type EngineLimit = Omit<StoreOperation, 'operation'> & OperationLimit

const reads: ReadonlySet<string> = new Set(['get', 'scan', 'lists.range', 'lists.count'])

const mayHappen = ({ operation, mayHaveHappened = !reads.has(operation) }: StoreOperation) => mayHaveHappened

/**
 * Runs an operation. If it takes longer than its limit, it rejects, and what comes of it later is ignored.
 *
 * @param start is passed a signal that aborts when the time is over
 */
export function withTimeLimit<T>(
  start: (signal: AbortSignal) => Promise<T>,
  operation: StoreOperation & OperationLimit,
): Promise<T> {
  const { timeoutMs, timing } = operation
  const controller = new AbortController()
  return new Promise((resolve, reject) => {
    const expire = () => {
      const message = `${operation.engine} did not respond to ${operation.operation} within ${timeoutMs} ms (operationTimeoutMs)`
      reject(new StoreError({ message, mayHaveHappened: mayHappen(operation) }))
      controller.abort()
    }
    const cancelTimer = timing.timer(expire, timeoutMs)
    start(controller.signal).then(resolve, reject).finally(cancelTimer)
  })
}

/**
 * Runs an operation within its time limit.
 *
 * @param start is passed a signal that aborts when the time is over
 * @throws {StoreError} it failed, or took too long
 */
export async function runOperation<T>(
  start: (signal: AbortSignal) => Promise<T>,
  operation: StoreOperation & OperationLimit,
): Promise<T> {
  try {
    return await withTimeLimit(start, operation)
  } catch (thrown) {
    throw driverError(thrown, operation)
  }
}

/**
 * Creates the `StoreError` for what a driver threw. It shows no word of the driver, because drivers put the parameters,
 * the row, the statement and the address into their errors.
 */
function driverError(thrown: unknown, failed: StoreOperation): Error {
  if (isSdkError(thrown)) return thrown
  const { engine, operation, errorDetail, advice = {} } = failed
  const { name, code = engine === 'Redis' ? redisCode(thrown) : undefined } = factsOfThrown(thrown)
  const { message, severity } = Object(thrown) as { readonly message?: unknown; readonly severity?: unknown }
  const why = showsAll(errorDetail) ? message : `for the message of the driver, ${howToSee('original')}`
  const kind = code ?? name
  const next = Object.hasOwn(advice, kind) ? `. ${advice[kind]}` : ''
  return new StoreError({
    message: `${engine} failed at ${operation}${kind === 'Error' ? '' : ` (${kind})`}: ${why}${next}`,
    cause: thrown,
    // Postgres undoes a statement that ends in an error. The same is not known of Redis, whose clients may send a command
    // twice, and report what the second one ended in.
    mayHaveHappened: mayHappen(failed) && severity !== 'ERROR',
    errorDetail,
  })
}

/** The protocol of Redis starts an error with its code: "WRONGTYPE Operation against a key...". */
export const redisCode = (thrown: unknown) =>
  /^[A-Z]{3,20}(?= )/.exec(String((Object(thrown) as { message?: unknown }).message))?.[0]

/** The code that a driver gave, such as an SQLSTATE. */
export const driverCode = (thrown: unknown): unknown => (Object(thrown) as { code?: unknown }).code

const maxAttempts = 3

/**
 * Runs a write that must not be lost because the store fails briefly, up to three times.
 *
 * @param write must recognize what an earlier attempt wrote, because its response may have been lost:
 *   `(await store.compareAndSet(key, old, next)) || (await store.get(key)) === next`
 * @param until when the caller's time is over, by the monotonic clock: no other attempt begins then
 * @throws the error of the last attempt
 */
export async function persist<T>(
  write: () => Promise<T>,
  timing: Pick<Timing, 'now' | 'sleep' | 'random'>,
  until = Number.POSITIVE_INFINITY,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if (attempt === maxAttempts || timing.now() >= until) throw error
      await timing.sleep(backoffMs(1, timing.random()), undefined)
    }
  }
}

interface GuardOptions {
  readonly timing?: Pick<Timing, 'now' | 'timer'>
  /** Reports the operations, apart from iterations. @default they are not reported */
  readonly stream?: Stream | undefined
}

/**
 * Wraps a store so that every operation ends in time, and every failure is a `StoreError`. A custom store may throw any
 * value, also synchronously, or never respond.
 *
 * @param owner what takes the store: a class or a function
 * @param name the subject of error messages, such as `the store of tokens`
 * @throws {ConfigurationError} the store is missing, lacks an operation, or has an invalid `operationTimeoutMs`
 */
export function guardedStore(
  owner: string,
  store: Store,
  name: string,
  { timing = realTiming, stream }: GuardOptions = {},
): Store {
  checkMethods(owner, 'store', store, operations, 'a Store, such as memoryStore() or redisStore(client)')
  const { operationTimeoutMs = defaultTimeoutMs } = store
  checkOption(owner, 'store: operationTimeoutMs', operationTimeoutMs, timeSpan)
  const facts = { engine: name, timeoutMs: operationTimeoutMs, timing, errorDetail: stream?.errorDetail }

  // Asynchronous, because a custom store may also throw synchronously.
  const limit = <T>(operation: string, call: () => Promise<T>): Promise<T> =>
    hasOwnTimeLimit(store)
      ? call()
      : runOperation(async () => checkResult(await call(), { ...facts, operation }), { ...facts, operation })

  const guard = <T>(operation: string, call: () => Promise<T>): Promise<T> =>
    stream
      ? stream.observe({ kind: 'store', operation: `store.${operation}` }, () => limit(operation, call))
      : limit(operation, call)

  async function* limited<T>(operation: string, start: () => AsyncIterable<T>): AsyncGenerator<T> {
    let items: AsyncIterator<T> | undefined
    const next = () => {
      items ??= start()[Symbol.asyncIterator]()
      return items.next()
    }
    try {
      for (;;) {
        const { done, value } = await limit(operation, next)
        if (done === true) return
        yield value
      }
    } finally {
      // Without waiting, because a scan that does not respond does not end either.
      callHook(() => items?.return?.())
    }
  }

  const guardLists = (lists: StoreLists): StoreLists => ({
    replace: (key, from, to) => guard('lists.replace', () => lists.replace(key, from, to)),
    range: (list, options) => limited('lists.range', () => lists.range(list, options)),
    count: (list) => guard('lists.count', () => lists.count(list)),
  })

  const { scan, lists } = store
  return {
    get: (key) => guard('get', () => store.get(key)),
    set: (key, value, options) => guard('set', () => store.set(key, value, options)),
    compareAndSet: (key, expected, value, options) =>
      guard('compareAndSet', () => store.compareAndSet(key, expected, value, options)),
    take: (key) => guard('take', () => store.take(key)),
    delete: (key) => guard('delete', () => store.delete(key)),
    compareAndDelete: (key, expected) => guard('compareAndDelete', () => store.compareAndDelete(key, expected)),
    ...(scan && { scan: (prefix) => limited('scan', () => scan.call(store, prefix)) }),
    ...(lists && { lists: guardLists(lists) }),
  }
}

const isText = (value: unknown) => value === null || typeof value === 'string'
/** What the iterator of a store returns: its end, or a key. */
const isStep = (step: unknown, keyOf: (item: unknown) => unknown = (item) => item) =>
  Object(step).done === true || typeof keyOf(Object(step).value) === 'string'

/** What operations return: its form, and whether a value has it. Those that are not listed return true or false. */
const results: Readonly<Record<string, readonly [form: string, allows: (value: unknown) => boolean]>> = {
  get: ['a string or null', isText],
  take: ['a string or null', isText],
  scan: ['strings', (step) => isStep(step)],
  'lists.range': ['entries with a key', (step) => isStep(step, (entry) => Object(entry).key)],
  'lists.count': ['a number', (value) => typeof value === 'number'],
}

/** Rejects what a custom store must not return: everything that reads it relies on the type. */
function checkResult<T>(result: T, failed: StoreOperation): T {
  const { engine, operation } = failed
  const [form, allows] = results[operation] ?? ['true or false', (value: unknown) => typeof value === 'boolean']
  if (allows(result)) return result
  throw new StoreError({
    message: `${engine} returned ${kindOf(result)} from ${operation}, and must return ${form}. testStore of identity-service-sdk/stores/testing checks a store`,
    mayHaveHappened: mayHappen(failed),
  })
}

const operations = [
  'get',
  'set',
  'compareAndSet',
  'take',
  'delete',
  'compareAndDelete',
] as const satisfies (keyof Store)[]

/**
 * Returns a lifetime in whole milliseconds, or `undefined` if the value does not expire. Fractions are rounded up, so
 * that nothing expires early. A negative lifetime becomes 0. A lifetime above `Number.MAX_SAFE_INTEGER` counts as no
 * expiry, because engines cannot count that far.
 */
export function ttl(ttlMs: number | undefined): number | undefined {
  if (ttlMs === undefined) return undefined
  if (typeof ttlMs !== 'number' || Number.isNaN(ttlMs)) throw new StoreError({ message: 'ttlMs must be a number' })
  return ttlMs > Number.MAX_SAFE_INTEGER ? undefined : Math.max(0, Math.ceil(ttlMs))
}
