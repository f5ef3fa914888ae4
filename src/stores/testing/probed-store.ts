import type { ListedValue, Store, StoreLists, StoreRangeOptions, StoreSetOptions, StoreTtlOptions } from '../store.ts'

/** An operation that has not been called yet. */
export interface StoreCall<Result> {
  /** Calls the operation and returns its result. */
  result(): Promise<Result>
  /** Calls the operation. Rejects with a description of the call if it returns another result. */
  returns(expected: Result): Promise<void>
}

/** Describes a key or value. Values of rules may be a megabyte long. */
function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length <= 60 ? text : `${text.slice(0, 50)}... (${text.length} characters)`
}

/** A store whose results can be compared. */
export class ProbedStore {
  readonly #store: Store
  readonly #written = new Set<string>()
  /** The list that each key was last in. */
  readonly #listed = new Map<string, string>()

  constructor(store: Store) {
    this.#store = store
  }

  get(key: string): StoreCall<string | null> {
    return this.#call('get', [key], () => this.#store.get(key))
  }

  set(key: string, value: string, options?: StoreSetOptions): StoreCall<boolean> {
    this.#written.add(key)
    return this.#call('set', [key, value, options], () => this.#store.set(key, value, options))
  }

  compareAndSet(key: string, expected: string, value: string, options?: StoreTtlOptions): StoreCall<boolean> {
    this.#written.add(key)
    const call = () => this.#store.compareAndSet(key, expected, value, options)
    return this.#call('compareAndSet', [key, expected, value, options], call)
  }

  take(key: string): StoreCall<string | null> {
    return this.#call('take', [key], () => this.#store.take(key))
  }

  delete(key: string): StoreCall<boolean> {
    return this.#call('delete', [key], () => this.#store.delete(key))
  }

  compareAndDelete(key: string, expected: string): StoreCall<boolean> {
    const call = () => this.#store.compareAndDelete(key, expected)
    return this.#call('compareAndDelete', [key, expected], call)
  }

  /** Whether the store can list its keys. */
  get canScan(): boolean {
    return this.#store.scan !== undefined
  }

  /** Yields the keys that start with a prefix. Yields nothing if the store cannot list them. */
  async *scan(prefix: string): AsyncIterable<string> {
    if (this.#store.scan) yield* this.#store.scan(prefix)
  }

  /** Scans the store. Rejects unless the keys are the expected ones. A key may come more than once. */
  async scansTo(prefix: string, expected: readonly string[]): Promise<void> {
    if (!this.canScan) return
    const found = new Set<string>()
    for await (const key of this.scan(prefix)) found.add(key)
    const missing = expected.find((key) => !found.has(key))
    if (missing !== undefined) throw new Error(`scan(${show(prefix)}) did not yield ${show(missing)}`)
    const other = [...found].find((key) => !expected.includes(key))
    if (other !== undefined) throw new Error(`scan(${show(prefix)}) yielded ${show(other)}`)
  }

  /** The lists of the store, if it keeps any. */
  get lists(): StoreLists | undefined {
    return this.#store.lists
  }

  /** Replaces a value and its place in a list. `true` if the store keeps no lists. */
  replace(key: string, from: ListedValue, to: ListedValue): StoreCall<boolean> {
    this.#written.add(key)
    if (from.list !== undefined || to.list !== undefined) this.#listed.set(key, to.list ?? from.list ?? '')
    const call = async () => (await this.#store.lists?.replace(key, from, to)) ?? true
    return this.#call('lists.replace', [key, from, to], call)
  }

  /** Reads a list. Rejects unless its keys are the expected ones, in this order. */
  async listsTo(list: string, expected: readonly string[], options?: StoreRangeOptions): Promise<void> {
    const found: string[] = []
    for await (const { key } of this.#store.lists?.range(list, options) ?? []) found.push(key)
    const at = expected.findIndex((key, i) => key !== found[i])
    const [wanted, other] = at < 0 ? [undefined, found[expected.length]] : [expected[at], found[at]]
    if (wanted === undefined && other === undefined) return
    const what = other === undefined ? 'nothing' : show(other)
    throw new Error(
      `lists.range(${show(list)}) yielded ${what} instead of ${wanted === undefined ? 'nothing' : show(wanted)}`,
    )
  }

  /** Deletes all keys that may have been written. A failure does not matter, because the rule has its result. */
  async clear(): Promise<void> {
    await Promise.allSettled([...this.#written].map(async (key) => this.#store.delete(key)))
    const remove = ([key, list]: [string, string]) =>
      this.#store.lists?.replace(key, { value: null, list }, { value: null })
    await Promise.allSettled([...this.#listed].map(remove))
  }

  #call<Result>(name: string, params: unknown[], call: () => Promise<Result>): StoreCall<Result> {
    const shown = params.filter((param) => param !== undefined).map(show)
    return {
      result: async () => call(),
      async returns(expected) {
        const actual = await call()
        if (actual === expected) return
        throw new Error(`${name}(${shown.join(', ')}) returned ${show(actual)} instead of ${show(expected)}`)
      },
    }
  }
}
