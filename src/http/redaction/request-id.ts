import { shortestFragment } from './redact.ts'

/** Eight bytes that can be read, in hexadecimal. */
const textInHex = /(?:[2-7][\da-f]){8}/i

/** The same in base64: wherever its groups of three bytes begin, eight bytes hold two whole ones. */
const textInBase64 = /(?:[I-Za-f][C-HS-Xi-ny-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][\w+/-]){2}/

/** A request id as a service gives them. One that holds something of the request is an echo, and none. */
export function plainRequestId(value: string | null, secrets: () => readonly string[]): string | undefined {
  if (value === null || !/^[\x21-\x7e]{1,200}$/.test(value)) return undefined
  const shown = value.toLowerCase()
  // Every call comes by here. Most ids are random, and cannot be text that was encoded.
  const readings = textInHex.test(value) || textInBase64.test(value) ? readingsOf(value) : []
  const echoes = secrets().some((secret) => {
    if (secret.length < shortestFragment || secret.length > value.length) return false
    const hidden = secret.toLowerCase()
    return shown.includes(hidden) || readings.some((reading) => reading.includes(hidden))
  })
  return echoes ? undefined : value
}

/** What a short text may stand for in base64 and hexadecimal, in lower case. */
function readingsOf(text: string): string[] {
  const digits = text.replaceAll('-', '+').replaceAll('_', '/')
  const inBase64 = (digits.match(/[\w+/]{11,}/g) ?? []).flatMap((run) =>
    // One digit by itself is no byte, and cannot be decoded.
    [0, 1, 2, 3].map((start) => atob(run.slice(start, (run.length - start) % 4 === 1 ? -1 : undefined))),
  )
  const inHex = (text.match(/[\da-f]{16,}/gi) ?? []).flatMap((run) =>
    [0, 1].map((start) =>
      run.slice(start).replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))),
    ),
  )
  return [...inBase64, ...inHex].map((reading) => reading.toLowerCase())
}
