// Hexadecimal digits: cspell:ignore ffee

import type { ApiPromise, RequestOptions, VerificationClient } from '../../src/index.ts'
import {
  aDecision,
  ageCheck,
  aProvider,
  aSession,
  aState,
  aWorkflow,
  combined,
  credentialCheck,
  faceMatchCheck,
  idCheck,
  images,
  livenessCheck,
  locationCheck,
  standalone,
} from './fixtures.ts'

/** A file of a multipart form. */
export interface SentFile {
  readonly filename: string
  readonly type: string
  readonly bytes: Uint8Array
}

/** `[status, code, other members of the error]`, as sections 4 and 7 of the contract list them. */
type DocumentedError = readonly [status: number, code: string, more?: Readonly<Record<string, unknown>>]

/** One method of the client and what the contract says about it, written by hand. */
export interface Operation {
  readonly name: string
  /** The section of the contract. */
  readonly section: string
  readonly call: (client: VerificationClient, options?: RequestOptions) => ApiPromise<unknown>
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path below the base URL. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number>>
  /** The JSON body, or the parts of the form. Without both, there is no body. */
  readonly json?: object
  readonly form?: Readonly<Record<string, string | SentFile>>
  /** `data` of the documented response. */
  readonly data: unknown
  /** What the method returns, if it is not `data` itself. */
  readonly result?: unknown
  readonly billable: boolean
  readonly errors: readonly DocumentedError[]
}

const file = (filename: string, type: string, bytes: Uint8Array): SentFile => ({ filename, type, bytes })

/** Section 7, "core codes": any operation may return them. */
const core: readonly DocumentedError[] = [
  [400, 'validation_error'],
  [401, 'invalid_api_key'],
  [422, 'unprocessable'],
  [429, 'rate_limited'],
  [500, 'internal_error'],
]

/** Operations with an id in their path. */
const byId: readonly DocumentedError[] = [...core, [404, 'not_found']]

/** Sections 4.3, 7 and 8. The contract does not show the code of an empty wallet, so this one is invented. */
const billed: readonly DocumentedError[] = [
  ...core,
  [402, 'balance_exhausted'],
  [409, 'idempotency_in_progress'],
  [422, 'idempotency_key_reused'],
  [423, 'verification_soft_locked'],
  [429, 'too_many_attempts'],
  [503, 'engine_unreachable'],
]

const withImages: readonly DocumentedError[] = [
  ...billed,
  [400, 'wrong_endpoint'],
  [413, 'image_too_large'],
  [422, 'invalid_image'],
]

/** Codes of section 7 that the contract names for no operation. The errors below list them where they are likely. */
export const codesOfNoOperation: readonly string[] = [
  'balance_exhausted',
  'engine_unreachable',
  'face_match_failed',
  'face_match_unavailable',
  'front_image_not_found',
  'internal_error',
  'invalid_image',
  'invalid_status',
  'invalid_token',
  'liveness_unavailable',
  'missing_dob',
  'no_face',
  'rate_limited',
  'too_many_attempts',
  'verification_soft_locked',
  'wc_error',
  'wrong_endpoint',
]

const frames = ['ZnJhbWUx', 'ZnJhbWUy', 'ZnJhbWUz']
const asImage = (base64: string) => ({ base64 })

export const operations: readonly Operation[] = [
  {
    name: 'sessions.create',
    section: '4.1',
    call: (client, options) =>
      client.sessions.create(
        {
          workflow_id: 'wf_1',
          redirect_url: 'https://app.example.test/return?from=idv',
          callback: 'https://app.example.test/webhooks',
          vendor_data: 'user 42',
          ttl_seconds: 1,
          metadata: { plan: 'pro', seats: [1, { deep: null }] },
          svc_access_token: 'access-token-of-the-person',
        },
        options,
      ),
    method: 'POST',
    path: '/api/v2/session',
    json: {
      workflow_id: 'wf_1',
      redirect_url: 'https://app.example.test/return?from=idv',
      callback: 'https://app.example.test/webhooks',
      vendor_data: 'user 42',
      ttl_seconds: 1,
      metadata: { plan: 'pro', seats: [1, { deep: null }] },
      svc_access_token: 'access-token-of-the-person',
    },
    data: aSession(),
    billable: false,
    errors: [...core, [422, 'callback_not_allowed'], [404, 'workflow_not_found'], [401, 'invalid_token']],
  },
  {
    name: 'sessions.list',
    section: '4.1',
    call: (client, options) =>
      client.sessions.list({ status: 'IN_REVIEW', vendor_data: 'user 42 & co+ü', limit: 20 }, options),
    method: 'GET',
    path: '/api/v2/session',
    query: { status: 'IN_REVIEW', vendor_data: 'user 42 & co+ü', limit: 20 },
    data: [aSession(), aSession({ session_id: 'sess_2', status: 'IN_REVIEW' })],
    billable: false,
    errors: [...core, [400, 'invalid_status']],
  },
  {
    name: 'sessions.retrieve',
    section: '4.1',
    call: (client, options) => client.sessions.retrieve('sess_1', options),
    method: 'GET',
    path: '/api/v2/session/sess_1',
    data: aSession({ status: 'IN_PROGRESS' }),
    billable: false,
    errors: byId,
  },
  {
    name: 'sessions.decision',
    section: '4.1',
    call: (client, options) => client.sessions.decision('sess_1', options),
    method: 'GET',
    path: '/api/v2/session/sess_1/decision',
    data: aDecision(),
    billable: false,
    errors: byId,
  },
  {
    name: 'sessions.updateStatus',
    section: '4.1',
    call: (client, options) => client.sessions.updateStatus('sess_1', { status: 'DECLINED' }, options),
    method: 'PATCH',
    path: '/api/v2/session/sess_1/status',
    json: { status: 'DECLINED' },
    data: aSession({ status: 'DECLINED' }),
    billable: false,
    errors: [
      ...byId,
      [409, 'already_decided', { status: 'APPROVED' }],
      [409, 'required_face_checks_incomplete'],
      [409, 'review_not_pending'],
      [409, 'session_closed'],
      [410, 'session_expired'],
    ],
  },
  {
    name: 'checks.idVerification',
    section: '4.3',
    call: (client, options) =>
      client.checks.idVerification({ front_image: images.jpeg, back_image: images.png }, options),
    method: 'POST',
    path: '/api/v2/id-verification',
    form: {
      front_image: file('front_image.jpg', 'image/jpeg', images.jpeg),
      back_image: file('back_image.png', 'image/png', images.png),
    },
    data: standalone(idCheck()),
    billable: true,
    errors: [...withImages, [404, 'front_image_not_found']],
  },
  {
    name: 'checks.liveness',
    section: '4.3',
    call: (client, options) => client.checks.liveness({ image: images.webp }, options),
    method: 'POST',
    path: '/api/v2/liveness',
    form: { image: file('image.webp', 'image/webp', images.webp) },
    data: standalone(livenessCheck()),
    billable: true,
    errors: [...withImages, [422, 'no_face'], [502, 'liveness_unavailable']],
  },
  {
    name: 'checks.faceMatch',
    section: '4.3',
    call: (client, options) => client.checks.faceMatch({ image1: images.heic, image2: images.jpeg }, options),
    method: 'POST',
    path: '/api/v2/face-match',
    form: {
      image1: file('image1.heic', 'image/heic', images.heic),
      image2: file('image2.jpg', 'image/jpeg', images.jpeg),
    },
    data: standalone(faceMatchCheck()),
    billable: true,
    errors: [...withImages, [500, 'face_match_failed'], [502, 'face_match_unavailable']],
  },
  {
    name: 'checks.age',
    section: '4.3',
    call: (client, options) =>
      client.checks.age({ dob: '2001-05-17', bands: [18, '18', '18+', 'is_18_plus'] }, options),
    method: 'POST',
    path: '/api/v2/age-verification',
    json: { dob: '2001-05-17', bands: [18, '18', '18+', 'is_18_plus'] },
    data: standalone(ageCheck()),
    billable: true,
    errors: [...billed, [400, 'missing_dob']],
  },
  {
    name: 'checks.credential',
    section: '4.4',
    call: (client, options) =>
      client.checks.credential(
        {
          license_state: 'CA',
          license_number: ' RN-12.345/B ',
          license_type: 'Registered Nurse',
          provider_code: 'CA-BRN',
          full_name: 'Ada Lovelace',
          npi: '1234567890',
          remote_code: 'rn',
          do_ai_clean: true,
        },
        options,
      ),
    method: 'POST',
    path: '/api/v2/credential-verification',
    json: {
      license_state: 'CA',
      license_number: ' RN-12.345/B ',
      license_type: 'Registered Nurse',
      provider_code: 'CA-BRN',
      full_name: 'Ada Lovelace',
      npi: '1234567890',
      remote_code: 'rn',
      do_ai_clean: true,
    },
    data: standalone(credentialCheck()),
    billable: true,
    errors: [...billed, [400, 'license_not_found'], [404, 'license_not_found'], [400, 'wc_error']],
  },
  {
    name: 'checks.kycCredential',
    section: '4.3',
    call: (client, options) =>
      client.checks.kycCredential(
        {
          front_image: images.jpeg,
          back_image: images.unknown,
          selfie: images.png,
          license_type: 'Registered Nurse',
          license_state: 'CA',
          license_number: ' RN-12.345/B ',
          npi: '1234567890',
        },
        options,
      ),
    method: 'POST',
    path: '/api/v2/kyc-credential',
    form: {
      license_type: 'Registered Nurse',
      license_state: 'CA',
      license_number: ' RN-12.345/B ',
      npi: '1234567890',
      front_image: file('front_image.jpg', 'image/jpeg', images.jpeg),
      back_image: file('back_image', 'application/octet-stream', images.unknown),
      selfie: file('selfie.png', 'image/png', images.png),
    },
    data: combined(),
    billable: true,
    errors: [...withImages, [400, 'kyc_required'], [404, 'license_not_found']],
  },
  {
    name: 'checks.location',
    section: '4.3',
    call: (client, options) =>
      client.checks.location(
        {
          latitude: 52.52,
          longitude: 13.405,
          accuracy: 12.5,
          expected_latitude: 52.5,
          expected_longitude: 13.4,
          radius_m: 5000,
        },
        options,
      ),
    method: 'POST',
    path: '/api/v2/location',
    json: {
      latitude: 52.52,
      longitude: 13.405,
      accuracy: 12.5,
      expected_latitude: 52.5,
      expected_longitude: 13.4,
      radius_m: 5000,
    },
    data: standalone(locationCheck()),
    billable: true,
    errors: billed,
  },
  {
    name: 'credentials.listStates',
    section: '4.5',
    call: (client, options) => client.credentials.listStates({}, options),
    method: 'GET',
    path: '/api/v2/credential/states',
    data: { states: [aState(), aState({ state_name: 'Nevada', state_code: 'NV' })] },
    result: [aState(), aState({ state_name: 'Nevada', state_code: 'NV' })],
    billable: false,
    errors: core,
  },
  {
    name: 'credentials.listProviders',
    section: '4.5',
    call: (client, options) => client.credentials.listProviders('CA', {}, options),
    method: 'GET',
    path: '/api/v2/credential/states/CA/providers',
    data: { providers: [aProvider(), aProvider({ credential_code: 'CA-BRN-NP', remote_code: null })] },
    result: [aProvider(), aProvider({ credential_code: 'CA-BRN-NP', remote_code: null })],
    billable: false,
    errors: byId,
  },
  {
    name: 'experimental.workflows.create',
    section: '4.2',
    call: (client, options) => client.experimental.workflows.create({ name: 'Adults', features: ['age'] }, options),
    method: 'POST',
    path: '/api/v2/workflows',
    json: { name: 'Adults', features: ['age'] },
    data: aWorkflow({ name: 'Adults', features: ['age'] }),
    billable: false,
    errors: core,
  },
  {
    name: 'experimental.workflows.list',
    section: '4.2',
    call: (client, options) => client.experimental.workflows.list({}, options),
    method: 'GET',
    path: '/api/v2/workflows',
    data: [aWorkflow(), aWorkflow({ id: 'wf_2' })],
    billable: false,
    errors: core,
  },
  {
    name: 'experimental.workflows.retrieve',
    section: '4.2',
    call: (client, options) => client.experimental.workflows.retrieve('wf_1', options),
    method: 'GET',
    path: '/api/v2/workflows/wf_1',
    data: aWorkflow(),
    billable: false,
    errors: [...core, [404, 'workflow_not_found']],
  },
  {
    name: 'experimental.workflows.update',
    section: '4.2',
    call: (client, options) => client.experimental.workflows.update('wf_1', { name: 'Adults only' }, options),
    method: 'PATCH',
    path: '/api/v2/workflows/wf_1',
    json: { name: 'Adults only' },
    data: aWorkflow({ name: 'Adults only' }),
    billable: false,
    errors: [...core, [404, 'workflow_not_found']],
  },
  {
    name: 'experimental.workflows.delete',
    section: '4.2',
    call: (client, options) => client.experimental.workflows.delete('wf_1', options),
    method: 'DELETE',
    path: '/api/v2/workflows/wf_1',
    data: null,
    billable: false,
    errors: [...core, [404, 'workflow_not_found']],
  },
  {
    name: 'experimental.antispoof.check',
    section: '4.6',
    call: (client, options) => client.experimental.antispoof.check({ frames: frames.map(asImage) }, options),
    method: 'POST',
    path: '/api/v2/antispoof',
    json: { frames },
    data: { human_score: 0.99 },
    billable: true,
    errors: [...billed, [400, 'frames_required'], [400, 'too_many_frames'], [400, 'invalid_frames']],
  },
  {
    name: 'experimental.antispoof.identity',
    section: '4.6',
    call: (client, options) =>
      client.experimental.antispoof.identity({ frames: frames.map(asImage), device: 'kiosk-1' }, options),
    method: 'POST',
    path: '/api/v2/antispoof/identity',
    json: { frames, device: 'kiosk-1' },
    data: { human_score: 0.99, uuid: 'c0ffee' },
    billable: true,
    errors: [...billed, [400, 'frames_required'], [400, 'too_many_frames'], [400, 'invalid_frames']],
  },
  {
    name: 'experimental.faceUniqueness.check',
    section: '4.6',
    call: (client, options) => client.experimental.faceUniqueness.check({ selfie: 'c2VsZmll' }, options),
    method: 'POST',
    path: '/api/v2/face-uniqueness',
    json: { selfie: 'c2VsZmll' },
    data: { unique: true },
    billable: true,
    errors: [...billed, [422, 'no_face']],
  },
  {
    name: 'experimental.faceUniqueness.delete',
    section: '4.6',
    call: (client, options) => client.experimental.faceUniqueness.delete('0b7c2a', options),
    method: 'DELETE',
    path: '/api/v2/face-uniqueness/0b7c2a',
    data: null,
    billable: false,
    errors: byId,
  },
]

/** What the method returns for the documented response. */
export const resultOf = (operation: Operation): unknown =>
  operation.result === undefined ? operation.data : operation.result

/** Cases for `it.each`, with the name as the first value. */
export const named = <Case extends { readonly name: string }>(cases: readonly Case[]) =>
  cases.map((one) => [one.name, one] as const)
