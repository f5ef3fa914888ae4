import { redactValues, shortestFragment } from './redact.ts'
import { lettersOf } from './views.ts'

/** Carries values that must not be shown. They are collected when they are read, because most calls never need them. */
export interface SecretsOwner {
  secrets(): readonly string[]
}

/** Longer values are not compared with a request id, because they are texts and images. */
const longestCompared = 4096

/** Eight bytes of readable text in hexadecimal. */
const textInHex = /(?:[2-7][\da-f]){8}/i

/** The same in base64. At every alignment, eight bytes contain two whole groups of three. */
const textInBase64 = /(?:[I-Za-f][C-HS-Xi-ny-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][\w+/-]){2}/

const escapes = /[%&+\\]/

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
  if ([escapes, textInHex, textInBase64].some((pattern) => pattern.test(id))) return true
  const plain = id.toLowerCase()
  if (secrets.some((secret) => plain.includes(secret.toLowerCase()))) return true
  const carried = lettersOf(secrets.join('')).toLowerCase()
  // If the id has eight letters of a value in a row, at least one of these blocks is among them.
  const blocks = lettersOf(plain).match(/.{4}/g) ?? []
  return blocks.some((block) => carried.includes(block))
}
