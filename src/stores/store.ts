/**
 * State that several processes share: webhook claims, sign-in transactions, token sets. Keys and values are
 * strings, and each operation is atomic. An implementation that cannot reach its engine rejects; it never
 * answers as if the key were absent.
 */
export interface Store {
  /**
   * The value, or `null` when there is none or it has expired.
   *
   * @example
   * const value = await store.get('key')
   */
  get(key: string): Promise<string | null>

  /**
   * Writes a value.
   *
   * @param options `ttlMs`: lifetime in milliseconds, without which the value does not expire;
   *   `ifAbsent`: write only where there is no value
   * @returns false when `ifAbsent` was asked and a value was there
   *
   * @example
   * const isFirst = await store.set('key', 'value', { ttlMs: 60_000, ifAbsent: true })
   */
  set(key: string, value: string, options?: StoreSetOptions): Promise<boolean>

  /**
   * Replaces a value only where it still is the expected one.
   *
   * @param options `ttlMs`: new lifetime in milliseconds; without it the value no longer expires
   * @returns whether it was replaced
   *
   * @example
   * const isRenewed = await store.compareAndSet('lock', holder, holder, { ttlMs: 60_000 })
   */
  compareAndSet(key: string, expected: string, value: string, options?: StoreTtlOptions): Promise<boolean>

  /**
   * Reads and deletes in one step: of several callers, one gets the value.
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
   * Deletes only where the value still is the expected one: frees a lock for its holder alone.
   *
   * @example
   * const wasOurs = await store.compareAndDelete('lock', holder)
   */
  compareAndDelete(key: string, expected: string): Promise<boolean>
}

/** How long a value lasts. */
export interface StoreTtlOptions {
  /** Lifetime in milliseconds. @default for ever */
  readonly ttlMs?: number | undefined
}

/** How a value is written. */
export interface StoreSetOptions extends StoreTtlOptions {
  /** Write only where there is no value. @default false */
  readonly ifAbsent?: boolean | undefined
}
