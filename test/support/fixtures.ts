// Beginnings of files: cspell:ignore WEBPVP ftypheic

/** Payloads as the contract shows them (sections 2.2 to 2.7). Tests override their fields. */

export const aSession = (over: object = {}) => ({
  session_id: 'sess_1',
  status: 'NOT_STARTED',
  url: 'https://id.example.test/s/abc123',
  session_token: 'st_browser_safe',
  features: ['id_verification', 'liveness'],
  redirect_url: 'https://app.example.test/return',
  expires_at: '2026-01-01T01:00:00Z',
  ...over,
})

export const aDecision = (over: object = {}) => ({
  status: 'APPROVED',
  decision: 'APPROVED',
  decided_at: '2026-01-01T00:20:00Z',
  checks: [idCheck(), livenessCheck()],
  ...over,
})

/** The decision of a pending session. */
export const pendingDecision = (over: object = {}) =>
  aDecision({ status: 'IN_PROGRESS', decision: null, decided_at: null, checks: [], ...over })

export const idCheck = (over: object = {}) => ({
  type: 'id_verification',
  status: 'passed',
  score: 0.98,
  data: {
    fields: {
      full_name: 'Ada Lovelace',
      document_number: 'X1234567',
      date_of_birth: '1990-12-10',
      date_of_expiry: '2031-12-09',
      issuing_state: 'CA',
      country: 'USA',
      document_type: 'passport',
    },
    portrait: 'iVBORw0KGgo=',
    dob: '1990-12-10',
    authenticity: { score: 0.97 },
  },
  error: null,
  ...over,
})

export const livenessCheck = (over: object = {}) => ({
  type: 'liveness',
  status: 'passed',
  score: 1,
  data: { live_score: 1, result: 'live' },
  error: null,
  ...over,
})

export const faceMatchCheck = (over: object = {}) => ({
  type: 'face_match',
  status: 'passed',
  score: 0.991,
  data: { similarity: 0.991, threshold: 0.95 },
  error: null,
  ...over,
})

/** Has no score, because an age check has none. */
export const ageCheck = (over: object = {}) => ({
  type: 'age',
  status: 'passed',
  data: { age: 24, dob: '2001-05-17', bands: { is_18_plus: { verified: true, min_age: 18 } } },
  error: null,
  ...over,
})

export const credentialCheck = (over: object = {}) => ({
  type: 'credential',
  status: 'passed',
  score: 1,
  data: {
    match: true,
    mode: 'verify',
    license: {
      license_number: 'RN-12.345/B',
      status: 'active',
      issued_at: '2015-02-01',
      expires_at: '2027-02-01',
      specialty: 'Emergency',
    },
  },
  error: null,
  ...over,
})

export const locationCheck = (over: object = {}) => ({
  type: 'location',
  status: 'passed',
  score: 1,
  data: {
    latitude: 52.52,
    longitude: 13.405,
    accuracy: 12.5,
    source: 'gps',
    captured_at: '2026-01-01T00:00:00Z',
    expected_latitude: 52.5,
    expected_longitude: 13.4,
    distance_m: 2249.6,
    radius_m: 5000,
    match: true,
  },
  error: null,
  ...over,
})

/** The result of a standalone check. */
export const standalone = (check: { readonly status: string }) => ({
  session_id: 'sess_check_1',
  status: check.status,
  check,
})

/** The result of the combined check. */
export const combined = (over: object = {}) => ({
  session_id: 'sess_check_1',
  status: 'passed',
  identity: { name: 'Ada Lovelace', dob: '1990-12-10' },
  checks: [idCheck(), livenessCheck(), faceMatchCheck(), credentialCheck()],
  ...over,
})

export const aState = (over: object = {}) => ({ state_name: 'California', state_code: 'CA', ...over })

export const aProvider = (over: object = {}) => ({
  provider_code: 'CA-BRN',
  provider_display_name: 'California Board of Registered Nursing',
  credential_code: 'CA-BRN-RN',
  credential_name: 'Registered Nurse',
  state_code: 'CA',
  remote_code: 'rn',
  required_fields: ['license_no', 'remote_code'],
  ...over,
})

export const aWorkflow = (over: object = {}) => ({
  id: 'wf_1',
  name: 'Adults with a license',
  features: ['id_verification', 'liveness', 'face_match', 'age', 'credential', 'location'],
  ...over,
})

/** The shortest bytes that are detected as each type of image. */
export const images = {
  png: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 1),
  jpeg: Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 2),
  webp: new TextEncoder().encode('RIFF\x10\0\0\0WEBPVP8 3'),
  heic: new TextEncoder().encode('\0\0\0\x18ftypheic\0\0\0\0'),
  unknown: new TextEncoder().encode('not a known image type'),
} as const
