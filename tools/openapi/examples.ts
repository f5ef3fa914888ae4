import type { BillingSummary } from '../../src/contract/organization/billing.ts'
import type { AddedMember, Member } from '../../src/contract/organization/member-results.ts'
import type { TokenResponse } from '../../src/contract/sign-in/oidc.ts'
import type { CheckType } from '../../src/contract/verification/check-data.ts'
import type {
  Check,
  CheckFor,
  CombinedResult,
  StandaloneResult,
} from '../../src/contract/verification/check-results.ts'
import type { CredentialProvider, CredentialState } from '../../src/contract/verification/credentials.ts'
import type { Decision, Session } from '../../src/contract/verification/sessions.ts'
import type { Workflow } from '../../src/contract/verification/workflows.ts'
import type { WebhookEventOf } from '../../src/contract/webhooks/events.ts'

/** Made-up payloads, as the contract describes them. */

export const session: Session = {
  session_id: 'sess_123',
  status: 'NOT_STARTED',
  url: 'https://id.example.com/s/abc123',
  session_token: 'st_abc123',
  features: ['id_verification', 'liveness', 'face_match'],
  redirect_url: 'https://app.example.com/return',
  expires_at: '2026-01-01T01:00:00Z',
}

const idCheck: CheckFor<'id_verification'> = {
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
}

const livenessCheck: CheckFor<'liveness'> = {
  type: 'liveness',
  status: 'passed',
  score: 1,
  data: { live_score: 1, result: 'live' },
  error: null,
}

const faceMatchCheck: CheckFor<'face_match'> = {
  type: 'face_match',
  status: 'passed',
  score: 0.99,
  data: { similarity: 0.99, threshold: 0.95 },
  error: null,
}

const credentialCheck: CheckFor<'credential'> = {
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
}

const checks = {
  id_verification: idCheck,
  liveness: livenessCheck,
  face_match: faceMatchCheck,
  age: {
    type: 'age',
    status: 'passed',
    data: { age: 35, dob: '1990-12-10', bands: { is_18_plus: { verified: true, min_age: 18 } } },
    error: null,
  },
  credential: credentialCheck,
  location: {
    type: 'location',
    status: 'passed',
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
  },
} satisfies { readonly [Type in CheckType]: CheckFor<Type> }

/** The result of a standalone check of a type. */
export const standaloneResult = <Type extends keyof typeof checks>(
  type: Type,
): Omit<StandaloneResult, 'check'> & { readonly check: Check } => ({
  session_id: 'sess_123',
  status: 'passed',
  check: checks[type],
})

export const combinedResult: CombinedResult = {
  session_id: 'sess_123',
  status: 'passed',
  identity: { name: 'Ada Lovelace', dob: '1990-12-10' },
  checks: [idCheck, livenessCheck, faceMatchCheck, credentialCheck],
}

export const decision: Decision = {
  status: 'APPROVED',
  decision: 'APPROVED',
  decided_at: '2026-01-01T00:20:00Z',
  checks: [idCheck, livenessCheck, faceMatchCheck],
  vendor_data: 'user-42',
}

export const credentialState: CredentialState = { state_name: 'California', state_code: 'CA' }

export const credentialProvider: CredentialProvider = {
  provider_code: 'CA-BRN',
  provider_display_name: 'California Board of Registered Nursing',
  credential_code: 'CA-BRN-RN',
  credential_name: 'Registered Nurse',
  state_code: 'CA',
  remote_code: 'rn',
  required_fields: ['license_no', 'remote_code'],
}

export const workflow: Workflow = { id: 'wf_123', name: 'Adults', features: ['id_verification', 'age'] }

/** An image in base64. */
export const image = 'iVBORw0KGgo='

export const license = {
  license_state: 'CA',
  license_number: 'RN-12.345/B',
  license_type: 'Registered Nurse',
  provider_code: 'CA-BRN',
}

export const tokens: TokenResponse = {
  access_token: 'eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl',
  refresh_token: 'refresh-token',
  id_token: 'eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl',
  token_type: 'Bearer',
  expires_in: 900,
  scope: 'openid',
}

export const client = { client_id: 'client-id', client_secret: 'client-secret' }

export const member: Member = {
  id: 7,
  member_id: 'vmem_0123456789abcdef01234567',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@example.com',
  role: 'member',
  status: 'active',
  svc_id: 'svc_ada',
  active: true,
  created_at: '2026-01-01T09:30:00+02:00',
}

export const invitedMember: Member = { ...member, status: 'link_sent', svc_id: null, active: false }

export const addedMember: AddedMember = {
  ...invitedMember,
  activation_link: 'https://console.example.com/activate/abc',
  invite_method: 'face',
}

export const billing: BillingSummary = {
  subscription: {
    plan: 'team',
    status: 'active',
    price_per_seat: 5,
    in_trial: false,
    trial_ends_at: null,
    current_period_end: '2026-02-01T00:00:00Z',
  },
  seats: 3,
  estimated_next_charge: 15,
  currency: 'EUR',
  balance: 100,
  invoices: [{ period: '2025-12', seats: 2, amount: 10, created_at: '2026-01-01T00:00:00Z' }],
}

/** Parts of an event that do not depend on its type. */
export const event: Omit<WebhookEventOf<string>, 'type' | 'status' | 'decision'> = {
  event_id: 'evt_123',
  session_id: 'sess_123',
  vendor_data: 'user-42',
  occurred_at: '2026-01-01T00:20:00Z',
}
