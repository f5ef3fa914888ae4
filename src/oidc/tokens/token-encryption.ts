import { ConfigurationError } from '../../errors/sdk-error.ts'
import { TokenManagerError } from '../../errors/sign-in-errors.ts'
import { fromBase64url, isBase64url, toBase64url } from '../../runtime/base64url.ts'
import { loadJose } from '../jose.ts'
import type { TokenSet } from './token-set.ts'

/** What is kept for one person. */
export type TokenRecord =
  | { readonly state: 'held'; readonly tokens: TokenSet }
  /** The refresh token may have been presented; `run` tells one attempt from another. */
  | { readonly state: 'refreshing'; readonly tokens: TokenSet; readonly run: string }
  | { readonly state: 'rejected' }

/** Turns records into what the store holds, and back. */
export interface TokenEncryption {
  encrypt(name: string, record: TokenRecord): Promise<string>
  /** @throws {TokenManagerError} `undecryptable` */
  decrypt(name: string, text: string): Promise<TokenRecord>
}

/** One key, or several: the first encrypts, all decrypt, so that keys can be replaced. */
export type EncryptionKeys = Uint8Array | string | readonly (Uint8Array | string)[]

const keyBytes = 32

/** @throws {ConfigurationError} */
export function tokenEncryption(keys: EncryptionKeys | undefined): TokenEncryption {
  if (keys === undefined) return plainSeal
  const list = Array.isArray(keys) ? keys : [keys]
  if (list.length === 0) throw new ConfigurationError('encryptionKey has no key')
  return encryptedSeal(list.map(readKey))
}

function readKey(given: unknown): Uint8Array {
  const text = typeof given === 'string' ? given.replace(/=$/, '') : ''
  const bytes =
    given instanceof Uint8Array ? Uint8Array.from(given) : isBase64url(text) && fromBase64url(text)
  if (bytes && bytes.byteLength === keyBytes) return bytes
  throw new ConfigurationError(`encryptionKey must be ${keyBytes} bytes, as they are or in base64url`)
}

const plainSeal: TokenEncryption = {
  encrypt: async (_name, record) => JSON.stringify(record),
  async decrypt(_name, text) {
    return recordOf(text) ?? unreadable('it is encrypted, and no encryptionKey is set')
  },
}

function encryptedSeal(keys: readonly Uint8Array[]): TokenEncryption {
  return {
    async encrypt(name, record) {
      const { FlattenedEncrypt } = await loadJose()
      const { aad: _, ...sealed } = await new FlattenedEncrypt(encoder.encode(JSON.stringify(record)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        // A value that is copied to another person's key does not open there.
        .setAdditionalAuthenticatedData(encoder.encode(name))
        .encrypt(keys[0] as Uint8Array)
      return JSON.stringify(sealed)
    },
    async decrypt(name, text) {
      const { flattenedDecrypt } = await loadJose()
      const sealed = membersOf(text)
      if (typeof sealed?.ciphertext !== 'string') return unreadable('it is not encrypted')
      const jwe = { ...sealed, aad: toBase64url(encoder.encode(name)) } as Parameters<
        typeof flattenedDecrypt
      >[0]
      const algorithms = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
      for (const key of keys) {
        const opened = await flattenedDecrypt(jwe, key, algorithms).catch(() => undefined)
        const record = opened && recordOf(decoder.decode(opened.plaintext))
        if (record) return record
      }
      return unreadable('no encryptionKey opens it under this name')
    },
  }
}

function recordOf(text: string): TokenRecord | undefined {
  const record = membersOf(text) as Partial<Record<string, unknown>> | undefined
  if (record?.state === 'rejected') return { state: 'rejected' }
  const isKnown = record?.state === 'held' || record?.state === 'refreshing'
  return isKnown && isTokenSet(record.tokens) ? (record as unknown as TokenRecord) : undefined
}

/** Whether these are tokens that can be kept and given out. */
export function isTokenSet(tokens: unknown): tokens is TokenSet {
  const { access_token, expires_at, expires_in } = Object(tokens) as Partial<TokenSet>
  return typeof access_token === 'string' && Number.isFinite(expires_at) && Number.isFinite(expires_in)
}

function membersOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function unreadable(why: string): never {
  throw new TokenManagerError('undecryptable', `what the store holds cannot be read: ${why}`)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
