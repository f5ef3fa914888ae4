import { StoreError } from '../errors/sdk-error.ts'

/** Begins what is stored in another spelling. No text is stored as it is that begins with it. */
export const escapeMark = '\u0001'

/**
 * A spelling of any text that every engine keeps as it is, a different one for each text: Postgres refuses NUL,
 * and half a surrogate pair turns into a replacement sign on its way, which other texts hold as well.
 */
export function encode(text: string, what: 'key' | 'value'): string {
  // A driver would spell `undefined` or a number in its own way: another key, or no row.
  if (typeof text !== 'string') throw new StoreError(`a ${what} of a store must be a string`)
  const plain = text.isWellFormed() && !text.includes('\0') && !text.startsWith(escapeMark)
  return plain ? text : escapeMark + JSON.stringify(text)
}

/** The text of such a spelling, read back from an engine. */
export function decode(stored: unknown): string {
  if (typeof stored !== 'string') throw new StoreError('the client of the store does not give values as text')
  if (!stored.startsWith(escapeMark)) return stored
  try {
    const text: unknown = JSON.parse(stored.slice(escapeMark.length))
    if (typeof text === 'string') return text
  } catch {
    // Told below, without the value.
  }
  throw new StoreError('the value was not written by this store')
}
