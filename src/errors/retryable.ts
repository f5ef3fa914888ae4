import type { KnownErrorCode } from '../contract/errors/catalog.ts'
import { finalCodes } from '../contract/errors/codes.ts'

/** The 5xx that describe the request: sending the same one again cannot help (RFC 9110, sections 15.6.2 and 15.6.6). */
const finalServerStatuses: ReadonlySet<number> = new Set([501, 505])

/** Whether the service may still have executed a request that got this status. */
export const isOpenStatus = (status: number): boolean =>
  status === 408 || (status >= 500 && status <= 599 && !finalServerStatuses.has(status))

/** An earlier request under the same key is still in progress. */
export const inProgressCode = 'idempotency_in_progress' satisfies KnownErrorCode

/** Whether the same call can succeed later without any change. */
export function isRetryable(status: number, code: string): boolean {
  if (finalCodes.some((final) => final === code)) return false
  return status === 429 || isOpenStatus(status) || code === inProgressCode
}
