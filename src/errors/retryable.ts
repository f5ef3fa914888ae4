import type { KnownErrorCode } from '../contract/errors/codes.ts'

/** Statuses after which the service may still have executed the request. */
export const openStatuses: ReadonlySet<number> = new Set([408, 500, 502, 503, 504])

/** An earlier request under the same key is still in progress. */
export const inProgressCode = 'idempotency_in_progress' satisfies KnownErrorCode

/** Codes for which no retry helps: a setting has to be fixed, or the lock is intended. */
const finalCodes: ReadonlySet<string> = new Set<KnownErrorCode>([
  'invalid_config',
  'misconfigured',
  'sso_not_configured',
  'too_many_attempts',
  'verification_soft_locked',
])

/** Whether the same call can succeed later without any change. */
export function isRetryable(status: number, code: string): boolean {
  if (finalCodes.has(code)) return false
  return status === 429 || openStatuses.has(status) || code === inProgressCode
}
