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

export const states: readonly CredentialState[] = [
  { state_name: 'California', state_code: 'CA' },
  { state_name: 'New York', state_code: 'NY' },
  { state_name: 'Texas', state_code: 'TX' },
]

export const providers: readonly CredentialProvider[] = [
  {
    provider_code: 'EMU-CA-NURSING',
    provider_display_name: 'Emulated California Board of Nursing',
    credential_code: 'EMU-CA-RN',
    credential_name: 'Registered Nurse',
    state_code: 'CA',
    remote_code: 'RN',
    required_fields: ['license_no'],
  },
  {
    provider_code: 'EMU-CA-NURSING',
    provider_display_name: 'Emulated California Board of Nursing',
    credential_code: 'EMU-CA-NP',
    credential_name: 'Nurse Practitioner',
    state_code: 'CA',
    remote_code: 'NP',
    required_fields: ['license_no', 'remote_code'],
  },
  {
    provider_code: 'EMU-CA-MEDICAL',
    provider_display_name: 'Emulated Medical Board of California',
    credential_code: 'EMU-CA-MD',
    credential_name: 'Physician and Surgeon',
    state_code: 'CA',
    remote_code: 'MD',
    required_fields: ['license_no'],
  },
  {
    provider_code: 'EMU-NY-PROFESSIONS',
    provider_display_name: 'Emulated New York Office of the Professions',
    credential_code: 'EMU-NY-RPH',
    credential_name: 'Pharmacist',
    state_code: 'NY',
    remote_code: '020',
    required_fields: ['license_no'],
  },
  {
    provider_code: 'EMU-TX-ENGINEERS',
    provider_display_name: 'Emulated Texas Board of Engineers',
    credential_code: 'EMU-TX-PE',
    credential_name: 'Professional Engineer',
    state_code: 'TX',
    remote_code: 'PE',
    required_fields: ['license_no'],
  },
]

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
