import { ConnectionError } from '../errors/call-errors.ts'

/** Code, or what is made by it, that is loaded when it is first needed. After a load that failed the next call tries again. */
export class Late<T> {
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
  get asked(): T | Promise<T> | undefined {
    return this.#found
  }

  /**
   * What was loaded, for an operation of which nothing has gone out.
   *
   * @throws {ConnectionError} it could not be loaded
   */
  async for(operation: string): Promise<T> {
    try {
      return await this.get()
    } catch (cause) {
      const message = `${operation}: code of this package could not be loaded`
      throw new ConnectionError(message, { operation, attempts: 0 }, { mayHaveArrived: false, cause })
    }
  }
}
