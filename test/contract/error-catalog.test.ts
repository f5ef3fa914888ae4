import { expect, it } from 'vitest'
import { type ErrorCatalogEntry, errorCatalog } from '../../src/contract/errors/catalog.ts'
import { finalCodes } from '../../src/contract/errors/codes.ts'

/** The table of section 7, one line per row: the code, then its statuses (none if the contract has a dash). */
const tableOfCodes = `
  access_denied 403
  account_dob_unavailable 422
  account_not_found 404
  activation_failed 500 503
  already_exists 409
  already_paired 409
  app_default_protected 422
  back_image_not_found 404
  cache_clear_failed 400
  callback_not_allowed 422
  challenge_expired 400
  challenge_required 400
  client_not_found 404
  code_expired 410
  database_error 500
  decrypt_failed 500
  deletion_failed 500
  denied 403
  device_already_paired 409
  device_key_unknown 410
  device_mismatch 400
  device_not_found 404
  empty_face_feature 400
  endpoint_not_found
  endpoint_removed 410
  engine_unreachable 503
  expired 410
  face_feature_extraction_failed 400
  face_match_failed 500
  face_match_unavailable 502
  face_mismatch 403
  face_not_enrolled 409
  face_not_matched 403
  face_not_verified 403
  face_required 409
  face_rescan_required 422
  failed_to_extract_id_portrait_feature
  feature_extraction_failed 400
  feature_failed 502
  feature_size_mismatch
  forbidden 403
  frames_required 400
  front_image_id_required 400
  front_image_not_found 404
  idempotency_in_progress 409
  idempotency_key_reused 422
  identity_locked 403
  image_not_found 404
  image_too_large 413
  insufficient_scope 403
  invalid_activation 404
  invalid_api_key 401
  invalid_audience
  invalid_challenge 403
  invalid_challenge_result 403
  invalid_client 401
  invalid_client_metadata 400
  invalid_config 500
  invalid_date 400
  invalid_feature 400
  invalid_frames 400
  invalid_grant 400 401
  invalid_idp_response
  invalid_image 400 422
  invalid_recovery_phrases 403
  invalid_redirect_uri 400
  invalid_request 400 401 404 422
  invalid_scope 400
  invalid_session 400
  invalid_state 409
  invalid_status 400
  invalid_token 401 403
  kyc_required 400
  legacy_ocr_failed
  license_not_found 400 404
  limit_reached 422
  liveness_unavailable 502
  logo_invalid 422
  logo_too_large 422
  misconfigured 500
  misconfigured_oidc_endpoints
  missing_dob 400
  missing_document 400
  missing_parameter 400
  no_existing_e2e 400
  no_face 422
  no_images_provided 400
  no_reusable_record 400
  no_verification 404
  not_found 404
  not_linked 400
  otp_expired 410
  otp_invalid 400
  otp_not_found 404
  pairing_already_exchanged 409
  pairing_already_fulfilled 409
  pairing_expired 410
  pairing_incomplete 400
  pairing_not_found 404
  pairing_not_fulfilled 400
  portrait_invalid
  portrait_not_found
  rate_limited 429
  recovery_phrases_not_set 404
  registration_failed 500
  required_face_checks_incomplete 409
  requires_login 401
  reuse_not_available 400
  review_not_pending 409
  sdk_compare_failed
  server_error 500
  session_closed 409
  session_expired 410
  session_not_found
  sso_error 500
  sso_exchange_failed 401
  sso_no_identity 422
  sso_not_configured 503
  stored_reference_invalid
  stored_reference_invalid_type
  tamper_detected 409
  token_error 500
  token_issuance_failed 500
  token_missing 401
  too_many_attempts 429
  too_many_frames 400
  tracking_already_used 403
  tracking_expired 403
  tracking_not_found 404
  unauthenticated 401
  unauthorized 401 403
  unauthorized_client 403
  unauthorized_domain 403
  unknown_band
  unsupported_grant_type 400
  unsupported_response_type 400
  user_deleted 410
  user_has_no_face_reference
  user_not_found 400 404
  userinfo_failed
  valyd_account_mismatch 403
  valyd_login_required 401
  verification_soft_locked 423
  wc_error 400
  workflow_not_found 404
  wrapped_ku_recovery_not_set 404
  wrong_endpoint 400
`

/** Codes that the contract lists outside that table (sections 4.1, 4.9 and 7). */
const otherCodes = `
  already_active 409
  already_decided 409
  deactivated 409
  internal_error 500
  missing_identifier 400
  unprocessable 422
  validation_error 400
`

function factsFrom(lines: string): [code: string, statuses: number[]][] {
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [code = '', ...statuses] = line.trim().split(' ')
      return [code, statuses.map(Number)]
    })
}

const entries: [code: string, entry: ErrorCatalogEntry][] = Object.entries(errorCatalog)

it('lists the 147 rows of the table and the 7 codes outside it, each with its statuses', () => {
  const rows = factsFrom(tableOfCodes)
  const others = factsFrom(otherCodes)

  expect(rows).toHaveLength(147)
  expect(others).toHaveLength(7)
  const documented = Object.fromEntries([...rows, ...others])
  expect(Object.keys(documented)).toHaveLength(154)
  expect(Object.fromEntries(entries.map(([code, { statuses }]) => [code, statuses]))).toEqual(documented)
})

it('is sorted by code', () => {
  const codes = entries.map(([code]) => code)

  expect(codes).toEqual([...codes].sort())
})

it('gives each code a unique meaning of one sentence that says more than the name', () => {
  for (const [code, { meaning }] of entries) {
    expect(meaning, code).toMatch(/^[A-Z][^.]+\.$/)
    expect(meaning.slice(0, -1).toLowerCase(), code).not.toBe(code.replaceAll('_', ' '))
  }
  expect(new Set(entries.map(([, { meaning }]) => meaning)).size).toBe(entries.length)
})

it('gives each code one of four actors and one of three retry values', () => {
  for (const [code, { advice }] of entries) {
    expect(['caller', 'end_user', 'operator', 'wait'], code).toContain(advice.actor)
    expect(['never', 'after_change', 'later'], code).toContain(advice.retry)
  }
})

it('advises a later retry for server failures, rate limits and a key that is in progress', () => {
  const isTransient = (status: number) => status >= 500 || status === 429
  const settingsAndLocks = [
    'invalid_config',
    'misconfigured',
    'sso_not_configured',
    'too_many_attempts',
    'verification_soft_locked',
  ]
  const transient = entries.filter(
    ([code, { statuses }]) =>
      (statuses.some(isTransient) || code === 'idempotency_in_progress') && !settingsAndLocks.includes(code),
  )

  const later = entries.filter(([, { advice }]) => advice.retry === 'later')

  expect(later).toEqual(transient)
  expect(later.map(([code]) => code)).toEqual(
    expect.arrayContaining(['internal_error', 'rate_limited', 'engine_unreachable']),
  )
})

it('advises the caller only to wait if a later retry can succeed', () => {
  for (const [code, { advice }] of entries) {
    if (advice.actor === 'wait') expect(advice.retry, code).toBe('later')
  }
})

it('advises against a retry if the resource is gone or already decided', () => {
  const gone = entries.filter(([, { statuses }]) => statuses.includes(410))

  expect(gone.map(([code, { advice }]) => [code, advice.retry])).toEqual(
    gone.map(([code]) => [code, 'never']),
  )
  expect(errorCatalog.already_decided.advice.retry).toBe('never')
  expect(errorCatalog.session_closed.advice.retry).toBe('never')
})

it('the 14 codes that the contract lists without a meaning have one that says that it is guessed', () => {
  const withoutMeaning = [
    'endpoint_not_found',
    'failed_to_extract_id_portrait_feature',
    'feature_size_mismatch',
    'invalid_audience',
    'invalid_idp_response',
    'legacy_ocr_failed',
    'misconfigured_oidc_endpoints',
    'portrait_invalid',
    'portrait_not_found',
    'sdk_compare_failed',
    'stored_reference_invalid',
    'stored_reference_invalid_type',
    'user_has_no_face_reference',
    'userinfo_failed',
  ]

  const guessed = Object.entries(errorCatalog).filter(([, { meaning }]) =>
    meaning.endsWith(' (guessed from the name).'),
  )
  expect(guessed.map(([code]) => code).sort()).toEqual(withoutMeaning)
})

it('advises a change for the codes that no retry helps, although their status suggests it', () => {
  expect(finalCodes.filter((code) => errorCatalog[code].advice.retry !== 'after_change')).toEqual([])
})
