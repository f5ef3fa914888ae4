import type { AnySdkError } from './any-sdk-error.ts'
import { hasBrand } from './sdk-error.ts'

/**
 * Returns whether an error comes from this package, and narrows it to {@link AnySdkError}. Also works across bundles
 * and realms.
 *
 * @example
 * try {
 *   await client.sessions.retrieve(id)
 * } catch (error) {
 *   if (!isSdkError(error)) throw error
 *   if (error.name === 'NotFoundError') console.log('the session does not exist')
 *   else logger.warn({ code: error.code })
 * }
 */
export function isSdkError(error: unknown): error is AnySdkError {
  return hasBrand(error)
}
