/** The entry of one error code. */
export interface ErrorCatalogEntry {
  /** The HTTP statuses that the contract gives. Empty if it gives none, and for errors without a response. */
  readonly statuses: readonly number[]
  /**
   * One English sentence for logs and developers. Not stable, and not meant for end users. If the contract lists a code
   * without a meaning, the sentence is guessed from the code's name, and says so.
   */
  readonly meaning: string
  /**
   * What to do about it. This is the package's own reading of the contract, for some codes only of the code's name.
   */
  readonly advice: {
    /**
     * Who can act on the error:
     *
     * - `caller`: the developer or the operator of your app. Change what it sends, when it sends it, or what it needs.
     * - `end_user`: the person being verified or signing in.
     * - `operator`: the operator of the account, of the developer console or of the service.
     * - `wait`: no one. Wait, then retry.
     */
    readonly actor: 'caller' | 'end_user' | 'operator' | 'wait'
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
}

export type ErrorAdvice = ErrorCatalogEntry['advice']

export const byCaller = { actor: 'caller', retry: 'after_change' } as const
/** What was rejected is decided, forged, malformed or used up: only another one can be accepted. */
export const byStartingOver = { actor: 'caller', retry: 'never' } as const
export const byPerson = { actor: 'end_user', retry: 'after_change' } as const
const personGivesUp = { actor: 'end_user', retry: 'never' } as const
export const byOperator = { actor: 'operator', retry: 'after_change' } as const
export const byWaiting = { actor: 'wait', retry: 'later' } as const

type Row = readonly [statuses: readonly number[], meaning: string, advice: ErrorAdvice]

/**
 * Returns the statuses, the meaning and the advice for each documented error code. `statuses` are facts of the
 * contract. `advice` is the package's own.
 *
 * The service may send a code that is not listed. To look up any code, call `describeErrorCode(code)`.
 *
 * @see docs/reference/error-codes.md
 */
export const errorCatalog = /* @__PURE__ */ catalogOf(() => ({
  access_denied: [[403], 'The user declined, or the application is not permitted.', byPerson],
  account_dob_unavailable: [[422], 'The account has no verified date of birth.', byPerson],
  account_not_found: [[404], 'No account matches the token.', byPerson],
  activation_failed: [[500, 503], 'The activation failed on the service side.', byWaiting],
  already_active: [[409], 'The member is already active, so no invite is sent.', byStartingOver],
  already_decided: [[409], 'The session already has a verdict: see the error member `status`.', byStartingOver],
  already_exists: [[409], 'End-to-end encryption is already active for the device.', byStartingOver],
  already_paired: [[409], 'The device has already been paired.', byStartingOver],
  app_default_protected: [[422], 'The default application cannot be deleted.', byStartingOver],
  back_image_not_found: [[404], 'The back image does not exist.', byCaller],
  cache_clear_failed: [[400], 'The cache could not be cleared.', byOperator],
  callback_not_allowed: [
    [422],
    'The `callback` is not an active, approved HTTPS webhook destination of the project.',
    byCaller,
  ],
  challenge_expired: [[400], 'The instruction of the liveness check has expired.', byCaller],
  challenge_required: [[400], 'The device must run the challenge flow before this call.', byCaller],
  client_not_found: [[404], 'The client does not exist.', byCaller],
  code_expired: [[410], 'The one-time code has expired.', personGivesUp],
  database_error: [[500], 'The service could not store the device keys.', byWaiting],
  deactivated: [[409], 'The member is deactivated, and deactivated members cannot be invited.', byCaller],
  decrypt_failed: [[500], 'The service could not open the managed payload.', byWaiting],
  deletion_failed: [[500], 'The account could not be deleted.', byWaiting],
  denied: [[403], 'The user denied the request.', personGivesUp],
  device_already_paired: [[409], 'The device is paired already.', byStartingOver],
  device_key_unknown: [[410], 'The device key is no longer registered.', byStartingOver],
  device_mismatch: [[400], 'The `device_id` does not match.', byCaller],
  device_not_found: [[404], 'The device is not registered.', byCaller],
  empty_face_feature: [[400], 'The face feature is empty.', byCaller],
  endpoint_not_found: [[], 'The endpoint does not exist (guessed from the name).', byCaller],
  endpoint_removed: [
    [410],
    'The legacy sign-on endpoint has been removed and is replaced by OpenID Connect.',
    byStartingOver,
  ],
  engine_unreachable: [[503], 'The verification engine did not respond.', byWaiting],
  expired: [[410], 'The request has expired.', byStartingOver],
  face_feature_extraction_failed: [[400], 'The service could not extract a feature from the face.', byPerson],
  face_match_failed: [[500], 'The comparison of the faces failed on the service side.', byWaiting],
  face_match_unavailable: [[502], 'The selfie cannot be verified at the moment.', byWaiting],
  face_mismatch: [[403], 'The face does not match.', byPerson],
  face_not_enrolled: [[409], 'No face is enrolled.', byPerson],
  face_not_matched: [[403], 'The face differs from that of the logged-in user.', byPerson],
  face_not_verified: [[403], 'The face is not verified for this tracking id.', byPerson],
  face_required: [[409], 'A face check is required before identity data is released.', byPerson],
  face_rescan_required: [[422], 'The face was not recognized with confidence and must be scanned again.', byPerson],
  failed_to_extract_id_portrait_feature: [
    [],
    'The service could not extract a feature from the ID portrait (guessed from the name).',
    byPerson,
  ],
  feature_extraction_failed: [[400], 'The service could not extract a feature.', byPerson],
  feature_failed: [[502], 'The feature extraction failed on the service side.', byWaiting],
  feature_size_mismatch: [[], 'The size of the feature does not match (guessed from the name).', byCaller],
  forbidden: [[403], 'The internal authentication is not valid.', byOperator],
  frames_required: [[400], 'The call requires a burst of 3 to 8 frames.', byCaller],
  front_image_id_required: [[400], 'The parameter `front_image_id` is required.', byCaller],
  front_image_not_found: [[404], 'The front image does not exist.', byCaller],
  idempotency_in_progress: [
    [409],
    'An earlier request with the same `Idempotency-Key` is still being processed.',
    byWaiting,
  ],
  idempotency_key_reused: [[422], 'The `Idempotency-Key` was used before with a different body.', byCaller],
  identity_locked: [[403], 'The identity is verified, so only the email and the phone can be changed.', byCaller],
  image_not_found: [[404], 'The image does not exist.', byCaller],
  image_too_large: [[413], 'The photo is larger than 20 MB.', byCaller],
  insufficient_scope: [[403], 'The token does not have a scope that this call requires.', byCaller],
  internal_error: [[500], 'The service failed; under the verification API, the request is safe to retry.', byWaiting],
  invalid_activation: [[404], 'The activation link is invalid or has expired.', byCaller],
  invalid_api_key: [[401], 'The API key is missing or invalid.', byOperator],
  invalid_audience: [[], 'The audience is not valid (guessed from the name).', byCaller],
  invalid_challenge: [[403], 'The challenge is invalid or has expired, or its signature is invalid.', byCaller],
  invalid_challenge_result: [[403], 'The result of the challenge is not valid.', byCaller],
  invalid_client: [[401], 'The client credentials are wrong, or the application is inactive.', byOperator],
  invalid_client_metadata: [[400], 'The `client_name` is empty or longer than 120 characters.', byCaller],
  invalid_config: [[500], 'The service is misconfigured: report it with the `requestId`.', byOperator],
  invalid_date: [[400], 'The format of `expire_at` is invalid.', byCaller],
  invalid_feature: [[400], 'The face vector is not valid.', byCaller],
  invalid_frames: [[400], 'Live mode requires at least 3 frames.', byCaller],
  invalid_grant: [
    [400, 401],
    'The code or refresh token has expired, was used before, or belongs to another client or redirect URI.',
    personGivesUp,
  ],
  invalid_idp_response: [[], 'The response of the identity provider is not valid (guessed from the name).', byOperator],
  invalid_image: [[400, 422], 'A selfie is required.', byCaller],
  invalid_recovery_phrases: [[403], 'The recovery phrases are invalid.', byPerson],
  invalid_redirect_uri: [[400], 'The parameter `redirect_uris` must be a non-empty array.', byCaller],
  invalid_request: [
    [400, 401, 404, 422],
    'A required parameter is missing or malformed; the organization API also lists the fields.',
    byCaller,
  ],
  invalid_scope: [[400], 'A requested scope is not enabled for the application.', byOperator],
  invalid_session: [[400], 'The session has no user reference.', byCaller],
  invalid_state: [[409], 'The share request is already decided.', byStartingOver],
  invalid_status: [[400], 'The status is not valid.', byCaller],
  invalid_token: [[401, 403], 'The token is missing or has expired.', byCaller],
  kyc_required: [[400], 'ID verification must be complete before a license check.', byPerson],
  legacy_ocr_failed: [[], 'The legacy OCR failed (guessed from the name).', byPerson],
  license_not_found: [[400, 404], 'The license was not found.', byPerson],
  limit_reached: [[422], 'The vault has reached its item limit.', byPerson],
  liveness_unavailable: [[502], 'The selfie cannot be checked at the moment.', byWaiting],
  logo_invalid: [[422], 'The logo must be an image data URL.', byCaller],
  logo_too_large: [[422], 'The logo is too large.', byCaller],
  misconfigured: [[500], 'The signing key of the service is invalid: report it with the `requestId`.', byOperator],
  misconfigured_oidc_endpoints: [[], 'The OIDC endpoints are misconfigured (guessed from the name).', byOperator],
  missing_dob: [[400], 'A date of birth is required.', byCaller],
  missing_document: [[400], 'A selfie must be uploaded before the liveness check.', byCaller],
  missing_identifier: [[400], 'The call names the member neither by `svc_id` nor by `email`.', byCaller],
  missing_parameter: [[400], 'The call requires `svc_id` or `vendor_data`.', byCaller],
  no_existing_e2e: [[400], 'The user has no end-to-end encryption keys.', byCaller],
  no_face: [[422], 'The selfie contains no usable face.', byPerson],
  no_images_provided: [[400], 'The call requires at least one image.', byCaller],
  no_reusable_record: [[400], 'The person has no verification that can be reused.', byPerson],
  no_verification: [[404], 'No verification is provisioned for the application.', byOperator],
  not_found: [[404], 'The resource or user does not exist, or it belongs to another project.', byCaller],
  not_linked: [[400], 'The user must sign in before reusing an identity.', byPerson],
  otp_expired: [[410], 'The one-time password has expired.', personGivesUp],
  otp_invalid: [[400], 'The one-time password is invalid.', byPerson],
  otp_not_found: [[404], 'The one-time password does not exist.', byCaller],
  pairing_already_exchanged: [[409], 'The tokens of this pairing were already issued.', byStartingOver],
  pairing_already_fulfilled: [[409], 'The pairing is already fulfilled.', byStartingOver],
  pairing_expired: [[410], 'The pairing has expired.', byStartingOver],
  pairing_incomplete: [[400], 'The public key of the second device is missing.', byCaller],
  pairing_not_found: [[404], 'The pairing does not exist.', byCaller],
  pairing_not_fulfilled: [[400], 'The pairing is not complete yet.', byPerson],
  portrait_invalid: [[], 'The portrait is not valid (guessed from the name).', byPerson],
  portrait_not_found: [[], 'The portrait was not found (guessed from the name).', byPerson],
  rate_limited: [[429], 'Too many requests were sent: wait, then retry.', byWaiting],
  recovery_phrases_not_set: [[404], 'The user has no recovery phrases.', byPerson],
  registration_failed: [[500], 'The registration failed on the service side.', byWaiting],
  required_face_checks_incomplete: [
    [409],
    'An approval requires a passed ID verification, liveness check and face match.',
    byPerson,
  ],
  requires_login: [[401], 'The user must authenticate before this call.', byPerson],
  reuse_not_available: [[400], 'The account is no longer verified, so its verification cannot be reused.', byPerson],
  review_not_pending: [[409], 'Only a session that is `IN_REVIEW` can be decided manually.', byCaller],
  sdk_compare_failed: [[], 'The SDK comparison failed (guessed from the name).', byPerson],
  server_error: [[500], 'An unexpected error occurred on the service side.', byWaiting],
  session_closed: [[409], 'The session is already closed.', byStartingOver],
  session_expired: [[410], 'The session has expired.', byStartingOver],
  session_not_found: [[], 'The session id is wrong, or the session has expired.', byCaller],
  sso_error: [[500], 'The sign-in failed on the service side.', byWaiting],
  sso_exchange_failed: [[401], 'The sign-in could not be completed.', byPerson],
  sso_no_identity: [[422], 'The sign-in returned no account identity.', byPerson],
  sso_not_configured: [[503], 'Sign-in is not configured: have it configured first.', byOperator],
  stored_reference_invalid: [[], 'The stored reference is not valid (guessed from the name).', byOperator],
  stored_reference_invalid_type: [
    [],
    'The type of the stored reference is not valid (guessed from the name).',
    byOperator,
  ],
  tamper_detected: [[409], 'The payload does not match its `payload_hash`.', byCaller],
  token_error: [[500], 'The service could not issue a token.', byWaiting],
  token_issuance_failed: [[500], 'The issuance of the token failed on the service side.', byWaiting],
  token_missing: [[401], 'A session token is required.', byCaller],
  too_many_attempts: [[429], 'Too many face checks have failed.', byPerson],
  too_many_frames: [[400], 'More than 8 frames were sent.', byCaller],
  tracking_already_used: [[403], 'The tracking id was used before.', byStartingOver],
  tracking_expired: [[403], 'The tracking id has expired.', byStartingOver],
  tracking_not_found: [[404], 'The tracking id is unknown.', byCaller],
  unauthenticated: [[401], 'The account of the call was not found.', byPerson],
  unauthorized: [[401, 403], 'The call is not authorized.', byCaller],
  unauthorized_client: [[403], 'The application is not active.', byOperator],
  unauthorized_domain: [[403], 'The domain is not authorized.', byOperator],
  unknown_band: [
    [],
    'The age band cannot be parsed; this code appears inside a band result, not as a failed call.',
    byCaller,
  ],
  unprocessable: [[422], 'The input was rejected, for example because of the quality of an image.', byPerson],
  unsupported_grant_type: [
    [400],
    'Only `authorization_code` is supported, and `refresh_token` at the token endpoint.',
    byCaller,
  ],
  unsupported_response_type: [[400], 'The `response_type` must be `code`.', byCaller],
  user_deleted: [[410], 'The account that the device is linked to was deleted.', byStartingOver],
  user_has_no_face_reference: [[], 'The user has no face reference (guessed from the name).', byPerson],
  user_not_found: [[400, 404], 'The user does not exist.', byCaller],
  userinfo_failed: [[], 'The request for user info failed (guessed from the name).', byCaller],
  validation_error: [[400], 'A parameter of the request is missing or malformed.', byCaller],
  valyd_account_mismatch: [[403], 'The verification belongs to a different account.', byPerson],
  valyd_login_required: [[401], 'The user must sign in to continue.', byPerson],
  verification_soft_locked: [[423], 'Verification is temporarily locked.', byPerson],
  wc_error: [[400], 'An upstream API of the service reported an error.', byOperator],
  workflow_not_found: [[404], 'The project has no workflow with this id.', byCaller],
  wrapped_ku_recovery_not_set: [[404], 'The recovery wrapper is not set.', byPerson],
  wrong_endpoint: [[400], 'The endpoint expects image ids, not uploads.', byCaller],
}))

/** Every code that the service contract names (section 7, and in passing elsewhere). */
export type KnownErrorCode = keyof ReturnType<typeof errorCatalog>

/** Builds the catalog at its first use, because it would take a fifth of the time in which the clients are imported. */
function catalogOf<Code extends string>(table: () => Readonly<Record<Code, Row>>) {
  let catalog: Readonly<Record<Code, ErrorCatalogEntry>> | undefined
  return (): Readonly<Record<Code, ErrorCatalogEntry>> => {
    catalog ??= Object.fromEntries(
      Object.entries<Row>(table()).map(([code, [statuses, meaning, advice]]) => [code, { statuses, meaning, advice }]),
    ) as Record<Code, ErrorCatalogEntry>
    return catalog
  }
}
