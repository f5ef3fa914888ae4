import { isUtf8 } from 'node:buffer'
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'

/** HMAC-SHA256 of the chunks, one after the other. */
export function hmacSha256(key: string, ...chunks: readonly (string | Uint8Array)[]): Uint8Array {
  const hmac = createHmac('sha256', key)
  for (const chunk of chunks) hmac.update(chunk)
  return hmac.digest()
}

/** Compares in a time that depends on the lengths alone. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && timingSafeEqual(a, b)
}

/** The text of valid UTF-8, a byte order mark kept; `undefined` for anything else. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

export { randomUUID }
