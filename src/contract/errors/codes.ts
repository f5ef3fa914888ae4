import type { Unlisted } from '../schema/open-types.ts'
import { interfacePaths, isUnder } from '../service.ts'
import type { KnownErrorCode } from './catalog.ts'

/**
 * The `code` of a service error: a code of the contract, `http_` and the status if the response has no code, or a code
 * that this version does not list. `session_superseded` comes from the `review` of a verification manager.
 */
export type ErrorCode = KnownErrorCode | `http_${number}` | 'session_superseded' | Unlisted

/** The codes that every operation of an interface can give (contract, sections 2.1, 5 and 7). */
export const commonCodes = {
  verification: ['validation_error', 'invalid_api_key', 'not_found', 'unprocessable', 'rate_limited', 'internal_error'],
  signIn: [],
  organization: ['invalid_request', 'invalid_client', 'unauthorized_client'],
} as const satisfies Readonly<Record<keyof typeof interfacePaths, readonly KnownErrorCode[]>>

/** The codes of every operation that accepts an `Idempotency-Key` (contract, section 7). */
export const idempotencyCodes = ['idempotency_in_progress', 'idempotency_key_reused'] as const

/**
 * Codes that are not retried, although their status suggests it: the service reports a setting that is wrong, or a
 * lock. `retryable` of an error and the advice of the catalog both follow this list.
 */
export const finalCodes = [
  'invalid_config',
  'misconfigured',
  'sso_not_configured',
  'too_many_attempts',
  'verification_soft_locked',
] as const satisfies readonly KnownErrorCode[]

/** The meaning of each status that the contract lists (section 7). It says the same of every 5xx. */
const meanings: Readonly<Record<number, string>> = {
  400: 'A parameter is malformed or missing, a scope is invalid, or a code has expired.',
  401: 'The request is not authenticated.',
  402: 'The wallet balance is exhausted. Add funds to the wallet.',
  403: 'The request is not allowed: a scope is missing, the app is not permitted, or consent was declined.',
  404: 'The resource does not exist, or belongs to another project.',
  409: 'The request conflicts with the current state, or is a duplicate.',
  410: 'The resource is gone.',
  413: 'The image is too large.',
  422: 'The input is rejected: the quality of an image, or validation.',
  423: 'The resource is locked.',
  429: 'There are too many requests.',
}

/** Returns the meaning of a status, or `undefined` if the contract does not list it. */
export const meaningOfStatus = (status: number): string | undefined =>
  status >= 500 ? 'The service failed.' : meanings[status]

/** The contract lists no code for an exhausted wallet (sections 7 and 8), so its response may have none. */
export const emptyWalletStatus = 402

/**
 * True if a response says that the service did nothing, so that every call is safe to retry: a 500 `internal_error`.
 * The contract says so for the verification API only (section 7).
 */
export const isSafeServerError = (path: string, { status, code }: { status: number; code: string }) =>
  status === 500 && code === safeServerCode && isUnder(path, interfacePaths.verification)

const safeServerCode: KnownErrorCode = 'internal_error'
