import { hmacSha256Hex, randomUUID } from '#platform'

/** A random UUID: the id of one call, and its idempotency key where the caller gives none. */
export const newId = (): string => randomUUID()

/**
 * The boundary of a multipart body. The same key gives the same one, in this process or another, so that a
 * repeat is the same bytes; and whoever supplies an image cannot know it.
 */
export const boundaryFor = async (idempotencyKey: string, credential: string): Promise<string> =>
  hmacSha256Hex(credential, '', idempotencyKey)
