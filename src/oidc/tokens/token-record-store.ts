import { StoreError } from '../../errors/sdk-error.ts'
import { TokenManagerError } from '../../errors/sign-in-errors.ts'
import type { Stream } from '../../observe/stream.ts'
import type { Timing } from '../../runtime/timing.ts'
import { Cells, type Stored } from '../../stores/cell.ts'
import { Lease } from '../../stores/lease.ts'
import { guardedStore } from '../../stores/operation.ts'
import type { Store } from '../../stores/store.ts'
import type { TokenEncryption, TokenRecord } from './token-encryption.ts'

/** A record that has tokens. */
export type LiveRecord = Exclude<TokenRecord, { state: 'rejected' }>

/** The token records in a store, encrypted if there is a key, and the lease of each record. */
export class TokenRecordStore {
  readonly #store: Store
  readonly #cells: Cells<TokenRecord | undefined>
  readonly #encryption: TokenEncryption
  readonly #timing: Timing

  constructor(
    owner: string,
    { store, stream }: { readonly store: Store; readonly stream: Stream },
    encryption: TokenEncryption,
    timing: Timing,
  ) {
    this.#store = guardedStore(owner, store, 'the store of tokens', { timing, stream })
    const form = {
      encode: async (name: string, record: TokenRecord | undefined) =>
        record ? encryption.encrypt(name, record) : null,
      decode: async (name: string, text: string | null) =>
        text === null ? undefined : encryption.decrypt(name, text),
    }
    this.#cells = new Cells(this.#store, { form, timing })
    this.#encryption = encryption
    this.#timing = timing
  }

  /** @throws {TokenManagerError} `not_found`, `undecryptable` or `refresh_rejected` */
  async read(key: string): Promise<Stored<LiveRecord>> {
    const { value: record, text } = await this.#cells.read(recordName(key))
    if (record === undefined) {
      throw new TokenManagerError({
        reason: 'not_found',
        message: 'no tokens are stored under this key: sign the person in',
      })
    }
    if (record.state !== 'rejected') return { value: record, text }
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
   * Replaces a record if it is still the one that was read.
   *
   * @returns `undefined` if the record was changed by another process
   */
  replace(
    key: string,
    from: Stored<TokenRecord | undefined>,
    record: TokenRecord,
  ): Promise<Stored<TokenRecord | undefined> | undefined> {
    return this.#cells.replace(recordName(key), from, record)
  }

  /** @returns `undefined` if another run has the lease of the record */
  async lease(key: string, ttlMs: number): Promise<Lease | undefined> {
    const holder = crypto.randomUUID()
    const options = { store: this.#store, key: lockName(key), holder, ttlMs, timing: this.#timing, lost }
    const lease = await Lease.acquire(options)
    return lease instanceof Lease ? lease : undefined
  }
}

/** The work checks how much time is left, so nothing reads this. */
const lost = (cause?: unknown) => new StoreError({ message: 'the lease of these tokens has ended', cause })

const recordName = (key: string) => `tokens:${key}`
const lockName = (key: string) => `tokens-lock:${key}`
