import { StoreError } from '../errors/sdk-error.ts'

/** First character of texts that are stored escaped. A text that starts with it is always escaped. */
export const escapeMark = '\u0001'

/**
 * Returns a form of a text that every engine stores unchanged. Postgres rejects NUL. A lone surrogate becomes U+FFFD on
 * its way to an engine, so two texts could become one. Different texts have different forms.
 */
export function encode(text: string, what: 'key' | 'value'): string {
  // A driver would convert `undefined` or a number in its own way: to another key, or to no row.
  if (typeof text !== 'string') throw new StoreError({ message: `the ${what} must be a string` })
  const plain = text.isWellFormed() && !text.includes('\0') && !text.startsWith(escapeMark)
  return plain ? text : escapeMark + JSON.stringify(text)
}

/** Returns the text of a form that {@link encode} returned. */
export function decode(stored: unknown): string {
  if (typeof stored !== 'string')
    throw new StoreError({ message: 'the client must return values as strings' })
  if (!stored.startsWith(escapeMark)) return stored
  try {
    const text: unknown = JSON.parse(stored.slice(escapeMark.length))
    if (typeof text === 'string') return text
  } catch {
    // The parser's error quotes the value, so the error below replaces it.
  }
  throw new StoreError({ message: 'the stored value was not written by this store' })
}
