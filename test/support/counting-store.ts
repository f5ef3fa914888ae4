import type { ListingStore } from '../../src/stores/store.ts'

/** Runs one operation of a store. `name` is `get`, `lists.replace` and so on. */
type Step = <Result>(name: string, run: () => Promise<Result>) => Promise<Result>

/** Returns a store whose operations each run through a step. */
function steppedStore(store: ListingStore, step: Step): ListingStore {
  return {
    get: (...call) => step('get', () => store.get(...call)),
    set: (...call) => step('set', () => store.set(...call)),
    compareAndSet: (...call) => step('compareAndSet', () => store.compareAndSet(...call)),
    take: (...call) => step('take', () => store.take(...call)),
    delete: (...call) => step('delete', () => store.delete(...call)),
    compareAndDelete: (...call) => step('compareAndDelete', () => store.compareAndDelete(...call)),
    scan: (prefix) => stepped(step, 'scan', () => store.scan(prefix)),
    lists: {
      replace: (...call) => step('lists.replace', () => store.lists.replace(...call)),
      range: (...call) => stepped(step, 'lists.range', () => store.lists.range(...call)),
      count: (...call) => step('lists.count', () => store.lists.count(...call)),
    },
  }
}

async function* stepped<T>(step: Step, name: string, items: () => AsyncIterable<T>): AsyncGenerator<T> {
  yield* await step(name, async () => items())
}

/** Returns a store that records the names of its operations. */
export function countingStore(store: ListingStore) {
  const operations: string[] = []
  const counted = steppedStore(store, (name, run) => {
    operations.push(name)
    return run()
  })
  return { store: counted, operations }
}
