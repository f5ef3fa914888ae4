import { StoreError } from '../../errors/sdk-error.ts'
import { encodeUtf8, parseJson } from '../../runtime/bytes.ts'
import { decode, encode, escapeMark } from '../encode.ts'

/** A longer key is stored as its hash, because an entry of an index holds at most 2,700 bytes. */
const longestPlainKeyBytes = 1024

/** How the stored form of a long key starts. No other key is stored in such a form. */
export const hashedKeyStart = `${escapeMark}sha256:`

/** How a key and its values are stored in a row. */
interface StoredEntry {
  readonly key: string
  encodeValue(value: string): string
  decodeValue(stored: unknown): string
}

const plainEntry = (key: string): StoredEntry => ({
  key,
  encodeValue: (value) => encode(value, 'value'),
  decodeValue: decode,
})

/** Returns how a key is stored. A long key is stored as its hash, and its value contains the key, for `scan`. */
export async function storedEntry(key: string): Promise<StoredEntry> {
  const text = encode(key, 'key')
  const bytes = encodeUtf8(text)
  if (bytes.byteLength <= longestPlainKeyBytes) return plainEntry(text)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return {
    key: hashedKeyStart + hex,
    encodeValue: (value) => JSON.stringify([text, encode(value, 'value')]),
    decodeValue(stored) {
      const pair = keyAndValue(stored)
      if (pair) return decode(pair[1])
      throw new StoreError({ message: 'the stored value was not written by this store' })
    },
  }
}

/** A row, as a scan reads it. */
export interface ScannedRow {
  readonly key: string
  /** The value, if the key is a hash. */
  readonly pair: string | null
}

/**
 * Returns the stored form of a row's key, as if it were not too long. If another program wrote the row, that is not the
 * form of any key.
 */
export const keyOfRow = ({ key, pair }: ScannedRow): string =>
  pair === null ? key : (keyAndValue(pair)?.[0] ?? hashedKeyStart)

function keyAndValue(stored: unknown): readonly [key: string, value: string] | undefined {
  const pair = parseJson(String(stored))
  const [key, value]: unknown[] = Array.isArray(pair) ? pair : []
  return typeof key === 'string' && typeof value === 'string' ? [key, value] : undefined
}
