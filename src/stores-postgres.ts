/**
 * A store in Postgres, for state that processes share, and an inbox in Postgres, for events whose effects are in the
 * same database.
 *
 * @module identity-service-sdk/stores/postgres
 */

export { isSdkError } from './errors/any-sdk-error.ts'
export { ConfigurationError, SdkError, StoreError } from './errors/sdk-error.ts'
export type {
  EventInbox,
  EventOutcome,
  InboxEntry,
  SignalContext,
  TransactionContext,
} from './stores/event-inbox.ts'
export type { PostgresPool } from './stores/postgres/client.ts'
export {
  type PostgresInboxOptions,
  type PostgresInboxPool,
  postgresInbox,
} from './stores/postgres/inbox.ts'
export { type PostgresStoreOptions, postgresStore } from './stores/postgres/postgres-store.ts'
export { postgresInboxSql, postgresStoreSql } from './stores/postgres/statements.ts'
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
