import type { Unlisted } from '../../../contract/schema/open-types.ts'
import type { LicenseData } from '../../../contract/verification/check-data.ts'
import type { CheckFor } from '../../../contract/verification/check-results.ts'
import type { License } from './license-board.ts'
import { failureMessages } from './samples.ts'

/** Criteria of a license lookup. The names are those of the contract, section 4.4. */
export interface LicenseQuery {
  readonly license_state: string
  readonly license_number: string
  readonly license_type?: string | undefined
  readonly provider_code?: string | undefined
  readonly do_ai_clean?: boolean | undefined
  /**
   * Whether `license_type` may contain a `provider_code`, and the other way round. The contract lists one as an alias
   * of the other for the combined check only (section 4.3).
   */
  readonly kindsAreAliases?: boolean | undefined
}

/** The mode of a lookup by an account. The contract does not give its name. */
export const accountMode = 'account' as string as Unlisted

/** A lookup and its mode. In account mode, `name` is the account's name, and the name in the request is ignored. */
export type Lookup = { readonly mode: 'search' } | { readonly mode: 'verify' | Unlisted; readonly name: string }

const normalizeNumber = (number: string) => number.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()

/**
 * Returns the license that matches all criteria. The number must match exactly. With `do_ai_clean`, a number that is
 * not found is compared again without punctuation.
 */
export function findLicense(licenses: readonly License[], query: LicenseQuery): License | undefined {
  const candidates = licenses.filter(
    (license) => license.license_state === query.license_state.toUpperCase() && isOfKind(license, query),
  )
  const exact = candidates.find((license) => license.license_number === query.license_number)
  if (exact !== undefined || query.do_ai_clean !== true) return exact
  return candidates.find((license) => normalizeNumber(license.license_number) === normalizeNumber(query.license_number))
}

function isOfKind({ license_type, provider_code }: License, query: LicenseQuery): boolean {
  const isListed = (kind: string | undefined, kinds: readonly string[]) => kind === undefined || kinds.includes(kind)
  if (query.kindsAreAliases === true)
    return [query.license_type, query.provider_code].every((kind) => isListed(kind, [license_type, provider_code]))
  return isListed(query.license_type, [license_type]) && isListed(query.provider_code, [provider_code])
}

const isSameName = (a: string, b: string) => normalizeName(a) === normalizeName(b)

const normalizeName = (name: string) => name.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase()

function toLicenseData({ license_number, status, issued_at, expires_at, specialty }: License): LicenseData {
  return { license_number, status, issued_at, expires_at, specialty }
}

/** Returns the check of a license that was found. In search mode it passes without verifying a person. */
export function checkLicense(license: License, lookup: Lookup): CheckFor<'credential'> {
  if (lookup.mode === 'search')
    return credentialCheck(true, {
      mode: 'search',
      found: true,
      match: null,
      license: toLicenseData(license),
    })
  const match = isSameName(license.holder, lookup.name)
  // The account mode returns proofs, so the response does not contain the license.
  if (lookup.mode !== 'verify') return credentialCheck(match, { mode: lookup.mode, match })
  return credentialCheck(match, { mode: 'verify', match, license: toLicenseData(license) })
}

/** Returns the result of a lookup without a match. A search verifies no one, so only the other modes have a `match`. */
export const noLicenseFound = ({ mode }: Lookup): CheckFor<'credential'> => ({
  type: 'credential',
  status: 'failed',
  data: { mode, found: false, match: mode === 'search' ? null : false },
  error: { message: 'The license does not exist.' },
})

function credentialCheck(passed: boolean, data: CheckFor<'credential'>['data']): CheckFor<'credential'> {
  return {
    type: 'credential',
    status: passed ? 'passed' : 'failed',
    data,
    error: passed ? null : { message: failureMessages.credential },
  }
}
