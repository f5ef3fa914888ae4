import type { FormFile } from './form-file.ts'

/** False, because undici needs Node. */
export const supportsDispatchers = (): boolean => false

const encoder = new TextEncoder()
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const toBytes = (chunk: string | Uint8Array) => (typeof chunk === 'string' ? encoder.encode(chunk) : chunk)

/** Returns the HMAC-SHA256 of a text. */
export const hmacSha256 = (key: string, text: string): Promise<Uint8Array> =>
  hmacOf(key, encoder.encode(text))

/** Returns the HMAC-SHA256 of `head` and `body`, joined, in lowercase hexadecimal digits. */
export async function hmacSha256Hex(key: string, head: string, body: string | Uint8Array): Promise<string> {
  const hmac = await hmacOf(key, joinBytes([head, body].map(toBytes)))
  return Array.from(hmac, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function hmacOf(key: string, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', encoder.encode(key), algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message))
}

/** Compares in a time that depends only on the lengths. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.byteLength !== b.byteLength) return false
  let difference = 0
  for (let i = 0; i < a.byteLength; i++) difference |= (a[i] as number) ^ (b[i] as number)
  return difference === 0
}

/** Compares two texts in a time that depends only on their lengths. */
export const equalTexts = (a: string, b: string): boolean => equalBytes(encoder.encode(a), encoder.encode(b))

/** Decodes UTF-8 and keeps a byte order mark. Returns `undefined` if the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes)
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
const encodedAtOnce = 3 * 8192

export function toBase64(bytes: Uint8Array): string {
  let digits = ''
  for (let start = 0; start < bytes.byteLength; start += encodedAtOnce)
    digits += btoa(String.fromCharCode(...bytes.subarray(start, start + encodedAtOnce)))
  return digits
}

/** Decodes valid base64, with or without padding. */
export function fromBase64(digits: string): Uint8Array {
  const binary = atob(digits)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

/** Returns what surrounds the files of a multipart form: before each one and after the last. Text fields are first. */
export async function formFrames(
  boundary: string,
  fields: readonly (readonly [name: string, value: string])[],
  files: readonly FormFile[],
): Promise<Uint8Array[]> {
  // The same bytes that form-data writes on Node, because a retry from another runtime must have an identical body.
  const part = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"`
  let text = fields.map(([name, value]) => `${part(name)}\r\n\r\n${value}\r\n`).join('')
  const frames = files.map(({ field, filename, contentType }) => {
    const head = `${part(field)}; filename="${escaped(filename)}"\r\nContent-Type: ${contentType}\r\n\r\n`
    const frame = encoder.encode(text + head)
    text = '\r\n'
    return frame
  })
  return [...frames, encoder.encode(`${text}--${boundary}--\r\n`)]
}

const escaped = (name: string) => name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')

export const randomUUID = () => crypto.randomUUID()
