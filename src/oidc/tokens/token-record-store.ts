import { ConfigurationError, StoreError } from '../../errors/sdk-error.ts'
import { TokenManagerError, type TokenManagerReason } from '../../errors/sign-in-errors.ts'
import type { Stream } from '../../observe/stream.ts'
import { aSecret, kindOf } from '../../options/rules.ts'
import { fromBase64url, isBase64url, isBytes, parseJson } from '../../runtime/bytes.ts'
import type { Timing } from '../../runtime/timing.ts'
import { Cells, checkApplication, type Stored } from '../../stores/cell.ts'
import { Lease } from '../../stores/exclusive.ts'
import { guardedStore } from '../../stores/operation.ts'
import type { Store } from '../../stores/store.ts'
import { decryptText, type EncryptedText, encryptText } from '../encryption.ts'
import { keyAdvice, secretAdvice } from '../key-command.ts'
import type { TokenSet } from './token-set.ts'

/** A record that has tokens. */
export type LiveRecord = Exclude<TokenRecord, { state: 'rejected' }>

/** A record of tokens that no refresh uses. */
export type HeldRecord = Extract<TokenRecord, { state: 'held' }>

/** The token records in a store, encrypted if there is a key, and the lease of each record. */
export class TokenRecordStore {
  readonly #store: Store
  readonly #cells: Cells<TokenRecord | undefined>
  readonly #encryption: TokenEncryption
  readonly #application: string | undefined
  readonly #timing: Timing

  constructor(
    owner: string,
    {
      store,
      stream,
      application,
    }: { readonly store: Store; readonly stream: Stream; readonly application: string | undefined },
    encryption: TokenEncryption,
    timing: Timing,
  ) {
    this.#application = application
    this.#store = guardedStore(owner, store, 'the store of tokens', { timing, stream })
    const form = {
      encode: async (name: string, record: TokenRecord | undefined) => (record ? this.#encrypt(name, record) : null),
      decode: async (name: string, text: string | null) => {
        const record = text === null ? undefined : await encryption.decrypt(name, text)
        checkApplication(operation, record?.app, application)
        return record
      },
    }
    this.#cells = new Cells(this.#store, { form, timing })
    this.#encryption = encryption
    this.#timing = timing
  }

  /**
   * @throws {TokenManagerError} `not_found`, `undecryptable` or `refresh_rejected`
   * @throws {ConfigurationError} it is the record of another application
   */
  async read(key: string): Promise<Stored<LiveRecord>> {
    const { value: record, text } = await this.#cells.read(recordName(key))
    if (record === undefined) {
      const why =
        'no tokens are stored under this key: the person has not signed in or has signed out, or the tokens were stored in another process. Processes do not share a memoryStore, and a restart empties it'
      throw new TokenManagerError({ reason: 'not_found', message: `${operation}: ${why}` })
    }
    if (record.state !== 'rejected') return { value: record, text }
    throw noAccessToken('refresh_rejected', 'the service rejected the refresh token')
  }

  async put(key: string, record: TokenRecord): Promise<void> {
    const name = recordName(key)
    await this.#store.set(name, await this.#encrypt(name, record))
  }

  #encrypt(name: string, record: TokenRecord): Promise<string> {
    const app = this.#application
    return this.#encryption.encrypt(name, app === undefined ? record : { ...record, app })
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
    const options = { store: this.#store, key: lockName(key), holder, ttlMs, timing: this.#timing, lost: lockLost }
    const lease = await Lease.acquire(options)
    return lease instanceof Lease ? lease : undefined
  }
}

/** The work checks how much time is left, so nothing reads this. */
const lockLost = (cause?: unknown) => new StoreError({ message: 'the lease of these tokens has ended', cause })

const recordName = (key: string) => `tokens:${key}`
const lockName = (key: string) => `tokens-lock:${key}`

/** What is stored for one person. */
export type TokenRecord = TokenState & {
  /** The application that wrote it. Records of 1.0.0-rc.1 have none. */
  readonly app?: string
}

type TokenState =
  /**
   * `run` identifies the attempt that restored the record, because it had sent nothing, or could not check the id_token.
   * `isUnchecked` is true then: the refresh token may be somebody else's.
   */
  | { readonly state: 'held'; readonly tokens: TokenSet; readonly run?: string; readonly isUnchecked?: boolean }
  /** The refresh token may have been sent. `run` identifies the attempt. */
  | { readonly state: 'refreshing'; readonly tokens: TokenSet; readonly run: string }
  | { readonly state: 'rejected' }

/** Converts records to the text in the store, and back. */
export interface TokenEncryption {
  /** @param name the key of the record in the store. The text can be decrypted only under this name */
  encrypt(name: string, record: TokenRecord): Promise<string>
  /** @throws {TokenManagerError} `undecryptable` */
  decrypt(name: string, text: string): Promise<TokenRecord>
}

/**
 * One key or several, each 32 bytes. The first one encrypts and all decrypt, so that keys can be rotated. In a list,
 * `undefined` and `''` are ignored.
 */
export type EncryptionKeys = Uint8Array | string | readonly (Uint8Array | string | undefined)[]

const keyBytes = 32

/**
 * @param owner what takes the keys: a function
 * @throws {ConfigurationError} the key is missing, or does not have 32 bytes
 */
export function tokenEncryption(owner: string, keys: EncryptionKeys | undefined): TokenEncryption {
  const name = `${owner}: encryptionKey`
  const nameOf = (i: number) => (Array.isArray(keys) ? `${name}[${i}]` : name)
  const readable = [keys].flat().flatMap((key, i) => (key ? readKey(nameOf(i), key) : []))
  // A variable that is not set must not turn encryption off.
  if (readable.length === 0) throw new ConfigurationError({ message: `${name} is missing: ${secretAdvice}` })
  return encryptedWith(readable)
}

function readKey(name: string, key: unknown): Uint8Array {
  if (typeof key === 'string' && !aSecret.allows(key))
    throw new ConfigurationError({ message: `${name} must ${aSecret.form}: ${secretAdvice}` })
  const text = typeof key === 'string' ? key.replace(/=$/, '') : ''
  const bytes = isBytes(key) ? key : isBase64url(text) && fromBase64url(text)
  // A copy, because the caller may change its array, and Node decodes into memory that other texts share.
  if (bytes && bytes.byteLength === keyBytes) return Uint8Array.from(bytes)
  throw new ConfigurationError({
    message: `${name} must be ${keyBytes} bytes, as a Uint8Array or in base64url, not ${describe(key)}. ${keyAdvice}`,
  })
}

/** Describes a key that is not valid, without its content. */
function describe(key: unknown): string {
  if (isBytes(key)) return `${key.byteLength} bytes`
  return typeof key === 'string' ? `a string of ${key.length} characters` : kindOf(key)
}

/** Stores the records as they are. */
export const plainText: TokenEncryption = {
  encrypt: async (_name, record) => JSON.stringify(record),
  async decrypt(_name, text) {
    return parseRecord(text) ?? undecryptable('it is encrypted, and encryptionKey is not set')
  },
}

function encryptedWith(keys: readonly Uint8Array[]): TokenEncryption {
  return {
    async encrypt(name, record) {
      return JSON.stringify(await encryptText(keys[0] as Uint8Array, name, JSON.stringify(record)))
    },
    async decrypt(name, text) {
      const stored = Object(parseJson(text)) as Partial<Record<string, unknown>>
      if (typeof stored.ciphertext !== 'string') return undecryptable('it is not encrypted')
      const decrypted = await decryptText(keys, name, stored as unknown as EncryptedText)
      return (
        parseRecord(decrypted ?? '') ??
        undecryptable('it was encrypted with another encryptionKey, or for another key of the store')
      )
    },
  }
}

function parseRecord(text: string): TokenRecord | undefined {
  const record = Object(parseJson(text)) as Partial<Record<string, unknown>>
  if (record.state === 'rejected') return record as unknown as TokenRecord
  const isKnown = record.state === 'held' || record.state === 'refreshing'
  return isKnown && isTokenSet(record.tokens) ? (record as unknown as TokenRecord) : undefined
}

/** Whether these are tokens that can be stored and returned. */
export function isTokenSet(tokens: unknown): tokens is TokenSet {
  const { access_token, expiresAtSeconds, expires_in } = Object(tokens) as Partial<TokenSet>
  return typeof access_token === 'string' && Number.isFinite(expiresAtSeconds) && Number.isFinite(expires_in)
}

function undecryptable(why: string): never {
  const message = `${operation}: the stored tokens cannot be read: ${why}`
  throw new TokenManagerError({ reason: 'undecryptable', message })
}

/** The one operation that reads tokens. */
const operation = 'tokenManager.getAccessToken'

/** The error of a person who has no tokens, or whose refresh token is not usable. */
export function noAccessToken(reason: TokenManagerReason, why: string, cause?: unknown): TokenManagerError {
  const message = `${operation}: ${why}: the person must sign in again`
  return new TokenManagerError({ reason, message, cause })
}
