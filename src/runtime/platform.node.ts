import { isUtf8 } from 'node:buffer'
import type { FormFile } from './form-file.ts'

let loaded: typeof import('node:crypto') | undefined

/** Loaded when first needed, because most calls do not need it. */
function nodeCrypto() {
  loaded ??= process.getBuiltinModule('node:crypto')
  return loaded
}

/** True if undici can be used. Bun and Deno load this file too, but work better with their own fetch. */
export const supportsDispatchers = (): boolean => !('bun' in process.versions || 'deno' in process.versions)

/** Returns the HMAC-SHA256 of a text. */
export const hmacSha256 = (key: string, text: string): Uint8Array =>
  nodeCrypto().createHmac('sha256', key).update(text).digest()

/** Returns the HMAC-SHA256 of `head` and `body`, joined, in lowercase hexadecimal digits. */
export const hmacSha256Hex = (key: string, head: string, body: string | Uint8Array): string =>
  nodeCrypto().createHmac('sha256', key).update(head).update(body).digest('hex')

/** Compares in a time that depends only on the lengths. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && nodeCrypto().timingSafeEqual(a, b)
}

/** Compares two texts in a time that depends only on their lengths. */
export const equalTexts = (a: string, b: string): boolean => equalBytes(Buffer.from(a), Buffer.from(b))

/** Decodes UTF-8 and keeps a byte order mark. Returns `undefined` if the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  const buffer =
    bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('utf8')
  // Invalid bytes decode to this character. Only if it occurs are the bytes checked.
  return text.includes('\uFFFD') && !isUtf8(bytes) ? undefined : text
}

export const joinBytes = (parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts)

export const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

/** Decodes valid base64, with or without padding. */
export const fromBase64 = (digits: string): Uint8Array => Buffer.from(digits, 'base64')

/** Returns what surrounds the files of a multipart form: before each one and after the last. Text fields are first. */
export async function formFrames(
  boundary: string,
  fields: readonly (readonly [name: string, value: string])[],
  files: readonly FormFile[],
): Promise<Uint8Array[]> {
  const { default: FormData } = await import('form-data')
  const form = new FormData()
  form.setBoundary(boundary)
  for (const [name, value] of fields) form.append(name, value)
  const afterContent = `\r\n--${boundary}--\r\n`.length
  const noContent = Buffer.alloc(0)
  const frames: Uint8Array[] = []
  let written = 0
  for (const { field, filename, contentType } of files) {
    form.append(field, noContent, { filename, contentType })
    const soFar = form.getBuffer()
    frames.push(soFar.subarray(written, soFar.byteLength - afterContent))
    written = soFar.byteLength - afterContent
  }
  frames.push(form.getBuffer().subarray(written))
  return frames
}

export const randomUUID = (): string => nodeCrypto().randomUUID()
