import { checkMethods } from '../errors/check-methods.ts'
import { callHook } from '../runtime/logging/call-hook.ts'
import { realTiming, type Timing } from '../runtime/timing.ts'
import { runOperation } from './operation.ts'
import type { Store } from './store.ts'
import { limitsItself, readTimeLimit } from './time-limit.ts'

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
  timing: Pick<Timing, 'timer'> = realTiming,
): Store {
  checkMethods(owner, 'store', store, operations, 'a Store, such as memoryStore() or redisStore(client)')
  const timeoutMs = limitsItself(store) ? undefined : readTimeLimit(`${owner}: store`, store)

  const guard = <T>(operation: keyof Store, texts: string[], call: () => Promise<T>): Promise<T> =>
    // Asynchronous, because a custom store may also throw synchronously.
    runOperation(async () => call(), { engine: name, operation, texts, timeoutMs, timing })

  async function* scanWith(start: NonNullable<Store['scan']>, prefix: string): AsyncIterable<string> {
    let keys: AsyncIterator<string> | undefined
    const next = () => {
      keys ??= start.call(store, prefix)[Symbol.asyncIterator]()
      return keys.next()
    }
    try {
      for (;;) {
        const { done, value } = await guard('scan', [prefix], next)
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
    get: (key) => guard('get', [key], () => store.get(key)),
    set: (key, value, options) => guard('set', [key, value], () => store.set(key, value, options)),
    compareAndSet: (key, expected, value, options) =>
      guard('compareAndSet', [key, expected, value], () =>
        store.compareAndSet(key, expected, value, options),
      ),
    take: (key) => guard('take', [key], () => store.take(key)),
    delete: (key) => guard('delete', [key], () => store.delete(key)),
    compareAndDelete: (key, expected) =>
      guard('compareAndDelete', [key, expected], () => store.compareAndDelete(key, expected)),
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
