/**
 * A store in Postgres, for state that processes share.
 *
 * @module identity-service-sdk/stores/postgres
 */

export { isSdkError } from './errors/any-sdk-error.ts'
export { ConfigurationError, SdkError, StoreError } from './errors/sdk-error.ts'
export type { PostgresPool } from './stores/postgres/client.ts'
export { type PostgresStoreOptions, postgresStore } from './stores/postgres/postgres-store.ts'
export { postgresStoreSql } from './stores/postgres/statements.ts'
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
