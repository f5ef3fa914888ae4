import { encoder } from './bytes.ts'
import { nodeCrypto } from './node-crypto.ts'

type Chunk = string | Uint8Array

/** Returns the HMAC-SHA256 of a text. A promise where the platform has only Web Crypto. */
export const hmacSha256 = (key: string, text: string): Uint8Array | Promise<Uint8Array> =>
  nodeCrypto()?.createHmac('sha256', key).update(text).digest() ?? webHmac(key, [text])

/** Returns the HMAC-SHA256 of `head` and `body`, joined, in lowercase hexadecimal digits. */
export function hmacSha256Hex(key: string, head: string, body: Chunk): string | Promise<string> {
  const hmac = nodeCrypto()?.createHmac('sha256', key)
  return hmac ? hmac.update(head).update(body).digest('hex') : webHmac(key, [head, body]).then(toHex)
}

async function webHmac(key: string, chunks: readonly Chunk[]): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey(
    'raw',
    encoder.encode(key),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  const bytes = await new Blob(chunks as string[]).arrayBuffer()
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytes))
}

const toHex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => (byte + 0x100).toString(16).slice(1)).join('')
