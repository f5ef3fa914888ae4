import { Observers, type ObserversOptions } from '../errors/observers.ts'
import type { ListingStore } from './store.ts'

const writesAndReads = ['get', 'set', 'compareAndSet', 'take', 'delete', 'compareAndDelete'] as const

/** Makes a store report its operations, apart from iterations. Without an observer, nothing changes. */
export function observeStore(store: ListingStore, options: ObserversOptions): ListingStore {
  const observers = new Observers(options)
  observers.observeMethods(store.lists, ['replace', 'count'], 'store', 'store.lists')
  return observers.observeMethods(store, writesAndReads, 'store', 'store')
}
