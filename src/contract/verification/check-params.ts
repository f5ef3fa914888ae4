/** A band such as 18, '18', '18+' or 'is_18_plus': all four mean the same. */
export type AgeBand = number | `${number}` | `${number}+` | `is_${number}_plus`

/** Whose age is asked about (contract, section 4.3). */
export interface AgeParams {
  /** Date of birth, best as `YYYY-MM-DD`. */
  readonly dob: string
  /**
   * What to ask. An empty list asks for `is_18_plus`. Any band can be asked here; the account mode of the
   * service knows 16, 18, 21, 30 and 65 only.
   */
  readonly bands: readonly AgeBand[]
}

/** Where somebody is, and where they should be (contract, section 4.3). */
export interface LocationParams {
  /** Degrees. Leave the coordinates out when the person blocked the permission: the check then fails. */
  readonly latitude?: number | undefined
  /** Degrees. */
  readonly longitude?: number | undefined
  /** Metres. */
  readonly accuracy?: number | undefined
  /** Degrees. Without an expected point the place is recorded and nothing compared. */
  readonly expected_latitude?: number | undefined
  /** Degrees. */
  readonly expected_longitude?: number | undefined
  /** Metres. Without it a distance is reported and nothing is matched. */
  readonly radius_m?: number | undefined
}

/** Which board and which kind of licence: one of the two is needed, and each goes as it is. */
export type LicenseKind =
  | {
      /** The provider's `credential_name`. */
      readonly license_type: string
      /** The provider's `provider_code`: pins the exact board. */
      readonly provider_code?: string | undefined
    }
  | { readonly license_type?: string | undefined; readonly provider_code: string }

/** The jurisdiction, two letters. `state` is the service's other name for it. */
export type LicenseState = { readonly license_state: string } | { readonly state: string }

/** The number exactly as the board writes it. `license_no` is the service's other name for it. */
export type LicenseNumber = { readonly license_number: string } | { readonly license_no: string }

/**
 * Whose licence it should be. A name verifies, no name only searches, and an access token takes the name of
 * that account and ignores any other.
 */
export type LicenseHolder =
  | {
      /** Verifies the licence against this name. */
      readonly full_name: string
      readonly first_name?: undefined
      readonly last_name?: undefined
      readonly svc_access_token?: undefined
    }
  | {
      readonly full_name?: undefined
      /** Verifies the licence against this name, with `last_name`. */
      readonly first_name: string
      /** Verifies the licence against this name, with `first_name`. */
      readonly last_name: string
      readonly svc_access_token?: undefined
    }
  | {
      readonly full_name?: undefined
      readonly first_name?: undefined
      readonly last_name?: undefined
      /** Takes the verified name of this account. */
      readonly svc_access_token?: string | undefined
    }

/** What some boards need beside the number. */
export interface LicenseDetails {
  /** Where the provider takes it. */
  readonly npi?: string | undefined
  /** What a provider lists in `required_fields`. */
  readonly remote_code?: string | undefined
}

/** What a licence check is asked with (contract, section 4.4). */
export type CredentialParams = LicenseKind &
  LicenseState &
  LicenseNumber &
  LicenseHolder &
  LicenseDetails & {
    /** Tidies odd number formats, and tries again where the board finds nothing. */
    readonly do_ai_clean?: boolean | undefined
  }

/** The licence half of the combined check; the name comes from the ID, never from the caller. */
export type KycLicenseParams = LicenseKind & LicenseState & LicenseNumber & LicenseDetails
