import { checkMethods } from '../errors/check-methods.ts'
import { isSdkError } from '../errors/is-sdk-error.ts'
import { StoreError } from '../errors/sdk-error.ts'
import type { Store } from './store.ts'

/**
 * Wraps a store so that every failure is a `StoreError` with one message. A custom store may throw any value, also
 * synchronously.
 *
 * @throws {ConfigurationError} it is missing, or lacks an operation
 */
export function guardedStore(store: Store, message: string): Store {
  checkMethods('store', store, operations, 'a Store, such as memoryStore() or redisStore(client)')
  const guard = async <T>(operation: () => Promise<T>): Promise<T> => {
    try {
      return await operation()
    } catch (thrown) {
      // A custom store may throw anything.
      throw isSdkError(thrown) ? thrown : new StoreError({ message, cause: thrown })
    }
  }
  return {
    get: (key) => guard(() => store.get(key)),
    set: (key, value, options) => guard(() => store.set(key, value, options)),
    compareAndSet: (key, expected, value, options) =>
      guard(() => store.compareAndSet(key, expected, value, options)),
    take: (key) => guard(() => store.take(key)),
    delete: (key) => guard(() => store.delete(key)),
    compareAndDelete: (key, expected) => guard(() => store.compareAndDelete(key, expected)),
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
