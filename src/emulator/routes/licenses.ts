import type { CheckStatus } from '../../contract/verification/check-data.ts'
import type { Check, CheckFor } from '../../contract/verification/check-results.ts'
import { credentialVerification, kycCredential } from '../../contract/verification/checks.ts'
import {
  checkLicense,
  findLicense,
  type LicenseQuery,
  noLicenseFound,
  type Purpose,
} from '../checks/credential.ts'
import type { License } from '../checks/license-board.ts'
import { withOutcome } from '../checks/outcome.ts'
import { passedCheck, samplePerson } from '../checks/samples.ts'
import { type Operation, serve } from '../server/operation.ts'
import { serviceError } from '../server/service-error.ts'
import type { ServiceState } from '../state/service-state.ts'

interface NamedPerson {
  readonly full_name?: string | undefined
  readonly first_name?: string | undefined
  readonly last_name?: string | undefined
  readonly svc_access_token?: string | undefined
}

/** Which of the three modes was asked for (contract, section 4.4). */
function purposeOf({ full_name, first_name, last_name, svc_access_token }: NamedPerson): Purpose {
  // The emulator keeps no verified accounts: whatever the token, it stands for the sample person's.
  if (svc_access_token !== undefined) return { mode: 'account', name: samplePerson.name }
  const name = (full_name || `${first_name ?? ''} ${last_name ?? ''}`).trim()
  return name === '' ? { mode: 'search' } : { mode: 'verify', name }
}

function overall(checks: readonly { readonly status: CheckStatus }[]): CheckStatus {
  if (checks.some(({ status }) => status === 'failed')) return 'failed'
  return checks.find(({ status }) => status !== 'passed')?.status ?? 'passed'
}

/** The lookups of a licence: contract, sections 4.3 (combined) and 4.4. */
export function licenseOperations({
  outcomes,
  checkLog,
  random,
  clock,
  settings,
}: ServiceState): Operation[] {
  /** @param unknown the status of `license_not_found`, which the contract gives as 400 and as 404 */
  const lookUp = (query: LicenseQuery, purpose: Purpose, unknown: number): CheckFor<'credential'> => {
    const told = outcomes.take('credential')
    // A scripted lookup finds any number, so that a test need not know the data set.
    const license: License | undefined =
      findLicense(settings.licenses, query) ?? (told === undefined ? undefined : scripted(query, purpose))
    if (license !== undefined) return withOutcome(checkLicense(license, purpose), told)
    // Only the search mode has `found`; the others have no way to say it but the error.
    if (purpose.mode === 'search') return noLicenseFound
    throw serviceError('license_not_found', { status: unknown })
  }

  return [
    serve(credentialVerification, ({ body }) => {
      const check = lookUp(body, purposeOf(body), 404)
      return checkLog.record({ session_id: random.id('sess_'), status: check.status, check }, [check])
    }),
    serve(kycCredential, ({ body }) => {
      const now = clock.now()
      const id = withOutcome(passedCheck('id_verification', now), outcomes.take('id_verification'))
      const face = withOutcome(passedCheck('liveness', now), outcomes.take('liveness'))
      const match = withOutcome(passedCheck('face_match', now), outcomes.take('face_match'))
      const name = id.data.fields?.full_name ?? ''
      // Section 4.3 lists 400 for this endpoint and no 404.
      const license = lookUp(body, { mode: 'verify', name }, 400)
      const checks = [id, face, match, license] as unknown as Check[]
      const identity = { name, dob: id.data.dob }
      const result = { session_id: random.id('sess_'), status: overall(checks), identity, checks }
      return checkLog.record(result, checks)
    }),
  ]
}

function scripted(query: LicenseQuery, purpose: Purpose): License {
  return {
    license_number: query.license_number,
    license_state: query.license_state,
    license_type: query.license_type ?? '',
    provider_code: query.provider_code ?? '',
    holder: purpose.mode === 'search' ? samplePerson.name : purpose.name,
    status: 'active',
  }
}
