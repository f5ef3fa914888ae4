import {
  byCaller,
  byPerson,
  byStartingOver,
  byWaiting,
  type ErrorAdvice,
  type ErrorCatalogEntry,
} from '../contract/errors/catalog.ts'
import type { SdkErrorCode } from './sdk-error.ts'

type Row = readonly [meaning: string, advice: ErrorAdvice]

/** A store, a clock or a setting of the app must be set right, and the same call can then succeed. */
const byAppLater = { actor: 'caller', retry: 'later' } as const
/** The same, for what the account or the service has to set right. */
const byOperatorLater = { actor: 'operator', retry: 'later' } as const

/** The meaning and the advice for each code of the package's own errors. */
export const ownCodes = /* @__PURE__ */ entriesOf<[Readonly<Record<SdkErrorCode, Row>>]>({
  aborted: ['The `signal` of the caller aborted the call.', byCaller],
  callback_refused: [
    'The callback of a sign-in was rejected: see `reason`. If the configuration is not the cause, offer a link to sign in again.',
    byPerson,
  ],
  check_not_passed: ['A check did not pass: see `failed`.', byPerson],
  configuration: ['An option or a setting is invalid: the message names it.', byCaller],
  connection_failed: [
    'No response was received: see `cause`. Check `baseUrl`, the network and the proxy. A write with `mayHaveArrived` may have been executed: check before you send it again.',
    byWaiting,
  ],
  emulator_misused: ['A control of the emulator was called with something that is not possible.', byCaller],
  image_read_failed: [
    'The source of an image failed while it was read, for example because a browser left during its upload: see `cause`. The request was not completed. Upload the image again.',
    byPerson,
  ],
  invalid_params: ['A param or an option of a call is invalid, and nothing was sent: see `issues`.', byCaller],
  invalid_response: [
    'A response is not as documented; a proxy may have sent it: see `body`. Check `baseUrl`.',
    byAppLater,
  ],
  not_verified: ['The person is not verified as required: see `reason`.', byPerson],
  outcome_unknown: [
    'A billable request may have been executed. Retry with the `idempotencyKey` of the error, so that the service can recognize the call.',
    byWaiting,
  ],
  session_ended: [
    'The session ended without a decision: it was abandoned or has expired. Create a new session.',
    byStartingOver,
  ],
  spend_limit: [
    'The `beforeBillable` of the client stopped a billable call, and nothing was sent: see `cause`.',
    byWaiting,
  ],
  store_failed: ['A store failed or could not be reached: see `cause`.', byAppLater],
  timeout: [
    'An attempt took longer than `timeoutMs`, or the call longer than `deadlineMs`: see `limit`. A write with `mayHaveArrived` may have been executed: check before you send it again.',
    byWaiting,
  ],
  token_manager: [
    'There is no usable access token, so that in most cases the person must sign in again: see `reason`.',
    byPerson,
  ],
  token_refused: ['A token was rejected: see `reason`.', byPerson],
  verification_limit: [
    'As many sessions were created for the person as the `limit` of the verification manager allows. Retry after `retryAfterMs`.',
    byWaiting,
  ],
  wait_timeout: [
    'There was no decision within the time limit, and the session continues. Wait again, or handle the webhook.',
    byWaiting,
  ],
  webhook_refused: ['A webhook delivery was rejected: see `reason`.', byCaller],
})

/** A reason that errors of two classes have. */
const signatureMismatch: Row = [
  'A signature does not match. For a webhook, check `SVC_WEBHOOK_SECRET` and that the handler gets the raw body. For a token, check that it is from this service.',
  byCaller,
]

const issuerMismatch: Row = [
  'The issuer of a callback or of a token is not the one that the client expects. Check `baseUrl` and `issuer`.',
  byCaller,
]

/** Why a delivery was rejected. */
export const webhookReasons = /* @__PURE__ */ reasons({
  signature_mismatch: signatureMismatch,
  missing_header: [
    'A signature header of a webhook is missing. A proxy may remove it, or the request is not from the service.',
    byCaller,
  ],
  malformed_header: [
    'A signature header of a webhook was sent twice or is malformed. A proxy may have changed it.',
    byCaller,
  ],
  timestamp_out_of_tolerance: [
    'The timestamp of a webhook is too far from now. Check the clock of the server.',
    byAppLater,
  ],
  invalid_payload: [
    'The signature of a webhook is valid, but its payload is not an event of the documented form.',
    byOperatorLater,
  ],
  body_not_raw: [
    'The raw body of a webhook is missing: a parser read it, or skipped its type. Mount the handler before body parsers.',
    byCaller,
  ],
  body_too_large: [
    'The body of a webhook is larger than `maxBodyBytes` of the handler, or than the limit of its framework.',
    byCaller,
  ],
  body_incomplete: [
    'Not the whole body of a webhook was received: the connection closed, or a host cut it. It may be sent again.',
    byWaiting,
  ],
})

/** Why the callback of a sign-in was rejected. */
export const callbackReasons = /* @__PURE__ */ reasons({
  issuer_mismatch: issuerMismatch,
  authorization_error: [
    'The person declined, or the service could not continue: see `error`, then offer to sign in again. For `invalid_scope`, `invalid_client`, `unauthorized_client` and `unsupported_response_type`, change the configuration of the app instead.',
    byPerson,
  ],
  missing_code: ['The callback has no `code`. Offer a link to sign in again.', byPerson],
  state_mismatch: [
    'The callback does not belong to a sign-in of this browser: it is stale or forged, or the cookie was set for another host, such as `localhost` instead of `127.0.0.1`.',
    byPerson,
  ],
  repeated_parameter: [
    'A parameter of the callback occurs more than once, which the service never sends.',
    byStartingOver,
  ],
})

/** Why a token was rejected. */
export const tokenReasons = /* @__PURE__ */ reasons({
  signature_mismatch: signatureMismatch,
  issuer_mismatch: issuerMismatch,
  malformed: ['The text is not a token (a compact JWS).', byStartingOver],
  too_large: ['The token is larger than 64 KiB.', byStartingOver],
  encrypted: ['The token is encrypted (JWE). Only signed tokens are accepted.', byStartingOver],
  duplicate_member: ['The token contains a member twice, so its content is ambiguous.', byStartingOver],
  unsupported_algorithm: ['The token is not signed with RS256.', byStartingOver],
  forbidden_header: ['The header of the token has a critical extension, a key or the URL of a key.', byStartingOver],
  unexpected_type: ['The token is of another kind, for example an id_token instead of an access token.', byCaller],
  keys_unavailable: ['The key set could not be fetched, and no key of an earlier fetch matches.', byWaiting],
  key_not_found: [
    'No key of the key set has the key id of the token. Check that the token is from this service.',
    byWaiting,
  ],
  weak_key: ['The key of the token is an RSA key of less than 2048 bits.', byOperatorLater],
  missing_claim: ['A required claim of the token is missing: see `claim`.', byStartingOver],
  malformed_claim: ['A claim of the token has the wrong type: see `claim`.', byStartingOver],
  audience_mismatch: [
    'The token was issued for another audience. Check the client id, or the `audience` that you pass.',
    byCaller,
  ],
  authorized_party_mismatch: ['The `azp` claim of the token is not your client id.', byCaller],
  expired: ['The token has expired. Refresh it, or have the person sign in again.', byPerson],
  not_yet_valid: ['The token is not valid yet (`nbf`). Check the clock of the server.', byAppLater],
  issued_in_future: ['The token was issued in the future. Check the clock of the server.', byAppLater],
  nonce_mismatch: ['The `nonce` of the id_token is not that of this sign-in.', byPerson],
  access_token_mismatch: ['The `at_hash` of an id_token does not match the access token.', byStartingOver],
  subject_mismatch: ['The token is for another person than expected.', byPerson],
  missing_scope: ['The access token does not have the required scope. Request it when the person signs in.', byCaller],
})

/** Why the token manager cannot return an access token. */
export const tokenManagerReasons = /* @__PURE__ */ reasons({
  not_found: [
    'No tokens are stored under this key: the person has not signed in or has signed out, or the tokens were stored in another process. Processes do not share a `memoryStore`, and a restart empties it.',
    byPerson,
  ],
  refresh_rejected: ['The refresh token was used or revoked, or is missing: the person must sign in again.', byPerson],
  refresh_outcome_unknown: [
    'The refresh token may have been used, and the tokens that it returned are lost. It is not sent again, so the person must sign in again.',
    byPerson,
  ],
  undecryptable: [
    'The stored tokens were not encrypted with one of the encryption keys. Check `encryptionKey`, or have the person sign in again.',
    byAppLater,
  ],
})

/** Why `ensureApproved` of a verification manager does not return: the state, or what the approval lacks. */
export const notVerifiedReasons = /* @__PURE__ */ reasons({
  none: ['The person has not started a verification. Call `start`, and send the person to the `url`.', byPerson],
  starting: ['A start has not ended, or its outcome is unknown. Call `start`, which continues it.', byWaiting],
  open: ['The person has not finished the hosted page. Call `start`, and send the person to the `url`.', byPerson],
  in_review: ['The session waits for a review. Wait for the verdict.', byOperatorLater],
  declined: ['The person was declined. Call `start` only if the person may try again.', byPerson],
  ended: [
    'The last session ended without an outcome that counts. Call `start`, and send the person to the `url`.',
    byPerson,
  ],
  too_old: ['The approval is older than `maxAgeMs`, or its time is unknown. Call `start` with `renew`.', byPerson],
  check_missing: [
    'The person is approved, but a check that `checks` requires did not pass. Call `start` for a workflow that has the check, or with `renew`.',
    byPerson,
  ],
})

/** The meaning and the advice for each reason. Errors of several classes may have one reason. */
export const ownReasons = /* @__PURE__ */ entriesOf(
  webhookReasons,
  callbackReasons,
  tokenReasons,
  tokenManagerReasons,
  notVerifiedReasons,
)

/** Declares the reasons of a class. Its type of reasons is their names. */
function reasons<Name extends string>(rows: Readonly<Record<Name, Row>>): Readonly<Record<Name, Row>> {
  return rows
}

type NameOf<Rows> = Rows extends unknown ? keyof Rows & string : never

function entriesOf<Tables extends readonly Readonly<Record<string, Row>>[]>(...tables: Tables) {
  const entries = tables.flatMap((rows) => Object.entries<Row>(rows))
  return Object.fromEntries(
    entries.map(([name, [meaning, advice]]) => [name, { statuses: [], meaning, advice }]),
  ) as unknown as Readonly<Record<NameOf<Tables[number]>, ErrorCatalogEntry>>
}
