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
}

/** A store that can list its keys. The stores of this package can. */
export type ScannableStore = Store & Required<Pick<Store, 'scan'>>

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
