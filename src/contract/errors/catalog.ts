import type { KnownErrorCode } from './codes.ts'
import type { FinalCode } from './final-codes.ts'

/** Who can act on an error. This is the package's advice, not part of the contract. */
export type ErrorActor =
  /** The developer: change what the code sends, or when it sends it. */
  | 'caller'
  /** The person being verified or signing in. */
  | 'end_user'
  /** The operator of the account, of the developer console or of the service. */
  | 'operator'
  /** No one: wait, then retry. */
  | 'wait'

/**
 * What to do about an error. This is the package's own reading of the contract, for some codes only of the code's name.
 */
export interface ErrorAdvice {
  /** Who can act on the error. */
  readonly actor: ErrorActor
  /**
   * Whether the same call can succeed:
   *
   * - `never`: the resource is decided, used up or gone. Start again from the beginning.
   * - `after_change`: if the input or the state has changed.
   * - `later`: unchanged, after a pause.
   *
   * A retry is not necessarily free. For a billable check, send the same `Idempotency-Key`.
   */
  readonly retry: 'never' | 'after_change' | 'later'
}

/** The entry of one error code. */
export interface ErrorCatalogEntry {
  /** The HTTP statuses that the contract gives. Empty if it gives none, and for errors without a response. */
  readonly statuses: readonly number[]
  /**
   * One English sentence for logs and developers. Not stable, and not meant for end users. If the contract lists a code
   * without a meaning, the sentence is guessed from the code's name, and says so.
   */
  readonly meaning: string
  /** What to do about it. */
  readonly advice: ErrorAdvice
}

/**
 * The statuses, the meaning and the advice for each documented error code. `statuses` are facts of the contract.
 * `advice` is the package's own.
 *
 * The service may send a code that is not listed. To look up any code, call `describeErrorCode(code)`.
 *
 * @see service contract, section 7
 */
export const errorCatalog: Readonly<Record<KnownErrorCode, ErrorCatalogEntry>> = {
  access_denied: {
    statuses: [403],
    meaning: 'The user declined, or the application is not permitted.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  account_dob_unavailable: {
    statuses: [422],
    meaning: 'The account has no verified date of birth.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  account_not_found: {
    statuses: [404],
    meaning: 'No account matches the token.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  activation_failed: {
    statuses: [500, 503],
    meaning: 'The activation failed on the service side.',
    advice: { actor: 'wait', retry: 'later' },
  },
  already_active: {
    statuses: [409],
    meaning: 'The member is already active, so no invite is sent.',
    advice: { actor: 'caller', retry: 'never' },
  },
  already_decided: {
    statuses: [409],
    meaning: 'The session already has a verdict: see the error member `status`.',
    advice: { actor: 'caller', retry: 'never' },
  },
  already_exists: {
    statuses: [409],
    meaning: 'End-to-end encryption is already active for the device.',
    advice: { actor: 'caller', retry: 'never' },
  },
  already_paired: {
    statuses: [409],
    meaning: 'The device has already been paired.',
    advice: { actor: 'caller', retry: 'never' },
  },
  app_default_protected: {
    statuses: [422],
    meaning: 'The default application cannot be deleted.',
    advice: { actor: 'caller', retry: 'never' },
  },
  back_image_not_found: {
    statuses: [404],
    meaning: 'The back image does not exist.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  cache_clear_failed: {
    statuses: [400],
    meaning: 'The cache could not be cleared.',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  callback_not_allowed: {
    statuses: [422],
    meaning: 'The `callback` is not an active, approved HTTPS webhook destination of the project.',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  challenge_expired: {
    statuses: [400],
    meaning: 'The instruction of the liveness check has expired.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  challenge_required: {
    statuses: [400],
    meaning: 'The device must run the challenge flow before this call.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  client_not_found: {
    statuses: [404],
    meaning: 'The client does not exist.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  code_expired: {
    statuses: [410],
    meaning: 'The one-time code has expired.',
    advice: { actor: 'end_user', retry: 'never' },
  },
  database_error: {
    statuses: [500],
    meaning: 'The service could not store the device keys.',
    advice: { actor: 'wait', retry: 'later' },
  },
  deactivated: {
    statuses: [409],
    meaning: 'The member is deactivated, and deactivated members cannot be invited.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  decrypt_failed: {
    statuses: [500],
    meaning: 'The service could not open the managed payload.',
    advice: { actor: 'wait', retry: 'later' },
  },
  deletion_failed: {
    statuses: [500],
    meaning: 'The account could not be deleted.',
    advice: { actor: 'wait', retry: 'later' },
  },
  denied: {
    statuses: [403],
    meaning: 'The user denied the request.',
    advice: { actor: 'end_user', retry: 'never' },
  },
  device_already_paired: {
    statuses: [409],
    meaning: 'The device is paired already.',
    advice: { actor: 'caller', retry: 'never' },
  },
  device_key_unknown: {
    statuses: [410],
    meaning: 'The device key is no longer registered.',
    advice: { actor: 'caller', retry: 'never' },
  },
  device_mismatch: {
    statuses: [400],
    meaning: 'The `device_id` does not match.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  device_not_found: {
    statuses: [404],
    meaning: 'The device is not registered.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  empty_face_feature: {
    statuses: [400],
    meaning: 'The face feature is empty.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  endpoint_not_found: {
    statuses: [],
    meaning: 'The endpoint does not exist (guessed from the name).',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  endpoint_removed: {
    statuses: [410],
    meaning: 'The legacy sign-on endpoint has been removed and is replaced by OpenID Connect.',
    advice: { actor: 'caller', retry: 'never' },
  },
  engine_unreachable: {
    statuses: [503],
    meaning: 'The verification engine did not respond.',
    advice: { actor: 'wait', retry: 'later' },
  },
  expired: {
    statuses: [410],
    meaning: 'The request has expired.',
    advice: { actor: 'caller', retry: 'never' },
  },
  face_feature_extraction_failed: {
    statuses: [400],
    meaning: 'The service could not extract a feature from the face.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  face_match_failed: {
    statuses: [500],
    meaning: 'The comparison of the faces failed on the service side.',
    advice: { actor: 'wait', retry: 'later' },
  },
  face_match_unavailable: {
    statuses: [502],
    meaning: 'The selfie cannot be verified at the moment.',
    advice: { actor: 'wait', retry: 'later' },
  },
  face_mismatch: {
    statuses: [403],
    meaning: 'The face does not match.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  face_not_enrolled: {
    statuses: [409],
    meaning: 'No face is enrolled.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  face_not_matched: {
    statuses: [403],
    meaning: 'The face differs from that of the logged-in user.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  face_not_verified: {
    statuses: [403],
    meaning: 'The face is not verified for this tracking id.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  face_required: {
    statuses: [409],
    meaning: 'A face check is required before identity data is released.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  face_rescan_required: {
    statuses: [422],
    meaning: 'The face was not recognized with confidence and must be scanned again.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  failed_to_extract_id_portrait_feature: {
    statuses: [],
    meaning: 'The service could not extract a feature from the ID portrait (guessed from the name).',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  feature_extraction_failed: {
    statuses: [400],
    meaning: 'The service could not extract a feature.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  feature_failed: {
    statuses: [502],
    meaning: 'The feature extraction failed on the service side.',
    advice: { actor: 'wait', retry: 'later' },
  },
  feature_size_mismatch: {
    statuses: [],
    meaning: 'The size of the feature does not match (guessed from the name).',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  forbidden: {
    statuses: [403],
    meaning: 'The internal authentication is not valid.',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  frames_required: {
    statuses: [400],
    meaning: 'The call requires a burst of 3 to 8 frames.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  front_image_id_required: {
    statuses: [400],
    meaning: 'The parameter `front_image_id` is required.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  front_image_not_found: {
    statuses: [404],
    meaning: 'The front image does not exist.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  idempotency_in_progress: {
    statuses: [409],
    meaning: 'An earlier request with the same `Idempotency-Key` is still being processed.',
    advice: { actor: 'wait', retry: 'later' },
  },
  idempotency_key_reused: {
    statuses: [422],
    meaning: 'The `Idempotency-Key` was used before with a different body.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  identity_locked: {
    statuses: [403],
    meaning: 'The identity is verified, so only the email and the phone can be changed.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  image_not_found: {
    statuses: [404],
    meaning: 'The image does not exist.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  image_too_large: {
    statuses: [413],
    meaning: 'The photo is larger than 20 MB.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  insufficient_scope: {
    statuses: [403],
    meaning: 'The token does not have a scope that this call requires.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  internal_error: {
    statuses: [500],
    meaning: 'The service failed; under the verification API, the request is safe to retry.',
    advice: { actor: 'wait', retry: 'later' },
  },
  invalid_activation: {
    statuses: [404],
    meaning: 'The activation link is invalid or has expired.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  invalid_api_key: {
    statuses: [401],
    meaning: 'The API key is missing or invalid.',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  invalid_audience: {
    statuses: [],
    meaning: 'The audience is not valid (guessed from the name).',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  invalid_challenge: {
    statuses: [403],
    meaning: 'The challenge is invalid or has expired, or its signature is invalid.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  invalid_challenge_result: {
    statuses: [403],
    meaning: 'The result of the challenge is not valid.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  invalid_client: {
    statuses: [401],
    meaning: 'The client credentials are wrong, or the application is inactive.',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  invalid_client_metadata: {
    statuses: [400],
    meaning: 'The `client_name` is empty or longer than 120 characters.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  invalid_config: {
    statuses: [500],
    meaning: 'The service is misconfigured: report it with the `requestId`.',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  invalid_date: {
    statuses: [400],
    meaning: 'The format of `expire_at` is invalid.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  invalid_feature: {
    statuses: [400],
    meaning: 'The face vector is not valid.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  invalid_frames: {
    statuses: [400],
    meaning: 'Live mode requires at least 3 frames.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  invalid_grant: {
    statuses: [400, 401],
    meaning:
      'The code or refresh token has expired, was used before, or belongs to another client or redirect URI.',
    advice: { actor: 'end_user', retry: 'never' },
  },
  invalid_idp_response: {
    statuses: [],
    meaning: 'The response of the identity provider is not valid (guessed from the name).',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  invalid_image: {
    statuses: [400, 422],
    meaning: 'A selfie is required.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  invalid_recovery_phrases: {
    statuses: [403],
    meaning: 'The recovery phrases are invalid.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  invalid_redirect_uri: {
    statuses: [400],
    meaning: 'The parameter `redirect_uris` must be a non-empty array.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  invalid_request: {
    statuses: [400, 401, 404, 422],
    meaning: 'A required parameter is missing or malformed; the organization API also lists the fields.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  invalid_scope: {
    statuses: [400],
    meaning: 'A requested scope is not enabled for the application.',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  invalid_session: {
    statuses: [400],
    meaning: 'The session has no user reference.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  invalid_state: {
    statuses: [409],
    meaning: 'The share request is already decided.',
    advice: { actor: 'caller', retry: 'never' },
  },
  invalid_status: {
    statuses: [400],
    meaning: 'The status is not valid.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  invalid_token: {
    statuses: [401, 403],
    meaning: 'The token is missing or has expired.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  kyc_required: {
    statuses: [400],
    meaning: 'ID verification must be complete before a licence check.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  legacy_ocr_failed: {
    statuses: [],
    meaning: 'The legacy OCR failed (guessed from the name).',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  license_not_found: {
    statuses: [400, 404],
    meaning: 'The licence was not found.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  limit_reached: {
    statuses: [422],
    meaning: 'The vault has reached its item limit.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  liveness_unavailable: {
    statuses: [502],
    meaning: 'The selfie cannot be checked at the moment.',
    advice: { actor: 'wait', retry: 'later' },
  },
  logo_invalid: {
    statuses: [422],
    meaning: 'The logo must be an image data URL.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  logo_too_large: {
    statuses: [422],
    meaning: 'The logo is too large.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  misconfigured: {
    statuses: [500],
    meaning: 'The signing key of the service is invalid: report it with the `requestId`.',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  misconfigured_oidc_endpoints: {
    statuses: [],
    meaning: 'The OIDC endpoints are misconfigured (guessed from the name).',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  missing_dob: {
    statuses: [400],
    meaning: 'A date of birth is required.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  missing_document: {
    statuses: [400],
    meaning: 'A selfie must be uploaded before the liveness check.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  missing_identifier: {
    statuses: [400],
    meaning: 'The call names the member neither by `svc_id` nor by `email`.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  missing_parameter: {
    statuses: [400],
    meaning: 'The call requires `svc_id` or `vendor_data`.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  no_existing_e2e: {
    statuses: [400],
    meaning: 'The user has no end-to-end encryption keys.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  no_face: {
    statuses: [422],
    meaning: 'The selfie contains no usable face.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  no_images_provided: {
    statuses: [400],
    meaning: 'The call requires at least one image.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  no_reusable_record: {
    statuses: [400],
    meaning: 'The person has no verification that can be reused.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  no_verification: {
    statuses: [404],
    meaning: 'No verification is provisioned for the application.',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  not_found: {
    statuses: [404],
    meaning: 'The resource or user does not exist, or it belongs to another project.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  not_linked: {
    statuses: [400],
    meaning: 'The user must sign in before reusing an identity.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  otp_expired: {
    statuses: [410],
    meaning: 'The one-time password has expired.',
    advice: { actor: 'end_user', retry: 'never' },
  },
  otp_invalid: {
    statuses: [400],
    meaning: 'The one-time password is invalid.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  otp_not_found: {
    statuses: [404],
    meaning: 'The one-time password does not exist.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  pairing_already_exchanged: {
    statuses: [409],
    meaning: 'The tokens of this pairing were already issued.',
    advice: { actor: 'caller', retry: 'never' },
  },
  pairing_already_fulfilled: {
    statuses: [409],
    meaning: 'The pairing is already fulfilled.',
    advice: { actor: 'caller', retry: 'never' },
  },
  pairing_expired: {
    statuses: [410],
    meaning: 'The pairing has expired.',
    advice: { actor: 'caller', retry: 'never' },
  },
  pairing_incomplete: {
    statuses: [400],
    meaning: 'The public key of the second device is missing.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  pairing_not_found: {
    statuses: [404],
    meaning: 'The pairing does not exist.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  pairing_not_fulfilled: {
    statuses: [400],
    meaning: 'The pairing is not complete yet.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  portrait_invalid: {
    statuses: [],
    meaning: 'The portrait is not valid (guessed from the name).',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  portrait_not_found: {
    statuses: [],
    meaning: 'The portrait was not found (guessed from the name).',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  rate_limited: {
    statuses: [429],
    meaning: 'Too many requests were sent: wait, then retry.',
    advice: { actor: 'wait', retry: 'later' },
  },
  recovery_phrases_not_set: {
    statuses: [404],
    meaning: 'The user has no recovery phrases.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  registration_failed: {
    statuses: [500],
    meaning: 'The registration failed on the service side.',
    advice: { actor: 'wait', retry: 'later' },
  },
  required_face_checks_incomplete: {
    statuses: [409],
    meaning: 'An approval requires a passed ID verification, liveness check and face match.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  requires_login: {
    statuses: [401],
    meaning: 'The user must authenticate before this call.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  reuse_not_available: {
    statuses: [400],
    meaning: 'The account is no longer verified, so its verification cannot be reused.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  review_not_pending: {
    statuses: [409],
    meaning: 'Only a session that is `IN_REVIEW` can be decided manually.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  sdk_compare_failed: {
    statuses: [],
    meaning: 'The SDK comparison failed (guessed from the name).',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  server_error: {
    statuses: [500],
    meaning: 'An unexpected error occurred on the service side.',
    advice: { actor: 'wait', retry: 'later' },
  },
  session_closed: {
    statuses: [409],
    meaning: 'The session is already closed.',
    advice: { actor: 'caller', retry: 'never' },
  },
  session_expired: {
    statuses: [410],
    meaning: 'The session has expired.',
    advice: { actor: 'caller', retry: 'never' },
  },
  session_not_found: {
    statuses: [],
    meaning: 'The session id is wrong, or the session has expired.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  sso_error: {
    statuses: [500],
    meaning: 'The sign-in failed on the service side.',
    advice: { actor: 'wait', retry: 'later' },
  },
  sso_exchange_failed: {
    statuses: [401],
    meaning: 'The sign-in could not be completed.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  sso_no_identity: {
    statuses: [422],
    meaning: 'The sign-in returned no account identity.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  sso_not_configured: {
    statuses: [503],
    meaning: 'Sign-in is not configured: have it configured first.',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  stored_reference_invalid: {
    statuses: [],
    meaning: 'The stored reference is not valid (guessed from the name).',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  stored_reference_invalid_type: {
    statuses: [],
    meaning: 'The type of the stored reference is not valid (guessed from the name).',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  tamper_detected: {
    statuses: [409],
    meaning: 'The payload does not match its `payload_hash`.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  token_error: {
    statuses: [500],
    meaning: 'The service could not issue a token.',
    advice: { actor: 'wait', retry: 'later' },
  },
  token_issuance_failed: {
    statuses: [500],
    meaning: 'The issuance of the token failed on the service side.',
    advice: { actor: 'wait', retry: 'later' },
  },
  token_missing: {
    statuses: [401],
    meaning: 'A session token is required.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  too_many_attempts: {
    statuses: [429],
    meaning: 'Too many face checks have failed; the contract does not say how long to wait.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  too_many_frames: {
    statuses: [400],
    meaning: 'More than 8 frames were sent.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  tracking_already_used: {
    statuses: [403],
    meaning: 'The tracking id was used before.',
    advice: { actor: 'caller', retry: 'never' },
  },
  tracking_expired: {
    statuses: [403],
    meaning: 'The tracking id has expired.',
    advice: { actor: 'caller', retry: 'never' },
  },
  tracking_not_found: {
    statuses: [404],
    meaning: 'The tracking id is unknown.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  unauthenticated: {
    statuses: [401],
    meaning: 'The account of the call was not found.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  unauthorized: {
    statuses: [401, 403],
    meaning: 'The call is not authorized.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  unauthorized_client: {
    statuses: [403],
    meaning: 'The application is not active.',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  unauthorized_domain: {
    statuses: [403],
    meaning: 'The domain is not authorized.',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  unknown_band: {
    statuses: [],
    meaning: 'The age band cannot be parsed; this code appears inside a band result, not as a failed call.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  unprocessable: {
    statuses: [422],
    meaning: 'The input was rejected, for example because of the quality of an image.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  unsupported_grant_type: {
    statuses: [400],
    meaning: 'Only `authorization_code` is supported, and `refresh_token` at the token endpoint.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  unsupported_response_type: {
    statuses: [400],
    meaning: 'The `response_type` must be `code`.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  user_deleted: {
    statuses: [410],
    meaning: 'The account that the device is linked to was deleted.',
    advice: { actor: 'caller', retry: 'never' },
  },
  user_has_no_face_reference: {
    statuses: [],
    meaning: 'The user has no face reference (guessed from the name).',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  user_not_found: {
    statuses: [400, 404],
    meaning: 'The user does not exist.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  userinfo_failed: {
    statuses: [],
    meaning: 'The request for user info failed (guessed from the name).',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  validation_error: {
    statuses: [400],
    meaning: 'A parameter of the request is missing or malformed.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  valyd_account_mismatch: {
    statuses: [403],
    meaning: 'The verification belongs to a different account.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  valyd_login_required: {
    statuses: [401],
    meaning: 'The user must sign in to continue.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  verification_soft_locked: {
    statuses: [423],
    meaning: 'Verification is temporarily locked; the contract does not say for how long.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  wc_error: {
    statuses: [400],
    meaning: 'An upstream API of the service reported an error.',
    advice: { actor: 'operator', retry: 'after_change' },
  },
  workflow_not_found: {
    statuses: [404],
    meaning: 'The project has no workflow with this id.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
  wrapped_ku_recovery_not_set: {
    statuses: [404],
    meaning: 'The recovery wrapper is not set.',
    advice: { actor: 'end_user', retry: 'after_change' },
  },
  wrong_endpoint: {
    statuses: [400],
    meaning: 'The endpoint expects image ids, not uploads.',
    advice: { actor: 'caller', retry: 'after_change' },
  },
} satisfies Readonly<Record<KnownErrorCode, ErrorCatalogEntry>> &
  Readonly<Record<FinalCode, { readonly advice: { readonly retry: 'after_change' } }>>
