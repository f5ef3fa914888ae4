/**
 * An age band. 18, '18', '18+' and 'is_18_plus' are equivalent. A band that the service cannot parse has
 * `verified: null` in the result.
 */
export type AgeBand = string | number

/** Params of an age check (contract, section 4.3). */
export interface AgeParams<Band extends AgeBand = AgeBand> {
  /** Date of birth, preferably as `YYYY-MM-DD`. */
  readonly dob: string
  /**
   * The bands to check. An empty array defaults to `is_18_plus`. Any band is possible with a date of birth. The
   * service's account mode supports only 16, 18, 21, 30 and 65.
   */
  readonly bands: readonly Band[]
}

/** Params of a location check: a GPS fix, and the expected point if any (contract, section 4.3). */
export interface LocationParams {
  /** Latitude in degrees. If the person blocked the permission, leave out the coordinates: the check then fails. */
  readonly latitude?: number | undefined
  /** Longitude in degrees. */
  readonly longitude?: number | undefined
  /** Accuracy of the fix. The contract does not give its unit. */
  readonly accuracy?: number | undefined
  /** Latitude of the expected point, in degrees. Without an expected point the location is only captured. */
  readonly expected_latitude?: number | undefined
  /** Longitude of the expected point, in degrees. */
  readonly expected_longitude?: number | undefined
  /** Radius in metres. Without it, the distance is reported and nothing is matched. */
  readonly radius_m?: number | undefined
}

/** The board and the type of licence. At least one of the two fields is required. Both are sent unchanged. */
export type LicenseKind =
  | {
      /** The provider's `credential_name`. */
      readonly license_type: string
      /** The provider's `provider_code`. It selects the exact board. */
      readonly provider_code?: string | undefined
    }
  | { readonly license_type?: string | undefined; readonly provider_code: string }

/** The jurisdiction, two letters. `state` is an alias. */
export type LicenseState =
  | { readonly license_state: string; readonly state?: undefined }
  | { readonly state: string; readonly license_state?: undefined }

/** The number exactly as the board writes it, punctuation included. `license_no` is an alias. */
export type LicenseNumber =
  | { readonly license_number: string; readonly license_no?: undefined }
  | { readonly license_no: string; readonly license_number?: undefined }

/**
 * The expected holder of the licence. With a name, the check verifies the holder. Without a name, it only searches.
 * With an access token, it uses the verified name of that account. The service would ignore a name next to the token, so
 * the types accept only one of the two.
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
      /** Verifies the licence against the verified name of this account. */
      readonly svc_access_token?: string | undefined
    }

/** Further fields that some boards require. */
export interface LicenseDetails {
  /** The NPI, if the provider supports it. */
  readonly npi?: string | undefined
  /** The provider's `remote_code`, if its `required_fields` list it. */
  readonly remote_code?: string | undefined
}

/** Params of a licence check (contract, section 4.4). */
export type CredentialParams = LicenseKind &
  LicenseState &
  LicenseNumber &
  LicenseHolder &
  LicenseDetails & {
    /** Normalizes unusual number formats, and tries again if the board finds no licence. */
    readonly do_ai_clean?: boolean | undefined
  }

/** The licence params of the combined check. The name comes from the ID, never from the caller. */
export type KycLicenseParams = LicenseKind & LicenseState & LicenseNumber & LicenseDetails
