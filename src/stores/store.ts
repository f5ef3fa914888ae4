/** How long the operations of a store may take. */
export interface StoreTimeLimit {
  /**
   * How long an operation may take, in milliseconds, 1 to 2,147,483,647. After that it rejects with `StoreError`. A
   * write may still take effect, so `mayHaveHappened` is then true.
   *
   * @default 5_000
   */
  readonly operationTimeoutMs?: number | undefined
}

/**
 * State that processes share: webhook claims, finished sign-ins, token sets. Keys and values are strings, and each
 * operation is atomic. If an implementation cannot reach its engine, it rejects. It never returns a result as if the
 * key were absent. What uses a store waits for `operationTimeoutMs` at most.
 */
export interface Store extends StoreTimeLimit {
  /**
   * Returns a value, or `null` if there is none or it has expired.
   *
   * @example
   * const value = await store.get('key')
   */
  get(key: string): Promise<string | null>

  /**
   * Writes a value.
   *
   * @param options `ttlMs`: lifetime in milliseconds; without it the value does not expire. `ifAbsent`: write only if
   *   the key has no value
   * @returns false if `ifAbsent` is set and the key has a value
   *
   * @example
   * const isFirst = await store.set('key', 'value', { ttlMs: 60_000, ifAbsent: true })
   */
  set(key: string, value: string, options?: StoreSetOptions): Promise<boolean>

  /**
   * Replaces a value if it equals the expected one.
   *
   * @param options `ttlMs`: new lifetime in milliseconds; without it the value no longer expires
   * @returns whether the value was replaced
   *
   * @example
   * const isRenewed = await store.compareAndSet('lock', holder, holder, { ttlMs: 60_000 })
   */
  compareAndSet(key: string, expected: string, value: string, options?: StoreTtlOptions): Promise<boolean>

  /**
   * Returns a value and deletes it, in one step. If several callers take a value, only one gets it.
   *
   * @example
   * const once = await store.take('key')
   */
  take(key: string): Promise<string | null>

  /**
   * Deletes a value.
   *
   * @returns whether there was a value
   *
   * @example
   * const wasThere = await store.delete('key')
   */
  delete(key: string): Promise<boolean>

  /**
   * Deletes a value if it equals the expected one, so that only the holder of a lock can release it.
   *
   * @returns whether the value was deleted
   *
   * @example
   * const wasOurs = await store.compareAndDelete('lock', holder)
   */
  compareAndDelete(key: string, expected: string): Promise<boolean>

  /**
   * Yields the keys that start with a prefix: each key that exists during the whole scan at least once, and any other
   * one perhaps. It holds no connection while the caller works. Optional: without it, what needs all keys cannot be
   * used with the store.
   *
   * @example
   * for await (const key of store.scan('verification:')) console.log(key)
   */
  scan?(prefix: string): AsyncIterable<string>

  /**
   * Keeps lists of keys, ordered by time, so that a few keys of many can be found without reading all. Optional:
   * without it, what needs a list reads all keys, or cannot be used with the store.
   */
  readonly lists?: StoreLists | undefined
}

/** A store that can list its keys. The stores of this package can. */
export type ScannableStore = Store & Required<Pick<Store, 'scan'>>

/** A store that can list its keys and keeps lists, as those of this package do. */
export type ListingStore = ScannableStore & {
  /** The lists. */
  readonly lists: StoreLists
}

/** A value, and the list that its key is in. */
export interface ListedValue {
  /** The value. `null`: the key has none. */
  readonly value: string | null
  /** The list. `undefined`: the key is in none. */
  readonly list?: string | undefined
  /** The place in the list: milliseconds since the epoch, a whole number. @default 0 */
  readonly at?: number | undefined
}

/** An entry of a list. */
export interface ListEntry {
  /** The key. */
  readonly key: string
  /** Its place in the list, in milliseconds since the epoch. */
  readonly at: number
}

/** Which entries of a list are read. */
export interface StoreRangeOptions {
  /** Only entries before this time, in milliseconds since the epoch. @default all */
  readonly before?: number | undefined
}

/**
 * Lists of keys. A value and its place are written in one step, so that no entry is ever missing. A key that is written
 * by `replace` is written and deleted by nothing else, because an entry could be left that has no value. To remove such
 * an entry, call `replace(key, { value: null, list }, { value: null })`.
 */
export interface StoreLists {
  /**
   * Replaces a value and its place, if the key has the expected value. A value of `null` deletes. The value does not
   * expire.
   *
   * @param from the expected value, and the list that the key may be in
   * @param to the new value, and the list that the key is then in
   * @returns whether it was replaced
   *
   * @example
   * const isOpen = await store.lists.replace('order:1', { value: null }, { value: '{}', list: 'open', at: Date.now() })
   */
  replace(key: string, from: ListedValue, to: ListedValue): Promise<boolean>

  /**
   * Yields the entries of a list, in the order of their time: each entry that stays at its place during the whole
   * reading once, and any other perhaps, also twice. It holds no connection while the caller works.
   *
   * @example
   * for await (const { key } of store.lists.range('open', { before: Date.now() - 60_000 })) console.log(key)
   */
  range(list: string, options?: StoreRangeOptions): AsyncIterable<ListEntry>

  /**
   * Returns the number of entries of a list.
   *
   * @example
   * const orders = await store.lists.count('open')
   */
  count(list: string): Promise<number>
}

/** How long a value lasts. */
export interface StoreTtlOptions {
  /** Lifetime in milliseconds. @default no expiry */
  readonly ttlMs?: number | undefined
}

/** How a value is written. */
export interface StoreSetOptions extends StoreTtlOptions {
  /** Write only if the key has no value. @default false */
  readonly ifAbsent?: boolean | undefined
}
