import type { KnownErrorCode } from './codes.ts'

/** Who can do something about an error: our own advice, not the contract's. */
export type ErrorActor =
  /** The developer: the code sends something else, or calls at another moment. */
  | 'caller'
  /** The person being verified or signing in. */
  | 'end_user'
  /** Whoever runs the account, the developer console or the service. */
  | 'operator'
  /** Nobody: time solves it. */
  | 'wait'

/** What to do about an error: our own reading of the contract, and at times of no more than a name. */
export interface ErrorAdvice {
  /** Who can do something about it. */
  readonly actor: ErrorActor
  /**
   * Whether the same call can succeed:
   *
   * - `never`: what it acts on is decided, used up or gone. Start anew.
   * - `after_change`: once the input or the state of things is different.
   * - `later`: unchanged, after a pause.
   *
   * It does not say that a repeat is free: for a billable check, send the same `Idempotency-Key`.
   */
  readonly repeat: 'never' | 'after_change' | 'later'
}

/** What is known about one error code. */
export interface ErrorCatalogEntry {
  /** HTTP statuses as the contract gives them; empty where it gives none. */
  readonly statuses: readonly number[]
  /** One English sentence for logs and developers, in our words. Not stable, and not meant for end users. */
  readonly meaning: string
  /** What to do about it. */
  readonly advice: ErrorAdvice
}

/**
 * What each documented error code means. `statuses` are the contract's facts, `advice` is ours.
 *
 * A code that came over the wire may be unknown: ask `Object.hasOwn(errorCatalog, code)` first.
 *
 * @see service contract, section 7
 */
export const errorCatalog: Readonly<Record<KnownErrorCode, ErrorCatalogEntry>> = {
  access_denied: {
    statuses: [403],
    meaning: 'The person declined, or the application may not do this.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  account_dob_unavailable: {
    statuses: [422],
    meaning: 'The account holds no date of birth that has been verified.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  account_not_found: {
    statuses: [404],
    meaning: 'The token leads to no account.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  activation_failed: {
    statuses: [500, 503],
    meaning: 'The activation did not go through.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  already_active: {
    statuses: [409],
    meaning: 'The member is active already, so there is nothing to invite them to.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  already_decided: {
    statuses: [409],
    meaning: 'The session has its verdict already; the member `status` of the error says which.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  already_exists: {
    statuses: [409],
    meaning: 'The device has end-to-end encryption switched on already.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  already_paired: {
    statuses: [409],
    meaning: 'The device was paired before.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  app_default_protected: {
    statuses: [422],
    meaning: 'The default application is protected from deletion.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  back_image_not_found: {
    statuses: [404],
    meaning: 'The image of the back is not there.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  cache_clear_failed: {
    statuses: [400],
    meaning: 'The cache could not be cleared.',
    advice: { actor: 'operator', repeat: 'after_change' },
  },
  callback_not_allowed: {
    statuses: [422],
    meaning: 'The `callback` is no active, approved HTTPS webhook destination of the project.',
    advice: { actor: 'operator', repeat: 'after_change' },
  },
  challenge_expired: {
    statuses: [400],
    meaning: 'The instruction for the liveness check has run out.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  challenge_required: {
    statuses: [400],
    meaning: 'The device has to go through the challenge flow before this call.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  client_not_found: {
    statuses: [404],
    meaning: 'There is no such client.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  code_expired: {
    statuses: [410],
    meaning: 'The one-time code has run out.',
    advice: { actor: 'end_user', repeat: 'never' },
  },
  database_error: {
    statuses: [500],
    meaning: 'The keys of the device could not be stored.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  deactivated: {
    statuses: [409],
    meaning: 'The member is deactivated, and no invite can go to such a member.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  decrypt_failed: {
    statuses: [500],
    meaning: 'The service could not open the managed payload.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  deletion_failed: {
    statuses: [500],
    meaning: 'The account could not be deleted.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  denied: {
    statuses: [403],
    meaning: 'The user said no to the request.',
    advice: { actor: 'end_user', repeat: 'never' },
  },
  device_already_paired: {
    statuses: [409],
    meaning: 'The device is paired already.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  device_key_unknown: {
    statuses: [410],
    meaning: 'The key of the device has lost its registration.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  device_mismatch: {
    statuses: [400],
    meaning: 'The `device_id` does not match.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  device_not_found: {
    statuses: [404],
    meaning: 'The device has not been registered.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  empty_face_feature: {
    statuses: [400],
    meaning: 'The face feature has nothing in it.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  endpoint_not_found: {
    statuses: [],
    meaning: 'There is no such endpoint.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  endpoint_removed: {
    statuses: [410],
    meaning: 'The endpoint belonged to the legacy sign-on and is gone; OpenID Connect takes its place.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  engine_unreachable: {
    statuses: [503],
    meaning: 'The verification engine gave no answer.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  expired: {
    statuses: [410],
    meaning: 'The request has run out of time.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  face_feature_extraction_failed: {
    statuses: [400],
    meaning: 'No face feature could be extracted.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  face_match_failed: {
    statuses: [500],
    meaning: 'The comparison of faces broke down.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  face_match_unavailable: {
    statuses: [502],
    meaning: 'The selfie cannot be verified at the moment.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  face_mismatch: {
    statuses: [403],
    meaning: 'The face is not the right one.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  face_not_enrolled: {
    statuses: [409],
    meaning: 'There is no enrolled face.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  face_not_matched: {
    statuses: [403],
    meaning: 'The face is not that of the user who is logged in.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  face_not_verified: {
    statuses: [403],
    meaning: 'This tracking id has no verified face.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  face_required: {
    statuses: [409],
    meaning: 'Identity data is released only after a face check.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  face_rescan_required: {
    statuses: [422],
    meaning: 'The face was not recognised with confidence and has to be scanned again.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  failed_to_extract_id_portrait_feature: {
    statuses: [],
    meaning: 'No feature could be extracted from the ID portrait.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  feature_extraction_failed: {
    statuses: [400],
    meaning: 'No feature could be extracted.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  feature_failed: {
    statuses: [502],
    meaning: 'The extraction of a feature broke down.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  feature_size_mismatch: {
    statuses: [],
    meaning: 'The size of a feature does not match.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  forbidden: {
    statuses: [403],
    meaning: 'The internal authentication is not valid.',
    advice: { actor: 'operator', repeat: 'after_change' },
  },
  frames_required: {
    statuses: [400],
    meaning: 'A burst of 3 to 8 frames has to be sent.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  front_image_id_required: {
    statuses: [400],
    meaning: 'The call lacks `front_image_id`.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  front_image_not_found: {
    statuses: [404],
    meaning: 'The image of the front is not there.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  idempotency_in_progress: {
    statuses: [409],
    meaning: 'An earlier request with the same `Idempotency-Key` is still being worked on.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  idempotency_key_reused: {
    statuses: [422],
    meaning: 'The `Idempotency-Key` came before with another body.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  identity_locked: {
    statuses: [403],
    meaning: 'The identity is verified, so nothing but email and phone can be changed.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  image_not_found: {
    statuses: [404],
    meaning: 'The image is not there.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  image_too_large: {
    statuses: [413],
    meaning: 'The photo exceeds the limit of 20 MB.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  insufficient_scope: {
    statuses: [403],
    meaning: 'The token was issued without a scope that this call needs.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  internal_error: {
    statuses: [500],
    meaning: 'The service failed on its side, and the same request may safely be sent again.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  invalid_activation: {
    statuses: [404],
    meaning: 'The activation link is wrong or has run out.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  invalid_api_key: {
    statuses: [401],
    meaning: 'The API key is missing or wrong.',
    advice: { actor: 'operator', repeat: 'after_change' },
  },
  invalid_audience: {
    statuses: [],
    meaning: 'The audience is not valid.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  invalid_challenge: {
    statuses: [403],
    meaning: 'The challenge is wrong or has run out, or its signature is bad.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  invalid_challenge_result: {
    statuses: [403],
    meaning: 'The result of the challenge is not valid.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  invalid_client: {
    statuses: [401],
    meaning: 'The client credentials are wrong, or the application is not active.',
    advice: { actor: 'operator', repeat: 'after_change' },
  },
  invalid_client_metadata: {
    statuses: [400],
    meaning: 'The `client_name` is empty or longer than 120 characters.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  invalid_config: {
    statuses: [500],
    meaning: 'The configuration of the service is wrong.',
    advice: { actor: 'operator', repeat: 'later' },
  },
  invalid_date: {
    statuses: [400],
    meaning: 'The format of `expire_at` is wrong.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  invalid_feature: {
    statuses: [400],
    meaning: 'The face vector is not valid.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  invalid_frames: {
    statuses: [400],
    meaning: 'Live mode was given fewer than 3 frames.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  invalid_grant: {
    statuses: [400, 401],
    meaning:
      'The code or refresh token has run out, was used before, or is bound to another client or address.',
    advice: { actor: 'end_user', repeat: 'never' },
  },
  invalid_idp_response: {
    statuses: [],
    meaning: 'The response of the identity provider is not valid.',
    advice: { actor: 'operator', repeat: 'after_change' },
  },
  invalid_image: {
    statuses: [400, 422],
    meaning: 'A selfie has to be sent.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  invalid_recovery_phrases: {
    statuses: [403],
    meaning: 'The recovery phrases are wrong.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  invalid_redirect_uri: {
    statuses: [400],
    meaning: 'The `redirect_uris` have to be an array with at least one entry.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  invalid_request: {
    statuses: [400, 401, 404, 422],
    meaning: 'A parameter is missing or malformed; the organization API names the fields.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  invalid_scope: {
    statuses: [400],
    meaning: 'A requested scope is not switched on for the application.',
    advice: { actor: 'operator', repeat: 'after_change' },
  },
  invalid_session: {
    statuses: [400],
    meaning: 'The session refers to no user.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  invalid_state: {
    statuses: [409],
    meaning: 'The share request has been decided already.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  invalid_status: {
    statuses: [400],
    meaning: 'The status is not valid.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  invalid_token: {
    statuses: [401, 403],
    meaning: 'There is no token, or it has run out.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  kyc_required: {
    statuses: [400],
    meaning: 'A licence can be checked only once ID verification is complete.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  legacy_ocr_failed: {
    statuses: [],
    meaning: 'The legacy OCR failed.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  license_not_found: {
    statuses: [400, 404],
    meaning: 'No such licence was found.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  limit_reached: {
    statuses: [422],
    meaning: 'The vault can take no more items.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  liveness_unavailable: {
    statuses: [502],
    meaning: 'The selfie cannot be checked at the moment.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  logo_invalid: {
    statuses: [422],
    meaning: 'The logo has to come as the data URL of an image.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  logo_too_large: {
    statuses: [422],
    meaning: 'The logo is larger than allowed.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  misconfigured: {
    statuses: [500],
    meaning: 'The service has a signing key that is not valid.',
    advice: { actor: 'operator', repeat: 'later' },
  },
  misconfigured_oidc_endpoints: {
    statuses: [],
    meaning: 'The OIDC endpoints are misconfigured.',
    advice: { actor: 'operator', repeat: 'after_change' },
  },
  missing_dob: {
    statuses: [400],
    meaning: 'The call lacks a date of birth.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  missing_document: {
    statuses: [400],
    meaning: 'Liveness was asked for before a selfie was uploaded.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  missing_identifier: {
    statuses: [400],
    meaning: 'The call names the member by neither `svc_id` nor `email`.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  missing_parameter: {
    statuses: [400],
    meaning: 'The call has neither `svc_id` nor `vendor_data`.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  no_existing_e2e: {
    statuses: [400],
    meaning: 'There are no end-to-end encryption keys for the user.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  no_face: {
    statuses: [422],
    meaning: 'The selfie shows no face that can be used.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  no_images_provided: {
    statuses: [400],
    meaning: 'The call came without an image and needs one or more.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  no_reusable_record: {
    statuses: [400],
    meaning: 'There is no verification that could be reused.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  no_verification: {
    statuses: [404],
    meaning: 'No verification has been set up for the application.',
    advice: { actor: 'operator', repeat: 'after_change' },
  },
  not_found: {
    statuses: [404],
    meaning: 'There is no such resource or user, or it belongs to another project.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  not_linked: {
    statuses: [400],
    meaning: 'An identity can be reused only after signing in.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  otp_expired: {
    statuses: [410],
    meaning: 'The one-time password has run out.',
    advice: { actor: 'end_user', repeat: 'never' },
  },
  otp_invalid: {
    statuses: [400],
    meaning: 'The one-time password is wrong.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  otp_not_found: {
    statuses: [404],
    meaning: 'There is no such one-time password.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  pairing_already_exchanged: {
    statuses: [409],
    meaning: 'The tokens of this pairing have been handed out already.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  pairing_already_fulfilled: {
    statuses: [409],
    meaning: 'The pairing is complete already.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  pairing_expired: {
    statuses: [410],
    meaning: 'The pairing has run out of time.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  pairing_incomplete: {
    statuses: [400],
    meaning: 'The public key of the second device has not been given.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  pairing_not_found: {
    statuses: [404],
    meaning: 'There is no such pairing.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  pairing_not_fulfilled: {
    statuses: [400],
    meaning: 'The pairing still has to be completed.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  portrait_invalid: {
    statuses: [],
    meaning: 'The portrait is not valid.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  portrait_not_found: {
    statuses: [],
    meaning: 'There is no portrait to be found.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  rate_limited: {
    statuses: [429],
    meaning: 'Calls come too fast: pause, then repeat.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  recovery_phrases_not_set: {
    statuses: [404],
    meaning: 'The user has no recovery phrases.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  registration_failed: {
    statuses: [500],
    meaning: 'The registration did not go through.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  required_face_checks_incomplete: {
    statuses: [409],
    meaning: 'ID verification, liveness and face match must all have passed before an approval.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  requires_login: {
    statuses: [401],
    meaning: 'The user has to authenticate before this call.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  reuse_not_available: {
    statuses: [400],
    meaning: 'The account has lost its verification, so there is nothing to reuse.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  review_not_pending: {
    statuses: [409],
    meaning: 'The session is not `IN_REVIEW`, which a decision by hand calls for.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  sdk_compare_failed: {
    statuses: [],
    meaning: 'The SDK comparison failed.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  server_error: {
    statuses: [500],
    meaning: 'Something went wrong that the service did not expect.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  session_closed: {
    statuses: [409],
    meaning: 'The session has been closed.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  session_expired: {
    statuses: [410],
    meaning: 'The session has run out of time.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  session_not_found: {
    statuses: [],
    meaning: 'The session id is wrong, or its session has run out.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  sso_error: {
    statuses: [500],
    meaning: 'The sign-in broke down.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  sso_exchange_failed: {
    statuses: [401],
    meaning: 'The sign-in could not be brought to its end.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  sso_no_identity: {
    statuses: [422],
    meaning: 'The sign-in returned no identity of an account.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  sso_not_configured: {
    statuses: [503],
    meaning: 'Sign-in has not been set up.',
    advice: { actor: 'operator', repeat: 'later' },
  },
  stored_reference_invalid: {
    statuses: [],
    meaning: 'The stored reference is not valid.',
    advice: { actor: 'operator', repeat: 'after_change' },
  },
  stored_reference_invalid_type: {
    statuses: [],
    meaning: 'The stored reference has a type that is not valid.',
    advice: { actor: 'operator', repeat: 'after_change' },
  },
  tamper_detected: {
    statuses: [409],
    meaning: 'The payload does not fit its `payload_hash`.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  token_error: {
    statuses: [500],
    meaning: 'The service could not issue a token.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  token_issuance_failed: {
    statuses: [500],
    meaning: 'Issuing the token broke down.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  token_missing: {
    statuses: [401],
    meaning: 'The call lacks a session token.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  too_many_attempts: {
    statuses: [429],
    meaning: 'Face checks have failed too often.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  too_many_frames: {
    statuses: [400],
    meaning: 'More than 8 frames were sent.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  tracking_already_used: {
    statuses: [403],
    meaning: 'The tracking id has been used before.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  tracking_expired: {
    statuses: [403],
    meaning: 'The tracking id has run out of time.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  tracking_not_found: {
    statuses: [404],
    meaning: 'There is no such tracking id.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  unauthenticated: {
    statuses: [401],
    meaning: 'The account behind the call was not found.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  unauthorized: {
    statuses: [401, 403],
    meaning: 'The call is not authorized.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  unauthorized_client: {
    statuses: [403],
    meaning: 'The application is not active.',
    advice: { actor: 'operator', repeat: 'after_change' },
  },
  unauthorized_domain: {
    statuses: [403],
    meaning: 'The domain is not authorized.',
    advice: { actor: 'operator', repeat: 'after_change' },
  },
  unknown_band: {
    statuses: [],
    meaning: 'The age band cannot be read; told inside the result of that band, not as a failed call.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  unprocessable: {
    statuses: [422],
    meaning: 'The input was rejected, for the quality of an image for instance.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  unsupported_grant_type: {
    statuses: [400],
    meaning: 'The `grant_type` is not taken; `authorization_code` is, and the token endpoint also refreshes.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  unsupported_response_type: {
    statuses: [400],
    meaning: 'The `response_type` has to be `code`.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  user_deleted: {
    statuses: [410],
    meaning: 'The account that the device is linked to has been deleted.',
    advice: { actor: 'caller', repeat: 'never' },
  },
  user_has_no_face_reference: {
    statuses: [],
    meaning: 'The user has no face reference.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  user_not_found: {
    statuses: [400, 404],
    meaning: 'There is no such user.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  userinfo_failed: {
    statuses: [],
    meaning: 'The request for user info failed.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  validation_error: {
    statuses: [400],
    meaning: 'A parameter of the request is missing or malformed.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  valyd_account_mismatch: {
    statuses: [403],
    meaning: 'The verification is that of another account.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  valyd_login_required: {
    statuses: [401],
    meaning: 'The user can go on only after signing in.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  verification_soft_locked: {
    statuses: [423],
    meaning: 'Verification is locked for the time being.',
    advice: { actor: 'wait', repeat: 'later' },
  },
  wc_error: {
    statuses: [400],
    meaning: 'An API that the service itself calls reported an error.',
    advice: { actor: 'operator', repeat: 'after_change' },
  },
  workflow_not_found: {
    statuses: [404],
    meaning: 'The project has no workflow with this id.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
  wrapped_ku_recovery_not_set: {
    statuses: [404],
    meaning: 'There is no recovery wrapper.',
    advice: { actor: 'end_user', repeat: 'after_change' },
  },
  wrong_endpoint: {
    statuses: [400],
    meaning: 'The endpoint takes the ids of images, and an upload came instead.',
    advice: { actor: 'caller', repeat: 'after_change' },
  },
}
