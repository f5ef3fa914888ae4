/**
 * A store in Redis, for state that processes share.
 *
 * @module identity-service-sdk/stores/redis
 */

export { isSdkError } from './errors/any-sdk-error.ts'
export { ConfigurationError, SdkError, StoreError } from './errors/sdk-error.ts'
export type { IoRedisClient, NodeRedisClient } from './stores/redis/redis-client.ts'
export { type RedisStoreOptions, redisStore } from './stores/redis/redis-store.ts'
export type {
  ListEntry,
  ListedValue,
  ListingStore,
  ScannableStore,
  Store,
  StoreLists,
  StoreRangeOptions,
  StoreSetOptions,
  StoreTimeLimit,
  StoreTtlOptions,
} from './stores/store.ts'
