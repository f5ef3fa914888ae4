/**
 * An age band. 18, '18', '18+' and 'is_18_plus' are equivalent. Other text is rejected before it is sent. A band that the
 * service does not decide has `verified: null` in the result.
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
  /** Radius in meters. Without it, the distance is reported and nothing is matched. */
  readonly radius_m?: number | undefined
}

/** What every license check needs, and what some boards require (contract, section 4.4). */
interface LicenseFields {
  /** The jurisdiction, two letters. */
  readonly license_state: string
  /** The number exactly as the board writes it, punctuation included. */
  readonly license_number: string
  /** The NPI, if the provider supports it. */
  readonly npi?: string | undefined
  /** The provider's `remote_code`, if its `required_fields` list it. */
  readonly remote_code?: string | undefined
}

/** A license whose board the caller knows. */
interface LicenseOfProvider extends LicenseFields {
  /** The provider's `provider_code`. It selects the exact board. Sent unchanged. */
  readonly provider_code: string
  /** The provider's `credential_name`. Sent unchanged. */
  readonly license_type?: string | undefined
}

/** A license that is known by its type. */
interface LicenseOfType extends LicenseFields {
  /** The provider's `credential_name`. Sent unchanged. */
  readonly license_type: string
  /** The provider's `provider_code`. It selects the exact board. Sent unchanged. */
  readonly provider_code?: string | undefined
}

/** The license to check: its `license_type`, its `provider_code`, or both. */
// The compiler explains what is missing by the last member.
export type LicenseParams = LicenseOfProvider | LicenseOfType

/** No holder, or a holder's account. Without a name and a token, the check only searches. */
interface HolderByAccount {
  /** Verifies the license against the verified name of this account. */
  readonly svc_access_token?: string | undefined
  /** Not together with the other ways to name a holder. */
  readonly full_name?: undefined
  /** Not together with the other ways to name a holder. */
  readonly first_name?: undefined
  /** Not together with the other ways to name a holder. */
  readonly last_name?: undefined
}

/** A holder whose name is in one field. */
interface HolderByFullName {
  /** Verifies the license against this name. */
  readonly full_name: string
  /** Not together with the other ways to name a holder. */
  readonly first_name?: undefined
  /** Not together with the other ways to name a holder. */
  readonly last_name?: undefined
  /** Not together with a name, which the service would ignore. */
  readonly svc_access_token?: undefined
}

/** A holder whose name is in two fields. */
interface HolderByNames {
  /** Verifies the license against this name, with `last_name`. */
  readonly first_name: string
  /** Verifies the license against this name, with `first_name`. */
  readonly last_name: string
  /** Not together with the other ways to name a holder. */
  readonly full_name?: undefined
  /** Not together with a name, which the service would ignore. */
  readonly svc_access_token?: undefined
}

/**
 * The expected holder of the license: a name, an account, or nobody. The service would ignore a name next to an access
 * token, so the types accept only one of the two.
 */
type LicenseHolder = HolderByAccount | HolderByFullName | HolderByNames

/** How a license is looked up. */
interface LicenseLookup {
  /** Normalizes unusual number formats, and tries again if the board finds no license. */
  readonly do_ai_clean?: boolean | undefined
}

/** Params of a license check (contract, section 4.4). */
export type CredentialParams = LicenseParams & LicenseHolder & LicenseLookup
