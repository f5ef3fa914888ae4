import { ConfigurationError, StoreError } from '../errors/sdk-error.ts'
import { backoffMs, type Timing } from '../runtime/timing.ts'
import { persist } from './operation.ts'
import type { ListedValue, Store } from './store.ts'

/** Conflicts after which an update gives up. Each of them means that another process changed the value. */
const maxConflicts = 100

/** How the values of cells are stored. */
interface CellForm<T> {
  /**
   * Returns the text to store, or `null` if nothing is. Two processes that write different values must write different
   * texts: a text that equals what was to be written is taken for one's own.
   */
  encode(key: string, value: T): string | null | Promise<string | null>
  /** @param text `null` if there is nothing in the store */
  decode(key: string, text: string | null): T | Promise<T>
  /** Returns the list that a value is in, and its place there. @default none */
  readonly entryOf?: (value: T) => Omit<ListedValue, 'value'>
}

/** A value that was read or written, and the text that is stored for it. */
export interface Stored<T> {
  readonly value: T
  readonly text: string | null
}

export interface CellOptions<T> {
  readonly form: CellForm<T>
  /** Whether a write, and the read before another try, is tried again if the store fails. @default true */
  readonly persists?: boolean
  /** How long a written value lasts. @default no expiry */
  readonly ttlMs?: number
  readonly timing: Pick<Timing, 'now' | 'sleep' | 'random'>
}

/** Values of a store that change only by compare-and-set, each under a key of its own. */
export class Cells<T> {
  readonly #store: Store
  readonly #options: CellOptions<T>

  constructor(store: Store, options: CellOptions<T>) {
    this.#store = store
    this.#options = options
  }

  async read(key: string): Promise<Stored<T>> {
    const text = await this.#store.get(key)
    return { value: await this.#options.form.decode(key, text), text }
  }

  /**
   * Replaces a value, also if the response to the write was lost.
   *
   * @param from the value as it was read
   * @param until when no other attempt begins, by the monotonic clock
   * @returns `undefined` if another process has changed it since
   * @throws {StoreError} the store failed, or there was no value, and it is unknown whether the write was executed
   */
  async replace(key: string, from: Stored<T>, value: T, until?: number): Promise<Stored<T> | undefined> {
    const next: Stored<T> = { value, text: await this.#options.form.encode(key, value) }
    let lost: StoreError | undefined
    const write = async () => {
      try {
        if (lost === undefined && (await this.#write(key, from, next))) return true
      } catch (error) {
        if (from.text === null && (error as StoreError).mayHaveHappened !== false) lost = error as StoreError
        throw error
      }
      const found = await this.#store.get(key)
      // If the write was executed, another process has deleted the value, and a second write would bring it back.
      if (lost !== undefined && found === null) throw lost
      return found === next.text
    }
    return (await this.#persist(write, until)) ? next : undefined
  }

  /**
   * Applies a function to the newest value. If it returns the same value, nothing is written.
   *
   * @param from the value as it was read, if it was
   * @param until as for `replace`
   * @throws {StoreError} other processes kept changing it
   */
  async update(
    key: string,
    transition: (value: T) => T | Promise<T>,
    from?: Stored<T>,
    until?: number,
  ): Promise<Stored<T>> {
    const { timing } = this.#options
    let stored = from ?? (await this.read(key))
    for (let conflicts = 0; conflicts < maxConflicts; conflicts++) {
      const value = await transition(stored.value)
      const updated = value === stored.value ? stored : await this.replace(key, stored, value, until)
      if (updated) return updated
      await timing.sleep(backoffMs(1, 0.02 * timing.random()), undefined)
      // A read that fails must not lose the write either: what it records has happened.
      stored = await this.#persist(() => this.read(key), until)
    }
    throw new StoreError({ message: `a value of the store was changed ${maxConflicts} times meanwhile` })
  }

  #persist<Result>(work: () => Promise<Result>, until: number | undefined): Promise<Result> {
    const { persists = true, timing } = this.#options
    return persists ? persist(work, timing, until) : work()
  }

  #write(key: string, from: Stored<T>, to: Stored<T>): Promise<boolean> | boolean {
    const { form, ttlMs } = this.#options
    const { lists } = this.#store
    if (form.entryOf && lists) {
      const listed = ({ value, text }: Stored<T>) => ({ ...form.entryOf?.(value), value: text })
      return lists.replace(key, listed(from), listed(to))
    }
    if (to.text === null) return from.text === null || this.#store.compareAndDelete(key, from.text)
    return from.text === null
      ? this.#store.set(key, to.text, { ttlMs, ifAbsent: true })
      : this.#store.compareAndSet(key, from.text, to.text, { ttlMs })
  }
}

/**
 * Rejects a record of another application. A record without a name is accepted, as 1.0.0-rc.1 wrote them.
 *
 * @param owner what reads the record
 * @throws {ConfigurationError}
 */
export function checkApplication(owner: string, found: unknown, own: string | undefined): void {
  if (found === undefined || own === undefined || found === own) return
  throw new ConfigurationError({
    message: `${owner}: the record in the store belongs to an application with another baseUrl or clientId. Give each application a prefix, a table or a name of its own, or check baseUrl and clientId (docs/guides/scaling.md in the package).`,
  })
}
