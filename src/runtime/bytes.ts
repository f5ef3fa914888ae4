import { isNode } from './environment.ts'
import { nodeCrypto } from './node-crypto.ts'

/** Node's buffers, where they exist: they are several times faster than what other platforms have. */
const buffers = () => (globalThis as { Buffer?: typeof Buffer }).Buffer

/** Returns the same bytes as a buffer of Node, or `undefined` where there is none. */
function onNode(bytes: Uint8Array): Buffer | undefined {
  const buffer = buffers()
  return buffer?.isBuffer(bytes) ? bytes : buffer?.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

let encoder: InstanceType<typeof TextEncoder> | undefined

/**
 * Encodes UTF-8. A lone surrogate becomes U+FFFD. The encoder is created when first needed, because Jest's jsdom has none:
 * there, a client refuses to run with a message that helps more than a failed import.
 */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  encoder ??= new TextEncoder()
  return encoder.encode(text)
}

/** Compares in a time that depends only on the lengths. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return (
    a.length === b.length &&
    (nodeCrypto()?.timingSafeEqual(a, b) ??
      !a.reduce((difference, byte, i) => difference | (byte ^ (b[i] as number)), 0))
  )
}

/** Compares two texts in a time that depends only on their lengths. */
export const equalTexts = (a: string, b: string): boolean => equalBytes(encodeUtf8(a), encodeUtf8(b))

/** Below, to decode through UTF-16 takes longer than to decode directly. */
const longTextBytes = 4096

/**
 * Decodes a long text on Node, or returns `undefined` if Node was built without ICU. A text that is not ASCII is decoded
 * through UTF-16, which Node 20 and 22 do in a quarter to three quarters of the time: 15 % of a webhook of 20 KiB.
 *
 * @throws the bytes are not valid UTF-8
 */
function decodeLong(bytes: Buffer): string | undefined {
  const { isAscii, transcode }: Partial<typeof import('node:buffer')> =
    process.getBuiltinModule('node:buffer')
  return isAscii?.(bytes)
    ? bytes.toString('latin1')
    : transcode?.(bytes, 'utf8', 'utf16le').toString('utf16le')
}

/** Decodes UTF-8 and keeps a byte order mark. Returns `undefined` if the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  const buffer = onNode(bytes)
  try {
    const long = buffer && bytes.byteLength >= longTextBytes && isNode() ? decodeLong(buffer) : undefined
    if (long !== undefined) return long
    const text = buffer?.toString('utf8')
    // Invalid bytes decode to this character. Only if it occurs are the bytes checked, which takes longer.
    if (text !== undefined && !text.includes('\uFFFD')) return text
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.byteLength
  }
  return bytes
}

/** A multiple of three bytes, and few enough to be passed as arguments. */
const encodedAtOnce = 24_576

export function toBase64(bytes: Uint8Array): string {
  const buffer = onNode(bytes)
  if (buffer) return buffer.toString('base64')
  let digits = ''
  for (let start = 0; start < bytes.byteLength; start += encodedAtOnce)
    digits += btoa(String.fromCharCode(...bytes.subarray(start, start + encodedAtOnce)))
  return digits
}

/** Decodes valid base64, with or without padding. */
export function fromBase64(digits: string): Uint8Array<ArrayBuffer> {
  const buffer = buffers()?.from(digits, 'base64')
  if (buffer) return buffer
  const binary = atob(digits)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

/** Whole groups, then a rest whose unused bits are zero, so that two texts never encode the same bytes. */
const base64urlForm = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$/

/** True for strict base64url: no padding, no other characters, unused bits zero. Empty text is valid. */
export const isBase64url = (text: string): boolean => base64urlForm.test(text)

/** Decodes valid base64url. */
export const fromBase64url = (text: string): Uint8Array<ArrayBuffer> =>
  fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))

export const toBase64url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
