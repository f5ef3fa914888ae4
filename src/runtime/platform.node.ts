import { isUtf8 } from 'node:buffer'
import type { KeyObject } from 'node:crypto'
import type { FormFile } from './form-file.ts'

let loaded: typeof import('node:crypto') | undefined

/** Loaded when first needed: most of what a program does with the package needs none of it. */
function nodeCrypto() {
  loaded ??= process.getBuiltinModule('node:crypto')
  return loaded
}

/** Whether calls may go through undici. Bun and Deno take Node's files too, and have a fetch that they do better. */
export const takesDispatchers = (): boolean => !('bun' in process.versions || 'deno' in process.versions)

/** HMAC-SHA256 of a text. */
export const hmacSha256 = (key: string, text: string): Uint8Array =>
  nodeCrypto().createHmac('sha256', key).update(text).digest()

let lastKey: string | undefined
let lastKeyObject: KeyObject

/**
 * The same of a head and what follows it, in lower-case hexadecimal digits. The last key is kept ready: most programs
 * have one.
 */
export function hmacSha256Hex(key: string, head: string, body: string | Uint8Array): string {
  if (key !== lastKey) {
    // Text is taken as UTF-8 where no encoding is named, of which the types do not know.
    lastKeyObject = nodeCrypto().createSecretKey(key as never)
    lastKey = key
  }
  return nodeCrypto().createHmac('sha256', lastKeyObject).update(head).update(body).digest('hex')
}

/** Compares in a time that depends on the lengths alone. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && nodeCrypto().timingSafeEqual(a, b)
}

// Reused, since two new Buffers would cost more than the comparison; nothing else runs between write and use.
const left = Buffer.alloc(64)
const right = Buffer.alloc(64)

/** Compares an HMAC of 64 hexadecimal digits with any text, in a time that does not depend on the digits. */
export function equalHmacs(a: string, b: string): boolean {
  left.write(a)
  right.write(b)
  // Text of another length was cut off, or did not fill the bytes: those may be equal where the texts are not.
  return nodeCrypto().timingSafeEqual(left, right) && a === b
}

/** The text of valid UTF-8, a byte order mark kept; `undefined` for anything else. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  const buffer =
    bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = buffer.toString('utf8')
  // What is not valid becomes this character: where it does not occur, a second look at the bytes is saved.
  return text.includes('\uFFFD') && !isUtf8(bytes) ? undefined : text
}

export const joinBytes = (parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts)

export const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

/** Decodes digits that are known to be base64, with or without their padding. */
export const fromBase64 = (digits: string): Uint8Array => Buffer.from(digits, 'base64')

/** What stands around the files of a multipart form: before each one, and after the last. Text fields come first. */
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
  const nothing = Buffer.alloc(0)
  const frames: Uint8Array[] = []
  let written = 0
  for (const { field, filename, contentType } of files) {
    form.append(field, nothing, { filename, contentType })
    const soFar = form.getBuffer()
    frames.push(soFar.subarray(written, soFar.byteLength - afterContent))
    written = soFar.byteLength - afterContent
  }
  frames.push(form.getBuffer().subarray(written))
  return frames
}

export const randomUUID = (): string => nodeCrypto().randomUUID()
