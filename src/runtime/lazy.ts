/**
 * What is made by code that is loaded when it is first needed. After a load that failed the next call asks again;
 * Node's ES modules, other than its CommonJS, answer a second time as they did the first.
 */
export class Lazy<T> {
  readonly #load: () => Promise<T>
  #found: T | Promise<T> | undefined

  constructor(load: () => Promise<T>) {
    this.#load = load
  }

  /** What was loaded; until then, a promise of it. */
  get(): T | Promise<T> {
    this.#found ??= this.#load().then(
      (found) => {
        this.#found = found
        return found
      },
      (thrown) => {
        this.#found = undefined
        throw thrown
      },
    )
    return this.#found
  }

  /** The same, where somebody has asked for it. */
  get loading(): T | Promise<T> | undefined {
    return this.#found
  }
}
