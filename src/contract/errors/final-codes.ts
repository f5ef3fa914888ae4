import type { KnownErrorCode } from './codes.ts'

/**
 * Codes that are not retried, although their status suggests it: the service reports a setting that is wrong, or a lock.
 * `retryable` of an error and the advice of the catalog both follow this list.
 */
export const finalCodes = [
  'invalid_config',
  'misconfigured',
  'sso_not_configured',
  'too_many_attempts',
  'verification_soft_locked',
] as const satisfies readonly KnownErrorCode[]

export type FinalCode = (typeof finalCodes)[number]
