/** A map with a maximum number of entries. If it is full, the entry that was unused for longest is evicted. */
export class LruMap<Key, Value> {
  readonly #maxEntries: number
  /** Ordered by last use, the oldest first. */
  readonly #entries = new Map<Key, Value>()

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.#moveToEnd(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.#moveToEnd(key, value)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > this.#maxEntries) this.#entries.delete(oldest as Key)
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }

  #moveToEnd(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
  }
}
