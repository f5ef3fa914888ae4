import { hmacSha256, randomUUID } from '#platform'

/** A name for one logical call, such as its idempotency key where the caller gives none. */
export const newName = (): string => randomUUID()

/**
 * The boundary of a multipart body. The same key gives the same one, in this process or another, so that a
 * repeat is the same bytes; and whoever supplies an image cannot know it.
 */
export async function boundaryFor(idempotencyKey: string, credential: string): Promise<string> {
  const mac = await hmacSha256(credential, idempotencyKey)
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
