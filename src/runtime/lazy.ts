/**
 * A lazily loaded value. If loading fails, the next call of `get` tries again. An ES module that failed to load on Node
 * fails the same way every time. A CommonJS module is loaded again.
 */
export class Lazy<T> {
  readonly #load: () => Promise<T>
  #value: T | Promise<T> | undefined

  constructor(load: () => Promise<T>) {
    this.#load = load
  }

  /** Returns the value, or a promise until it is loaded. */
  get(): T | Promise<T> {
    this.#value ??= this.#load().then(
      (value) => {
        this.#value = value
        return value
      },
      (thrown) => {
        this.#value = undefined
        throw thrown
      },
    )
    return this.#value
  }

  /** The same, without starting to load: `undefined` if `get` was never called. */
  get loading(): T | Promise<T> | undefined {
    return this.#value
  }
}
