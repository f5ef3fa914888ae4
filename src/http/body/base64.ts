import * as platform from '#platform'

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+=[\w.+-]+)*;base64,/i
const longestPrefix = 256
const digitsAndPadding = /^([A-Za-z0-9+/]+)(={0,2})$/

const prefixOf = (text: string) => dataUrl.exec(text.slice(0, longestPrefix))

/** The base64 digits alone: line breaks in them are common and mean nothing. */
const payloadOf = (text: string) =>
  text
    .slice(prefixOf(text)?.[0].length ?? 0)
    .replace(/[\r\n]+/g, '')
    .trim()

/** How many bytes base64 or a data URL stands for; `undefined` for what is neither. Padding may be missing, not wrong. */
export function decodedLength(text: string): number | undefined {
  const payload = payloadOf(text)
  const [, digits, padding] = digitsAndPadding.exec(payload) ?? []
  if (digits === undefined || digits.length % 4 === 1) return undefined
  if (padding !== '' && payload.length % 4 !== 0) return undefined
  return Math.floor((digits.length * 3) / 4)
}

/** Decodes text that has a {@link decodedLength}. */
export const fromBase64 = (text: string): { bytes: Uint8Array; contentType: string | undefined } => ({
  bytes: platform.fromBase64(payloadOf(text)),
  contentType: prefixOf(text)?.[1]?.toLowerCase(),
})
