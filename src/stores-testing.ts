/**
 * Tests of custom stores and inboxes.
 *
 * @module identity-service-sdk/stores/testing
 */

export type {
  EventInbox,
  EventOutcome,
  InboxEntry,
  SignalContext,
  TransactionContext,
} from './stores/event-inbox.ts'
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
export type { InboxTestDatabase } from './stores/testing/probed-inbox.ts'
export {
  type StoreCheck,
  type StoreTest,
  type StoreTestOptions,
  testInbox,
  testStore,
} from './stores/testing/test-store.ts'
