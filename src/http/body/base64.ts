import { fromBase64url as decode } from '../../runtime/bytes.ts'

/** Form libraries add the name of the file, and each of its letters may be encoded. */
const longestHead = 4096
/** One of the two alphabets, not a mixture. */
const digitsAndPadding = /^([A-Za-z0-9+/]+|[\w-]+)(={0,2})$/

/** Returns the head of a data URL with base64, up to its comma, as `fetch` reads it. */
function headOf(text: string): string {
  const [head = ''] = /^data:[^,]*,/i.exec(text.slice(0, longestHead)) ?? []
  return /; *base64,$/i.test(head) ? head : ''
}

/** Removes the head of a data URL, and line breaks, which are common in base64. */
const payloadOf = (text: string) =>
  text
    .slice(headOf(text).length)
    .replace(/[\r\n]+/g, '')
    .trim()

/**
 * Returns the number of bytes that base64, base64url or a data URL encodes, or `undefined` for any other value. Padding
 * may be missing, but not wrong.
 */
export function decodedLength(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined
  const payload = payloadOf(text)
  const [, digits, padding] = digitsAndPadding.exec(payload) ?? []
  if (digits === undefined || digits.length % 4 === 1) return undefined
  if (padding !== '' && payload.length % 4 !== 0) return undefined
  return Math.floor((digits.length * 3) / 4)
}

/** Decodes text for which {@link decodedLength} is defined. */
export const decodedImage = (text: string): { bytes: Uint8Array; contentType: string | undefined } => ({
  bytes: decode(payloadOf(text)),
  contentType: /^data:([\w.+-]+\/[\w.+-]+) *;/i.exec(headOf(text))?.[1]?.toLowerCase(),
})
