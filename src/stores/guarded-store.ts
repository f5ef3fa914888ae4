import type { ErrorDetail } from '../errors/error-detail.ts'
import { checkMethods, checkOption, timeSpan } from '../errors/options.ts'
import { callHook } from '../runtime/logger.ts'
import { realTiming, type Timing } from '../runtime/timing.ts'
import { defaultTimeoutMs, limitsItself, runOperation } from './operation.ts'
import type { Store } from './store.ts'

interface GuardOptions {
  readonly timing?: Pick<Timing, 'timer'>
  /** Whether errors show what the store threw. */
  readonly errorDetail?: ErrorDetail | undefined
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
  { timing = realTiming, errorDetail }: GuardOptions = {},
): Store {
  checkMethods(owner, 'store', store, operations, 'a Store, such as memoryStore() or redisStore(client)')
  const { operationTimeoutMs = defaultTimeoutMs } = store
  checkOption(owner, 'store: operationTimeoutMs', operationTimeoutMs, timeSpan)
  const timeoutMs = limitsItself(store) ? undefined : operationTimeoutMs

  const guard = <T>(operation: keyof Store, call: () => Promise<T>): Promise<T> =>
    // Asynchronous, because a custom store may also throw synchronously.
    runOperation(async () => call(), { engine: name, operation, timeoutMs, timing, errorDetail })

  async function* scanWith(start: NonNullable<Store['scan']>, prefix: string): AsyncIterable<string> {
    let keys: AsyncIterator<string> | undefined
    const next = () => {
      keys ??= start.call(store, prefix)[Symbol.asyncIterator]()
      return keys.next()
    }
    try {
      for (;;) {
        const { done, value } = await guard('scan', next)
        if (done === true) return
        yield value
      }
    } finally {
      // Without waiting, because a scan that does not respond does not end either.
      callHook(() => keys?.return?.())
    }
  }

  const { scan } = store
  return {
    get: (key) => guard('get', () => store.get(key)),
    set: (key, value, options) => guard('set', () => store.set(key, value, options)),
    compareAndSet: (key, expected, value, options) =>
      guard('compareAndSet', () => store.compareAndSet(key, expected, value, options)),
    take: (key) => guard('take', () => store.take(key)),
    delete: (key) => guard('delete', () => store.delete(key)),
    compareAndDelete: (key, expected) =>
      guard('compareAndDelete', () => store.compareAndDelete(key, expected)),
    ...(scan && { scan: (prefix) => scanWith(scan, prefix) }),
  }
}

const operations = [
  'get',
  'set',
  'compareAndSet',
  'take',
  'delete',
  'compareAndDelete',
] as const satisfies (keyof Store)[]
