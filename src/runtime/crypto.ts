import { encodeUtf8 } from './bytes.ts'

let loaded: typeof import('node:crypto') | undefined

/**
 * Returns Node's own cryptography, which is synchronous, or `undefined` on a platform that has only Web Crypto. Loaded
 * when first needed, because most calls do not need it. An import of one module of Node costs 0.5 ms.
 */
export function nodeCrypto(): typeof import('node:crypto') | undefined {
  // The edge runtime of Next.js has the function too, and it throws there. It has no versions.
  loaded ??= globalThis.process?.versions && process.getBuiltinModule('node:crypto')
  return loaded
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

type Chunk = string | Uint8Array

/** Returns the HMAC-SHA256 of a text. A promise where the platform has only Web Crypto. */
export const hmacSha256 = (key: string, text: string): Uint8Array | Promise<Uint8Array> =>
  nodeCrypto()?.createHmac('sha256', key).update(text).digest() ?? webHmac(key, [text])

/** Returns the HMAC-SHA256 of `head` and `body`, joined, in lowercase hexadecimal digits. */
export function hmacSha256Hex(key: string, head: string, body: Chunk): string | Promise<string> {
  const hmac = nodeCrypto()?.createHmac('sha256', key)
  return hmac ? hmac.update(head).update(body).digest('hex') : webHmac(key, [head, body]).then(toHex)
}

/**
 * Returns whether a signature is the HMAC-SHA256 of `head` and `body`, joined, in a time that does not depend on the
 * signature. A promise where the platform has only Web Crypto.
 *
 * @param signature 64 hexadecimal digits
 */
export function isHmacSha256(signature: string, key: string, head: string, body: Chunk): boolean | Promise<boolean> {
  const node = nodeCrypto()
  return node
    ? node.timingSafeEqual(
        node.createHmac('sha256', key).update(head).update(body).digest(),
        Buffer.from(signature, 'hex'),
      )
    : webVerify(signature, key, [head, body])
}

const algorithm = { name: 'HMAC', hash: 'SHA-256' }

const webKey = (key: string, usage: 'sign' | 'verify') =>
  crypto.subtle.importKey('raw', encodeUtf8(key), algorithm, false, [usage])

const joined = (chunks: readonly Chunk[]) => new Blob(chunks as string[]).arrayBuffer()

async function webHmac(key: string, chunks: readonly Chunk[]): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', await webKey(key, 'sign'), await joined(chunks)))
}

async function webVerify(signature: string, key: string, chunks: readonly Chunk[]): Promise<boolean> {
  const mac = Uint8Array.from(signature.match(/../g) ?? [], (digits) => Number(`0x${digits}`))
  return crypto.subtle.verify('HMAC', await webKey(key, 'verify'), mac, await joined(chunks))
}

/** Returns bytes as lowercase hexadecimal digits. */
export const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => (byte + 0x100).toString(16).slice(1)).join('')
