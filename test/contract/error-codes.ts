// Stems of words: cspell:ignore configur delet issu reus

/**
 * The catalog of section 7, copied from the contract by hand: code, statuses, and words of the meaning in our own
 * order. Without statuses, the contract has a dash. Without words, it gives no meaning.
 */
const table = `
access_denied 403 declined|permitted
account_dob_unavailable 422 date of birth
account_not_found 404 account
activation_failed 500,503 activation
already_exists 409 encryption
already_paired 409 paired
app_default_protected 422 default
back_image_not_found 404 back image
cache_clear_failed 400 cache
callback_not_allowed 422 destination
challenge_expired 400 instruction|expired
challenge_required 400 challenge
client_not_found 404 client
code_expired 410 code
database_error 500 device keys
decrypt_failed 500 payload
deletion_failed 500 delet
denied 403 denied|declined
device_already_paired 409 paired
device_key_unknown 410 key
device_mismatch 400 device_id
device_not_found 404 registered
empty_face_feature 400 empty
endpoint_not_found -
endpoint_removed 410 sign-on
engine_unreachable 503 engine
expired 410 expired
face_feature_extraction_failed 400 feature
face_match_failed 500 match|compar
face_match_unavailable 502 selfie
face_mismatch 403 match
face_not_enrolled 409 enrolled
face_not_matched 403 differs|logged|signed
face_not_verified 403 tracking
face_required 409 identity data
face_rescan_required 422 scan
failed_to_extract_id_portrait_feature -
feature_extraction_failed 400 feature
feature_failed 502 feature
feature_size_mismatch -
forbidden 403 internal
frames_required 400 3 to 8
front_image_id_required 400 front_image_id
front_image_not_found 404 front image
idempotency_in_progress 409 Idempotency-Key
idempotency_key_reused 422 body
identity_locked 403 email
image_not_found 404 image
image_too_large 413 20 MB
insufficient_scope 403 scope
invalid_activation 404 link
invalid_api_key 401 API key
invalid_audience -
invalid_challenge 403 signature
invalid_challenge_result 403 challenge
invalid_client 401 client
invalid_client_metadata 400 120
invalid_config 500 misconfigured|configur
invalid_date 400 expire_at
invalid_feature 400 vector
invalid_frames 400 3 frames
invalid_grant 400,401 refresh token
invalid_idp_response -
invalid_image 400,422 selfie
invalid_recovery_phrases 403 recovery
invalid_redirect_uri 400 redirect_uris
invalid_request 400,401,404,422 missing|malformed
invalid_scope 400 enabled
invalid_session 400 user
invalid_state 409 share
invalid_status 400 status
invalid_token 401,403 token
kyc_required 400 ID verification
legacy_ocr_failed -
license_not_found 400,404 license
limit_reached 422 vault
liveness_unavailable 502 selfie
logo_invalid 422 data URL
logo_too_large 422 logo
misconfigured 500 key
misconfigured_oidc_endpoints -
missing_dob 400 date of birth
missing_document 400 selfie
missing_parameter 400 vendor_data
no_existing_e2e 400 keys
no_face 422 face
no_images_provided 400 image
no_reusable_record 400 reus
no_verification 404 provisioned
not_found 404 resource
not_linked 400 sign
otp_expired 410 expired
otp_invalid 400 invalid|wrong|not valid
otp_not_found 404 OTP|one-time
pairing_already_exchanged 409 token
pairing_already_fulfilled 409 fulfilled
pairing_expired 410 expired
pairing_incomplete 400 public key
pairing_not_found 404 pairing
pairing_not_fulfilled 400 complete
portrait_invalid -
portrait_not_found -
rate_limited 429 retry|wait|too many
recovery_phrases_not_set 404 recovery
registration_failed 500 registration
required_face_checks_incomplete 409 liveness
requires_login 401 sign|log|authenticate
reuse_not_available 400 verified
review_not_pending 409 IN_REVIEW
sdk_compare_failed -
server_error 500 unexpected
session_closed 409 closed
session_expired 410 expired
session_not_found - session
sso_error 500 sign
sso_exchange_failed 401 sign
sso_no_identity 422 identity
sso_not_configured 503 configured
stored_reference_invalid -
stored_reference_invalid_type -
tamper_detected 409 payload_hash
token_error 500 issue
token_issuance_failed 500 issu
token_missing 401 session token
too_many_attempts 429 face
too_many_frames 400 8
tracking_already_used 403 used
tracking_expired 403 expired
tracking_not_found 404 tracking
unauthenticated 401 account
unauthorized 401,403 authorized
unauthorized_client 403 active
unauthorized_domain 403 domain
unknown_band - band
unsupported_grant_type 400 authorization_code
unsupported_response_type 400 code
user_deleted 410 deleted
user_has_no_face_reference -
user_not_found 400,404 user
userinfo_failed -
valyd_account_mismatch 403 different|another
valyd_login_required 401 sign
verification_soft_locked 423 temporarily
wc_error 400 upstream
workflow_not_found 404 project
wrapped_ku_recovery_not_set 404 recovery
wrong_endpoint 400 ids
`

/** A row of the catalog. */
interface CatalogRow {
  readonly code: string
  readonly statuses: readonly number[]
  /** Matches the meaning. `undefined` if the contract gives none. */
  readonly meaning: RegExp | undefined
}

const rowsOf = (text: string): readonly CatalogRow[] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [code = '', statuses = '', ...words] = line.split(' ')
      return {
        code,
        statuses: statuses === '-' ? [] : statuses.split(',').map(Number),
        meaning: words.length === 0 ? undefined : new RegExp(words.join(' '), 'i'),
      }
    })

export const catalog = rowsOf(table)

/** Codes that sections 4.1, 4.9 and 7 name outside of the table. */
export const codesOutsideTheTable = rowsOf(`
already_active 409 active
already_decided 409 status
deactivated 409 deactivated
internal_error 500 safe to retry
missing_identifier 400 svc_id|email
unprocessable 422 processed|rejected
validation_error 400 parameter|missing|malformed
`)
