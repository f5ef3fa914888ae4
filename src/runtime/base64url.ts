import { fromBase64, toBase64 } from './bytes.ts'

/** Whole groups, then a rest whose unused bits are zero, so that two texts never encode the same bytes. */
const form = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$/

/** True for strict base64url: no padding, no other characters, unused bits zero. Empty text is valid. */
export const isBase64url = (text: string): boolean => form.test(text)

/** Decodes valid base64url. */
export const fromBase64url = (text: string): Uint8Array<ArrayBuffer> =>
  fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))

export const toBase64url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
