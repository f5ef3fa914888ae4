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
  const decoded = textInHex.test(value) || textInBase64.test(value) ? decodings(value) : []
  const echoes = owner.secrets().some((secret) => {
    if (secret.length < shortestFragment || secret.length > value.length) return false
    const hidden = secret.toLowerCase()
    return id.includes(hidden) || decoded.some((text) => text.includes(hidden))
  })
  return echoes ? undefined : value
}

/** Decodes a short text from base64 and hexadecimal at every alignment. Returns the results in lower case. */
function decodings(text: string): string[] {
  const digits = text.replaceAll('-', '+').replaceAll('_', '/')
  const inBase64 = (digits.match(/[\w+/]{11,}/g) ?? []).flatMap((run) =>
    // A single remaining digit does not encode a byte.
    [0, 1, 2, 3].map((start) => atob(run.slice(start, (run.length - start) % 4 === 1 ? -1 : undefined))),
  )
  const inHex = (text.match(/[\da-f]{16,}/gi) ?? []).flatMap((run) =>
    [0, 1].map((start) =>
      run.slice(start).replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))),
    ),
  )
  return [...inBase64, ...inHex].map((decoded) => decoded.toLowerCase())
}
