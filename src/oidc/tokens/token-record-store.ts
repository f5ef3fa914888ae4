import { storeError } from '../../errors/sdk-error.ts'
import { TokenManagerError } from '../../errors/sign-in-errors.ts'
import { backoffMs } from '../../http/retry.ts'
import type { Timing } from '../../runtime/timing.ts'
import type { Store } from '../../stores/store.ts'
import type { TokenEncryption, TokenRecord } from './token-encryption.ts'

/** A record that has tokens. */
export type LiveRecord = Exclude<TokenRecord, { state: 'rejected' }>

/** Tries at a write that must not be lost to a blip of the store. */
const tries = 3

/** Token records, sealed, in somebody's store. */
export class TokenRecordStore {
  readonly #store: Store
  readonly #seal: TokenEncryption
  readonly #timing: Timing

  constructor(store: Store, seal: TokenEncryption, timing: Timing) {
    this.#store = store
    this.#seal = seal
    this.#timing = timing
  }

  /**
   * @returns the record, and the text that it is now
   * @throws {TokenManagerError} `not_found`, `undecryptable`, `refresh_rejected`
   */
  async read(key: string): Promise<{ readonly record: LiveRecord; readonly text: string }> {
    const name = recordName(key)
    const text = await this.#step((store) => store.get(name))
    if (text === null) throw new TokenManagerError('not_found', 'no tokens are kept under this key')
    const record = await this.#seal.decrypt(name, text)
    if (record.state !== 'rejected') return { record, text }
    throw new TokenManagerError('refresh_rejected', 'the service refused the refresh token: sign in again')
  }

  async put(key: string, record: TokenRecord): Promise<void> {
    const name = recordName(key)
    const text = await this.#seal.encrypt(name, record)
    await this.#step((store) => store.set(name, text))
  }

  async delete(key: string): Promise<boolean> {
    return this.#step((store) => store.delete(recordName(key)))
  }

  /**
   * Replaces a record where it still is the text that was read.
   *
   * @returns the new text, or nothing where somebody else changed it
   */
  async replace(key: string, text: string, record: TokenRecord): Promise<string | undefined> {
    const name = recordName(key)
    const next = await this.#seal.encrypt(name, record)
    for (let attempt = 1; ; attempt++) {
      try {
        if (await this.#step((store) => store.compareAndSet(name, text, next))) return next
        // An earlier attempt, whose answer was lost, may have done it.
        return (await this.#step((store) => store.get(name))) === next ? next : undefined
      } catch (error) {
        if (attempt === tries) throw error
        await this.#timing.sleep(backoffMs(1, this.#timing.random()), undefined)
      }
    }
  }

  /** @returns whether the lock is ours */
  async lock(key: string, run: string, ttlMs: number): Promise<boolean> {
    const name = lockName(key)
    if (await this.#step((store) => store.set(name, run, { ttlMs, ifAbsent: true }))) return true
    // A store's client that sends again over a new connection finds its own write.
    return (await this.#step((store) => store.get(name))) === run
  }

  /** Lets others in. Where it fails, the lock ends by itself. */
  async unlock(key: string, run: string): Promise<void> {
    await this.#step((store) => store.compareAndDelete(lockName(key), run)).catch(() => {})
  }

  async #step<T>(ask: (store: Store) => Promise<T>): Promise<T> {
    try {
      return await ask(this.#store)
    } catch (thrown) {
      throw storeError('the store of tokens failed', thrown)
    }
  }
}

const recordName = (key: string) => `tokens:${key}`
const lockName = (key: string) => `tokens-lock:${key}`
