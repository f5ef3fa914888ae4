/** The codes of the package's own errors, declared here and by the class of each. The service uses none of them. */
export const sdkErrorCodes = [
  'aborted',
  'callback_refused',
  'check_not_passed',
  'configuration',
  'connection_failed',
  'emulator_misused',
  'invalid_params',
  'invalid_response',
  'not_verified',
  'outcome_unknown',
  'session_ended',
  'spend_limit',
  'store_failed',
  'timeout',
  'token_manager',
  'token_refused',
  'verification_limit',
  'wait_timeout',
  'webhook_refused',
] as const

/**
 * Every `code` of the package's own errors. The service uses none of them.
 *
 * @useDeclaredType
 */
export type SdkErrorCode = (typeof sdkErrorCodes)[number]
