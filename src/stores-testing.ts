/**
 * Tests of custom stores.
 *
 * @module identity-service-sdk/stores/testing
 */

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
export {
  type StoreCheck,
  type StoreTest,
  type StoreTestOptions,
  testStore,
} from './stores/testing/test-store.ts'
