import { redactValues, shortestFragment } from './redact.ts'
import { lettersOf } from './views.ts'

/** Carries values that must not be shown. They are collected when they are read, because most calls never need them. */
export interface SecretsOwner {
  secrets(): readonly string[]
}

/** Longer values are not compared with a request id, because they are texts and images. */
const longestCompared = 4096

/** An escape, or eight bytes of readable text in hexadecimal. */
const escapeOrHex = /[%&+\\]|(?:[2-7][\da-f]){8}/i

/** The same in base64. At every alignment, eight bytes contain two whole groups of three. */
const textInBase64 = /(?:[I-Za-f][C-HS-Xi-ny-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][\w+/-]){2}/

/** Returns a request id if it has the usual form and does not echo a value of the request. */
export function plainRequestId(value: string | null, owner: SecretsOwner): string | undefined {
  if (value === null || !/^[\x21-\x7e]{1,200}$/.test(value)) return undefined
  const secrets = owner
    .secrets()
    .filter(({ length }) => length >= shortestFragment && length <= longestCompared)
  return mayEcho(value, secrets) && redactValues(value, secrets) !== value ? undefined : value
}

/** Whether a search is worth its time. Every call runs this, and most ids are random. */
function mayEcho(id: string, secrets: readonly string[]): boolean {
  if (escapeOrHex.test(id) || textInBase64.test(id)) return true
  const plain = id.toLowerCase()
  if (secrets.some((secret) => plain.includes(secret.toLowerCase()))) return true
  const carried = lettersOf(secrets.join('')).toLowerCase()
  const letters = lettersOf(plain)
  // If the id has eight letters of a value in a row, at least one of these blocks of four is among them.
  for (let end = 4; end <= letters.length; end += 4)
    if (carried.includes(letters.slice(end - 4, end))) return true
  return false
}
