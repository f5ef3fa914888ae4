import type { FlattenedJWE } from 'jose'
import { encodeUtf8, toBase64url } from '../runtime/bytes.ts'

/** A JWE (A256GCM) without the name that its text is bound to. */
export type EncryptedText = Omit<FlattenedJWE, 'aad'>

/**
 * Encrypts a text.
 *
 * @param key 32 bytes
 * @param name what the text belongs to. It can be decrypted only with the same name, so that it cannot be copied to
 *   another place
 */
export async function encryptText(key: Uint8Array, name: string, text: string): Promise<EncryptedText> {
  const { FlattenedEncrypt } = await import('#jose')
  const { aad: _, ...encrypted } = await new FlattenedEncrypt(encodeUtf8(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setAdditionalAuthenticatedData(encodeUtf8(name))
    .encrypt(key)
  return encrypted
}

/** Decrypts a text with the first key that fits. Returns `undefined` if none does, or if anything was changed. */
export async function decryptText(
  keys: readonly Uint8Array[],
  name: string,
  encrypted: EncryptedText,
): Promise<string | undefined> {
  const { flattenedDecrypt } = await import('#jose')
  const jwe = { ...encrypted, aad: toBase64url(encodeUtf8(name)) }
  const algorithms = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
  for (const key of keys) {
    const decrypted = await flattenedDecrypt(jwe, key, algorithms).catch(() => undefined)
    if (decrypted) return new TextDecoder().decode(decrypted.plaintext)
  }
  return undefined
}
