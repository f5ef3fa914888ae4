import { checkMethods } from '../errors/check-methods.ts'
import { realTiming, type Timing } from '../runtime/timing.ts'
import { driverError } from './driver-error.ts'
import type { Store } from './store.ts'
import { readTimeLimit, withTimeLimit } from './time-limit.ts'

/**
 * Wraps a store so that every operation ends in time, and every failure is a `StoreError`. A custom store may throw any
 * value, also synchronously, or never respond.
 *
 * @param name the subject of error messages, such as `the store of tokens`
 * @throws {ConfigurationError} the store is missing, lacks an operation, or has an invalid `operationTimeoutMs`
 */
export function guardedStore(store: Store, name: string, timing: Pick<Timing, 'timer'> = realTiming): Store {
  checkMethods('store', store, operations, 'a Store, such as memoryStore() or redisStore(client)')
  const timeoutMs = readTimeLimit('store', store)

  const guard = async <T>(operation: keyof Store, texts: string[], call: () => Promise<T>): Promise<T> => {
    const mayHaveHappened = operation !== 'get'
    try {
      const limit = { engine: name, operation, timeoutMs, timing, mayHaveHappened: () => mayHaveHappened }
      return await withTimeLimit(async () => call(), limit)
    } catch (thrown) {
      throw driverError(thrown, { engine: name, operation, texts, mayHaveHappened })
    }
  }

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
