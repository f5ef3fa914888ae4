import { decodings } from './decodings.ts'
import { shortestFragment } from './redact.ts'

/** Carries values that must not be shown. They are collected when they are read, because most calls never need them. */
export interface SecretsOwner {
  secrets(): readonly string[]
}

/** Eight bytes of readable text in hexadecimal. */
const textInHex = /(?:[2-7][\da-f]){8}/i

/** The same in base64. At every alignment, eight bytes contain two whole groups of three. */
const textInBase64 = /(?:[I-Za-f][C-HS-Xi-ny-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][\w+/-]){2}/

/** Returns a request id if it has the usual form and does not echo a value of the request. */
export function plainRequestId(value: string | null, owner: SecretsOwner): string | undefined {
  if (value === null || !/^[\x21-\x7e]{1,200}$/.test(value)) return undefined
  const id = value.toLowerCase()
  // Every call runs this. Most ids are random and cannot be encoded text.
  const decoded = textInHex.test(value) || textInBase64.test(value) ? decodedParts(value) : []
  const echoes = owner.secrets().some((secret) => {
    if (secret.length < shortestFragment || secret.length > value.length) return false
    const hidden = secret.toLowerCase()
    return id.includes(hidden) || decoded.some((text) => text.includes(hidden))
  })
  return echoes ? undefined : value
}

const decodedParts = (value: string) =>
  (value.match(/[\w+/-]{11,}/g) ?? []).flatMap(decodings).map((text) => text.toLowerCase())
