import type { ErrorDetail } from '../../errors/error-detail.ts'
import { TokenManagerError } from '../../errors/sign-in-errors.ts'
import type { Timing } from '../../runtime/timing.ts'
import { type Held, withLock } from '../../stores/lock.ts'
import { guardedStore, persist } from '../../stores/operation.ts'
import type { Store } from '../../stores/store.ts'
import type { TokenEncryption, TokenRecord } from './token-encryption.ts'

/** A record that has tokens. */
export type LiveRecord = Exclude<TokenRecord, { state: 'rejected' }>

/** The token records in a store, encrypted if there is a key, and the lock of each record. */
export class TokenRecordStore {
  readonly #store: Store
  readonly #encryption: TokenEncryption
  readonly #timing: Timing

  constructor(
    owner: string,
    { store, errorDetail }: { readonly store: Store; readonly errorDetail: ErrorDetail | undefined },
    encryption: TokenEncryption,
    timing: Timing,
  ) {
    this.#store = guardedStore(owner, store, 'the store of tokens', { timing, errorDetail })
    this.#encryption = encryption
    this.#timing = timing
  }

  /**
   * @returns the record, and the text that is stored for it
   * @throws {TokenManagerError} `not_found`, `undecryptable` or `refresh_rejected`
   */
  async read(key: string): Promise<{ readonly record: LiveRecord; readonly text: string }> {
    const name = recordName(key)
    const text = await this.#store.get(name)
    if (text === null) {
      throw new TokenManagerError({
        reason: 'not_found',
        message: 'no tokens are stored under this key: sign the person in',
      })
    }
    const record = await this.#encryption.decrypt(name, text)
    if (record.state !== 'rejected') return { record, text }
    const message = 'the service rejected the refresh token: the person must sign in again'
    throw new TokenManagerError({ reason: 'refresh_rejected', message })
  }

  async put(key: string, record: TokenRecord): Promise<void> {
    const name = recordName(key)
    await this.#store.set(name, await this.#encryption.encrypt(name, record))
  }

  async delete(key: string): Promise<boolean> {
    return this.#store.delete(recordName(key))
  }

  /**
   * Replaces a record if its text is still the one that was read.
   *
   * @returns the new text, or `undefined` if the record was changed by another process
   */
  async replace(key: string, text: string, record: TokenRecord): Promise<string | undefined> {
    const name = recordName(key)
    const next = await this.#encryption.encrypt(name, record)
    const isReplaced = await persist(
      // An earlier attempt may have written it, and its response was lost.
      async () =>
        (await this.#store.compareAndSet(name, text, next)) || (await this.#store.get(name)) === next,
      this.#timing,
    )
    return isReplaced ? next : undefined
  }

  /** Runs work while this process holds the lock of a record. @see withLock */
  withLock<T>(
    key: string,
    ttlMs: number,
    work: (held: Held) => Promise<T>,
  ): Promise<{ readonly result: T } | undefined> {
    return withLock(this.#store, { key: lockName(key), ttlMs, timing: this.#timing }, work)
  }
}

const recordName = (key: string) => `tokens:${key}`
const lockName = (key: string) => `tokens-lock:${key}`
