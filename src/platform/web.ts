const encoder = new TextEncoder()
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const toBytes = (chunk: string | Uint8Array) => (typeof chunk === 'string' ? encoder.encode(chunk) : chunk)

/** HMAC-SHA256 of the chunks, one after the other. */
export async function hmacSha256(
  key: string,
  ...chunks: readonly (string | Uint8Array)[]
): Promise<Uint8Array> {
  const parts = chunks.map(toBytes)
  const message = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0))
  let offset = 0
  for (const part of parts) {
    message.set(part, offset)
    offset += part.byteLength
  }
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', encoder.encode(key), algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message))
}

/** The same in lower-case hexadecimal digits. */
export async function hmacSha256Hex(
  key: string,
  ...chunks: readonly (string | Uint8Array)[]
): Promise<string> {
  const hmac = await hmacSha256(key, ...chunks)
  return Array.from(hmac, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Compares in a time that depends on the lengths alone. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.byteLength !== b.byteLength) return false
  let difference = 0
  for (let i = 0; i < a.byteLength; i++) difference |= (a[i] as number) ^ (b[i] as number)
  return difference === 0
}

/** Compares two HMACs in hexadecimal digits in a time that does not depend on them. */
export function equalHmacs(a: string, b: string): boolean {
  return a.length === 64 && equalBytes(encoder.encode(a), encoder.encode(b))
}

/** The text of valid UTF-8, a byte order mark kept; `undefined` for anything else. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes)
  } catch {
    return undefined
  }
}

export const randomUUID = () => crypto.randomUUID()
