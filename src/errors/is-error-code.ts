import type { ErrorCode } from '../contract/errors/codes.ts'
import type { Unlisted } from '../contract/schema/open-types.ts'
import type { ErrorWithCode, SdkErrorCode } from './any-sdk-error.ts'
import { isSdkError } from './is-sdk-error.ts'

const ownCodes: Readonly<Record<SdkErrorCode, true>> = {
  aborted: true,
  callback_refused: true,
  check_not_passed: true,
  configuration: true,
  connection_failed: true,
  emulator_misused: true,
  invalid_params: true,
  invalid_response: true,
  outcome_unknown: true,
  session_ended: true,
  spend_limit: true,
  store_failed: true,
  timeout: true,
  token_manager: true,
  token_refused: true,
  wait_timeout: true,
  webhook_refused: true,
}

/**
 * Returns whether an error has one of these codes, and narrows it: to its class for a code of this package, and to an
 * `ApiError` for a code of the service. Also works across bundles and realms.
 *
 * @see service contract, section 7
 *
 * @example
 * if (isErrorCode(error, 'already_decided')) console.log(error.details.status)
 * if (isErrorCode(error, 'timeout', 'connection_failed')) console.log(error.mayHaveArrived)
 */
export function isErrorCode<const Code extends SdkErrorCode | Exclude<ErrorCode, Unlisted>>(
  error: unknown,
  ...codes: readonly [Code, ...Code[]]
): error is ErrorWithCode<Code> {
  if (!isSdkError(error)) return false
  // A code that the contract does not list may be spelled like one of ours. Only service errors have `retryable`.
  const isOwn = !('retryable' in error)
  return codes.some((code) => error.code === code && Object.hasOwn(ownCodes, code) === isOwn)
}
