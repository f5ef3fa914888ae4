import { fromBase64 } from '../../runtime/bytes.ts'

/** Decodes UTF-8. Bytes before and after a text may belong to something else, so errors are ignored. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

export const fromHex = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** Decodes a word from base64, base64url and hexadecimal, at every alignment. Most of the results mean nothing. */
export function decodings(word: string): string[] {
  const digits = word.replaceAll('-', '+').replaceAll('_', '/')
  const inBase64 = [0, 1, 2, 3].map((start) =>
    // A single remaining digit does not encode a byte.
    textOf(fromBase64(digits.slice(start, (digits.length - start) % 4 === 1 ? -1 : undefined))),
  )
  const inHex = (word.match(/[\da-f]{8,}/gi) ?? []).flatMap((run) =>
    [0, 1].map((start) => textOf(fromHex(run.slice(start)))),
  )
  return [...inBase64, ...inHex]
}
