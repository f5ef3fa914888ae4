import type { ErrorAdvice, ErrorCatalogEntry } from '../contract/errors/catalog.ts'
import type { OwnError } from './any-sdk-error.ts'
import type { SdkErrorCode } from './sdk-error-codes.ts'

/** Every `reason` of the package's own errors. */
export type ErrorReason = Extract<OwnError, { readonly reason: string }>['reason']

type Entry = Omit<ErrorCatalogEntry, 'statuses'>

export const byCaller: ErrorAdvice = { actor: 'caller', retry: 'after_change' }
const byPerson: ErrorAdvice = { actor: 'end_user', retry: 'after_change' }
const byOperator: ErrorAdvice = { actor: 'operator', retry: 'later' }
/** The wallet is empty. */
export const byPayment: ErrorAdvice = { actor: 'operator', retry: 'after_change' }
export const byWaiting: ErrorAdvice = { actor: 'wait', retry: 'later' }
/** What was rejected is forged, malformed or used up: only another one can be accepted. */
const byStartingOver: ErrorAdvice = { actor: 'caller', retry: 'never' }

/** The meaning and the advice for each code of the package's own errors. */
export const ownCodes: Readonly<Record<SdkErrorCode, Entry>> = {
  aborted: {
    meaning: 'The `signal` of the caller aborted the call.',
    advice: byCaller,
  },
  callback_refused: {
    meaning: 'The callback of a sign-in was rejected: see `reason`. Offer a link to sign in again.',
    advice: byPerson,
  },
  check_not_passed: {
    meaning: 'A check did not pass: see `failed`.',
    advice: byPerson,
  },
  configuration: {
    meaning: 'An option or a setting is invalid: the message names it.',
    advice: byCaller,
  },
  connection_failed: {
    meaning:
      'No response was received: see `cause`. Check `baseUrl`, the network and the proxy. A write with `mayHaveArrived` may have been executed: check before you send it again.',
    advice: byWaiting,
  },
  emulator_misused: {
    meaning: 'A control of the emulator was called with something that is not possible.',
    advice: byCaller,
  },
  invalid_params: {
    meaning: 'A param or an option of a call is invalid, and nothing was sent: see `issues`.',
    advice: byCaller,
  },
  invalid_response: {
    meaning: 'A response is not as documented; a proxy may have sent it: see `snippet`. Check `baseUrl`.',
    advice: byOperator,
  },
  not_verified: {
    meaning: 'The person is not verified as required: see `reason`.',
    advice: byPerson,
  },
  outcome_unknown: {
    meaning:
      'A billable request may have been executed. Retry with the `idempotencyKey` of the error, so that the service can recognize the call.',
    advice: byWaiting,
  },
  session_ended: {
    meaning: 'The session ended without a decision: it was abandoned or has expired. Create a new session.',
    advice: byStartingOver,
  },
  spend_limit: {
    meaning:
      'The `spendLimit` of the client stopped a billable call before it was sent: see `reason` and `retryAfterMs`.',
    advice: byWaiting,
  },
  store_failed: {
    meaning: 'A store failed or could not be reached: see `cause`.',
    advice: byOperator,
  },
  timeout: {
    meaning:
      'An attempt took longer than `timeoutMs`, or the call longer than `deadlineMs`: see `limit`. A write with `mayHaveArrived` may have been executed: check before you send it again.',
    advice: byWaiting,
  },
  token_manager: {
    meaning: 'There is no usable access token, so the person must sign in again: see `reason`.',
    advice: byPerson,
  },
  token_refused: {
    meaning: 'A token was rejected: see `reason`.',
    advice: byPerson,
  },
  verification_limit: {
    meaning:
      'As many sessions were created for the person as the `limit` of the verification manager allows. Retry after `retryAfterMs`.',
    advice: byWaiting,
  },
  wait_timeout: {
    meaning:
      'There was no decision within the time limit, and the session continues. Wait again, or handle the webhook.',
    advice: byWaiting,
  },
  webhook_refused: {
    meaning: 'A webhook delivery was rejected: see `reason`.',
    advice: byCaller,
  },
}

/** The meaning and the advice for each reason. Errors of several classes may have one reason. */
export const ownReasons: Readonly<Record<ErrorReason, Entry>> = {
  // Webhook deliveries.
  body_incomplete: {
    meaning: 'The connection closed before the whole body of a webhook was received. It may be sent again.',
    advice: byWaiting,
  },
  body_not_raw: {
    meaning:
      'The body of a webhook was parsed before it was verified. Pass the raw bytes: mount the handler before body parsers.',
    advice: byCaller,
  },
  body_too_large: {
    meaning: 'The body of a webhook is larger than `maxBodyBytes` of the handler.',
    advice: byCaller,
  },
  invalid_payload: {
    meaning: 'The signature of a webhook is valid, but its payload is not an event of the documented form.',
    advice: byOperator,
  },
  malformed_header: {
    meaning: 'A signature header of a webhook was sent twice or is malformed. A proxy may have changed it.',
    advice: byCaller,
  },
  missing_header: {
    meaning:
      'A signature header of a webhook is missing. A proxy may remove it, or the request is not from the service.',
    advice: byCaller,
  },
  signature_mismatch: {
    meaning:
      'A signature does not match. For a webhook, check `SVC_WEBHOOK_SECRET` and that the handler gets the raw body. For a token, check that it is from this service.',
    advice: byCaller,
  },
  timestamp_out_of_tolerance: {
    meaning: 'The timestamp of a webhook is too far from now. Check the clock of the server.',
    advice: byOperator,
  },
  // Callbacks of a sign-in.
  authorization_error: {
    meaning:
      'The person declined, or the service could not continue: see `error`, then offer to sign in again.',
    advice: byPerson,
  },
  issuer_mismatch: {
    meaning:
      'The issuer of a callback or of a token is not the one that the client expects. Check `baseUrl` and `issuer`.',
    advice: byCaller,
  },
  missing_code: {
    meaning: 'The callback has no `code`. Offer a link to sign in again.',
    advice: byPerson,
  },
  repeated_parameter: {
    meaning: 'A parameter of the callback occurs more than once, which the service never sends.',
    advice: byStartingOver,
  },
  state_mismatch: {
    meaning:
      'The callback does not belong to a sign-in of this browser: it is stale or forged, or the cookie was set for another host, such as `localhost` instead of `127.0.0.1`.',
    advice: byPerson,
  },
  // Tokens.
  access_token_mismatch: {
    meaning: 'The `at_hash` of an id_token does not match the access token.',
    advice: byStartingOver,
  },
  audience_mismatch: {
    meaning:
      'The token was issued for another audience. Check the client id, or the `audience` that you pass.',
    advice: byCaller,
  },
  authorized_party_mismatch: {
    meaning: 'The `azp` claim of the token is not your client id.',
    advice: byCaller,
  },
  duplicate_member: {
    meaning: 'The token contains a member twice, so its content is ambiguous.',
    advice: byStartingOver,
  },
  encrypted: {
    meaning: 'The token is encrypted (JWE). Only signed tokens are accepted.',
    advice: byStartingOver,
  },
  expired: {
    meaning: 'The token has expired. Refresh it, or have the person sign in again.',
    advice: byPerson,
  },
  forbidden_header: {
    meaning: 'The header of the token has a critical extension, a key or the URL of a key.',
    advice: byStartingOver,
  },
  issued_in_future: {
    meaning: 'The token was issued in the future. Check the clock of the server.',
    advice: byOperator,
  },
  key_not_found: {
    meaning: 'No key of the key set has the key id of the token. Check that the token is from this service.',
    advice: byWaiting,
  },
  keys_unavailable: {
    meaning: 'The key set could not be fetched, and no key of an earlier fetch matches.',
    advice: byWaiting,
  },
  malformed: {
    meaning: 'The text is not a token (a compact JWS).',
    advice: byStartingOver,
  },
  malformed_claim: {
    meaning: 'A claim of the token has the wrong type: see `claim`.',
    advice: byStartingOver,
  },
  missing_claim: {
    meaning: 'A required claim of the token is missing: see `claim`.',
    advice: byStartingOver,
  },
  missing_scope: {
    meaning: 'The access token does not have the required scope. Request it when the person signs in.',
    advice: byCaller,
  },
  nonce_mismatch: {
    meaning: 'The `nonce` of the id_token is not that of this sign-in.',
    advice: byPerson,
  },
  not_yet_valid: {
    meaning: 'The token is not valid yet (`nbf`). Check the clock of the server.',
    advice: byOperator,
  },
  subject_mismatch: {
    meaning: 'The token is for another person than expected.',
    advice: byPerson,
  },
  too_large: {
    meaning: 'The token is larger than 64 KiB.',
    advice: byStartingOver,
  },
  unexpected_type: {
    meaning: 'The token is of another kind, for example an id_token instead of an access token.',
    advice: byCaller,
  },
  unsupported_algorithm: {
    meaning: 'The token is not signed with RS256.',
    advice: byStartingOver,
  },
  weak_key: {
    meaning: 'The key of the token is an RSA key of less than 2048 bits.',
    advice: byOperator,
  },
  // The token manager.
  not_found: {
    meaning: 'No tokens are stored under this key: the person has not signed in, or has signed out.',
    advice: byPerson,
  },
  refresh_outcome_unknown: {
    meaning:
      'The refresh token may have been used, and the tokens that it returned are lost. It is not sent again, so the person must sign in again.',
    advice: byPerson,
  },
  refresh_rejected: {
    meaning: 'The refresh token was used or revoked, or is missing: the person must sign in again.',
    advice: byPerson,
  },
  undecryptable: {
    meaning:
      'The stored tokens were not encrypted with one of the encryption keys. Check `encryptionKey`, or have the person sign in again.',
    advice: byOperator,
  },
  // The verification manager.
  check_missing: {
    meaning: 'The person is approved, but a check that `checks` requires did not pass.',
    advice: byPerson,
  },
  declined: {
    meaning: 'The person was declined.',
    advice: byPerson,
  },
  ended: {
    meaning: 'The last session was abandoned or has expired. Start another one.',
    advice: byPerson,
  },
  in_review: {
    meaning: 'The session waits for a review.',
    advice: byOperator,
  },
  none: {
    meaning: 'The person has not started a verification.',
    advice: byPerson,
  },
  open: {
    meaning: 'The person has not finished the hosted page.',
    advice: byPerson,
  },
  starting: {
    meaning: 'A start has not ended, or its outcome is unknown. Start again.',
    advice: byWaiting,
  },
  too_old: {
    meaning: 'The approval is older than `maxAgeMs`, or its time is unknown. Start with `renew`.',
    advice: byPerson,
  },
  // Spend limits.
  limit_reached: {
    meaning: 'The `spendLimit` of the client is reached. Retry after `retryAfterMs`, or raise the limit.',
    advice: byWaiting,
  },
  payment_required: {
    meaning:
      'The wallet balance is exhausted: the service responded with 402. Add funds. A `spendLimit` stops billable calls until a probe succeeds.',
    advice: byPayment,
  },
}
