import { StoreError } from '../errors/sdk-error.ts'
import { parseJson } from '../runtime/bytes.ts'

/** First character of texts that are stored escaped. A text that starts with it is always escaped. */
export const escapeMark = '\u0001'

/**
 * Returns a form of a text that every engine stores unchanged. Postgres rejects NUL. A lone surrogate becomes U+FFFD on
 * its way to an engine, so two texts could become one. Different texts have different forms.
 */
export function encode(text: string, what: 'key' | 'value'): string {
  // A driver would convert `undefined` or a number in its own way: to another key, or to no row.
  if (typeof text !== 'string') throw new StoreError({ message: `the ${what} must be a string` })
  return isPlain(text) ? text : escapeMark + JSON.stringify(text)
}

const isPlain = (text: string) => text.isWellFormed() && !text.includes('\0') && !text.startsWith(escapeMark)

/**
 * Returns how the stored forms of all keys that start with a prefix start. Other stored forms may start in the same
 * way, so compare the decoded keys with the prefix.
 */
export function storedStarts(prefix: string): string[] {
  if (typeof prefix !== 'string') throw new StoreError({ message: 'the prefix must be a string' })
  // In a key, the second half of a surrogate pair may follow.
  const whole = prefix.replace(/[\ud800-\udbff]$/, '')
  if (whole === '') return ['']
  return isPlain(whole) ? [whole, escapeMark] : [escapeMark]
}

/** Returns the key of a stored form, or `undefined` if it is not the form of a key that starts with the prefix. */
export function keyWithPrefix(stored: string, prefix: string): string | undefined {
  try {
    const key = decode(stored)
    if (key.startsWith(prefix)) return key
  } catch {
    // Another program wrote it.
  }
  return undefined
}

/** Returns the text of a form that {@link encode} returned. */
export function decode(stored: unknown): string {
  if (typeof stored !== 'string') throw new StoreError({ message: 'the client must return values as strings' })
  if (!stored.startsWith(escapeMark)) return stored
  const text = parseJson(stored.slice(escapeMark.length))
  if (typeof text === 'string') return text
  throw new StoreError({ message: 'the stored value was not written by this store' })
}
