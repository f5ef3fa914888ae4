import type { CredentialProvider, CredentialState } from '../../../contract/verification/credentials.ts'
import { samplePerson } from './samples.ts'

/** A license of an emulated board. */
export interface License {
  /** The number exactly as the board writes it, including punctuation. */
  readonly license_number: string
  /** State code of two letters. */
  readonly license_state: string
  /** The board, as the `provider_code` of a provider. */
  readonly provider_code: string
  /** The `credential_name` of a provider. */
  readonly license_type: string
  /** Full name of the person who holds the license. */
  readonly holder: string
  /** Status of the license, in the board's words. */
  readonly status?: string | undefined
  /** Date of issue. Returned unchanged. */
  readonly issued_at?: string | undefined
  /** Date of expiry. Returned unchanged. */
  readonly expires_at?: string | undefined
  /** Specialty, in the board's words. */
  readonly specialty?: string | undefined
}

export const credentialStates: readonly CredentialState[] = [
  { state_name: 'California', state_code: 'CA' },
  { state_name: 'New York', state_code: 'NY' },
  { state_name: 'Texas', state_code: 'TX' },
]

/** A row for each credential: state, board, name of the board, credential and its name. */
const credentials: readonly (readonly [
  state: string,
  board: string,
  name: string,
  code: string,
  credential: string,
])[] = [
  ['CA', 'NURSING', 'California Board of Nursing', 'RN', 'Registered Nurse'],
  ['CA', 'NURSING', 'California Board of Nursing', 'NP', 'Nurse Practitioner'],
  ['CA', 'MEDICAL', 'Medical Board of California', 'MD', 'Physician and Surgeon'],
  ['NY', 'PROFESSIONS', 'New York Office of the Professions', 'RPH', 'Pharmacist'],
  ['TX', 'ENGINEERS', 'Texas Board of Engineers', 'PE', 'Professional Engineer'],
]

export const providers: readonly CredentialProvider[] = credentials.map(([state, board, name, code, credential]) => ({
  provider_code: `EMU-${state}-${board}`,
  provider_display_name: `Emulated ${name}`,
  credential_code: `EMU-${state}-${code}`,
  credential_name: credential,
  state_code: state,
  remote_code: code,
  required_fields: code === 'NP' ? ['license_no', 'remote_code'] : ['license_no'],
}))

/** One license of the sample person, and two of other people. */
export const sampleLicenses: readonly License[] = [
  {
    license_number: 'RN-482913',
    license_state: 'CA',
    provider_code: 'EMU-CA-NURSING',
    license_type: 'Registered Nurse',
    holder: samplePerson.name,
    status: 'active',
    issued_at: '2019-06-01',
    expires_at: '2037-05-31',
    specialty: 'Critical care',
  },
  {
    license_number: 'A 10-2030',
    license_state: 'CA',
    provider_code: 'EMU-CA-MEDICAL',
    license_type: 'Physician and Surgeon',
    holder: 'Robin Example',
    status: 'active',
    issued_at: '2011-02-15',
    expires_at: '2037-02-28',
    specialty: 'Cardiology',
  },
  {
    license_number: '048211',
    license_state: 'NY',
    provider_code: 'EMU-NY-PROFESSIONS',
    license_type: 'Pharmacist',
    holder: 'Kim Placeholder',
    status: 'expired',
    issued_at: '2008-09-01',
    expires_at: '2020-08-31',
  },
]
