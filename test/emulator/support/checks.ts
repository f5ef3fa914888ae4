import type { Check } from './service.ts'

/** The result of a standalone check (section 2.5). */
export interface CheckResult {
  readonly session_id: string
  readonly status: string
  readonly check: Check
}

/** The person on every ID that the emulator reads. */
export const holder = 'Alex Sample'

/** The license of that person. */
export const nurse = { license_state: 'CA', license_number: 'RN-482913', license_type: 'Registered Nurse' }

/** An age check that passes. */
export const adult = { dob: '1990-04-12', bands: [18] }

/** A valid body for each billable check of the contract. */
export const billableChecks: readonly [path: string, body: object][] = [
  ['/api/v2/id-verification', { front_image: 'AAAA' }],
  ['/api/v2/liveness', { image: 'AAAA' }],
  ['/api/v2/face-match', { image1: 'AAAA', image2: 'AAAA' }],
  ['/api/v2/age-verification', adult],
  ['/api/v2/credential-verification', nurse],
  ['/api/v2/kyc-credential', { ...nurse, front_image: 'AAAA', selfie: 'AAAA' }],
  ['/api/v2/location', { latitude: 1, longitude: 2 }],
]

/** A workflow with every check of the contract. */
export const everyCheck = {
  id: 'wf_all',
  name: 'Every check',
  features: ['id_verification', 'liveness', 'face_match', 'age', 'credential', 'location'],
} as const
