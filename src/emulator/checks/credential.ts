import type { LicenseData } from '../../contract/verification/check-data.ts'
import type { CheckFor } from '../../contract/verification/check-results.ts'
import type { License } from './license-board.ts'
import { failureMessages } from './samples.ts'

/** What a licence is looked up by; the names are those of the contract, section 4.4. */
export interface LicenseQuery {
  readonly license_state: string
  readonly license_number: string
  readonly license_type?: string | undefined
  readonly provider_code?: string | undefined
  readonly do_ai_clean?: boolean | undefined
}

/** Why the licence is looked up. In the account mode the name is the account's, whatever was sent. */
export type Purpose =
  | { readonly mode: 'search' }
  | { readonly mode: 'verify' | 'account'; readonly name: string }

const normalizeNumber = (number: string) => number.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()

/** The licence that fits everything that was sent; the number verbatim, or cleaned once that finds nothing. */
export function findLicense(licenses: readonly License[], query: LicenseQuery): License | undefined {
  const candidates = licenses.filter(
    (license) =>
      license.license_state === query.license_state.toUpperCase() &&
      (query.license_type === undefined || license.license_type === query.license_type) &&
      (query.provider_code === undefined || license.provider_code === query.provider_code),
  )
  const verbatim = candidates.find((license) => license.license_number === query.license_number)
  if (verbatim !== undefined || query.do_ai_clean !== true) return verbatim
  return candidates.find(
    (license) => normalizeNumber(license.license_number) === normalizeNumber(query.license_number),
  )
}

const sameName = (a: string, b: string) => spelledAlike(a) === spelledAlike(b)

const spelledAlike = (name: string) => name.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase()

function toLicenseData({ license_number, status, issued_at, expires_at, specialty }: License): LicenseData {
  return { license_number, status, issued_at, expires_at, specialty }
}

/** The board knows the licence: whose is it? A search that finds one has passed, and has verified nobody. */
export function checkLicense(license: License, purpose: Purpose): CheckFor<'credential'> {
  if (purpose.mode === 'search')
    return credential(true, { mode: 'search', found: true, match: null, license: toLicenseData(license) })
  const match = sameName(license.holder, purpose.name)
  // The account mode returns proofs, which is why the licence itself is left out.
  if (purpose.mode === 'account') return credential(match, { mode: 'account', match })
  return credential(match, { mode: 'verify', match, license: toLicenseData(license) })
}

/** A search that found nothing. */
export const noLicenseFound: CheckFor<'credential'> = {
  type: 'credential',
  status: 'failed',
  data: { mode: 'search', found: false, match: null },
  error: { message: 'The board knows no such licence.' },
}

function credential(passed: boolean, data: CheckFor<'credential'>['data']): CheckFor<'credential'> {
  return {
    type: 'credential',
    status: passed ? 'passed' : 'failed',
    data,
    error: passed ? null : { message: failureMessages.credential },
  }
}
