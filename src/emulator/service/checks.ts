import type { CheckStatus, CheckType } from '../../contract/verification/check-data.ts'
import type { Check, CheckFor } from '../../contract/verification/check-results.ts'
import {
  acceptedAgeParams,
  ageVerification,
  credentialVerification,
  faceMatch,
  idVerification,
  kycCredential,
  liveness,
  locationCheck,
} from '../../contract/verification/checks.ts'
import { listProviders, listStates } from '../../contract/verification/credentials.ts'
import { checkAge } from '../model/checks/age.ts'
import {
  accountMode,
  checkLicense,
  findLicense,
  type LicenseQuery,
  type Lookup,
  noLicenseFound,
} from '../model/checks/credential.ts'
import { credentialStates, type License, providers } from '../model/checks/license-board.ts'
import { checkLocation } from '../model/checks/location.ts'
import { withOutcome } from '../model/checks/outcome.ts'
import { passedCheck, samplePerson } from '../model/checks/samples.ts'
import { serviceError } from '../model/service-error.ts'
import type { ServiceState } from '../model/service-state.ts'
import { type Operation, serve } from './operation.ts'

/** Serves the standalone checks, except the two that look up a license (contract, section 4.3). */
export function checkOperations({ outcomes, random, clock }: ServiceState): Operation[] {
  const result = <Type extends CheckType>(natural: CheckFor<Type>) => {
    const check = withOutcome(natural, outcomes.take(natural.type))
    return { session_id: random.id('sess_'), status: check.status, check }
  }

  return [
    serve(idVerification, () => result(passedCheck('id_verification', clock.now()))),
    serve(liveness, () => result(passedCheck('liveness', clock.now()))),
    serve(faceMatch, () => result(passedCheck('face_match', clock.now()))),
    serve({ ...ageVerification, body: acceptedAgeParams }, ({ body }) => result(checkAge(body, clock.now()))),
    serve(locationCheck, ({ body }) => result(checkLocation(body, clock.now())), {
      // A device without a GPS fix may report null. That is a failed check, not an invalid request (section 4.3).
      nullable: ['latitude', 'longitude', 'accuracy'],
    }),
  ]
}

/** Serves credential discovery (contract, section 4.5). */
export const discoveryOperations: readonly Operation[] = [
  serve(listStates, () => [...credentialStates]),
  serve(listProviders, ({ ids }) => {
    const code = ids.state?.toUpperCase()
    // The list of states contains every state that has a provider, so any other state is not found.
    if (!credentialStates.some(({ state_code }) => state_code === code)) throw serviceError('not_found')
    return providers.filter(({ state_code }) => state_code === code)
  }),
]

interface NamedPerson {
  readonly full_name?: string | undefined
  readonly first_name?: string | undefined
  readonly last_name?: string | undefined
  readonly svc_access_token?: string | undefined
}

/** Returns the lookup that the request selects, in one of three modes (contract, section 4.4). */
function lookupOf({ full_name, first_name, last_name, svc_access_token }: NamedPerson): Lookup {
  // The emulator has no accounts with a verified identity, so any token stands for the sample person's account.
  if (svc_access_token !== undefined) return { mode: accountMode, name: samplePerson.name }
  const name = (full_name || `${first_name ?? ''} ${last_name ?? ''}`).trim()
  return name === '' ? { mode: 'search' } : { mode: 'verify', name }
}

function overall(checks: readonly { readonly status: CheckStatus }[]): CheckStatus {
  if (checks.some(({ status }) => status === 'failed')) return 'failed'
  return checks.find(({ status }) => status !== 'passed')?.status ?? 'passed'
}

/** Serves the two endpoints that look up a license (contract, sections 4.3 and 4.4). */
export function licenseOperations({ outcomes, random, clock, settings }: ServiceState): Operation[] {
  /** @param ownStatus status of `license_not_found` that the contract lists for the endpoint */
  const runLookup = (query: LicenseQuery, lookup: Lookup, ownStatus: 400 | 404): CheckFor<'credential'> => {
    const outcome = outcomes.take('credential')
    // A scripted lookup finds any license number, so that a test does not depend on the sample licenses.
    const license: License | undefined =
      findLicense(settings.licenses, query) ?? (outcome === undefined ? undefined : scriptedLicense(query, lookup))
    if (license !== undefined) return withOutcome(checkLicense(license, lookup), outcome)
    const { licenseNotFound } = settings.readings
    // The contract documents the member `found` for the search mode only.
    const byEndpoint = lookup.mode === 'search' ? 'found_false' : ownStatus
    const reading = licenseNotFound === 'by_endpoint' ? byEndpoint : licenseNotFound
    if (reading === 'found_false') return noLicenseFound(lookup)
    throw serviceError('license_not_found', { status: reading })
  }

  return [
    serve(credentialVerification, ({ body }) => {
      const check = runLookup(body, lookupOf(body), 404)
      return { session_id: random.id('sess_'), status: check.status, check }
    }),
    serve(kycCredential, ({ body }) => {
      const now = clock.now()
      const id = withOutcome(passedCheck('id_verification', now), outcomes.take('id_verification'))
      const face = withOutcome(passedCheck('liveness', now), outcomes.take('liveness'))
      const match = withOutcome(passedCheck('face_match', now), outcomes.take('face_match'))
      const name = id.data.fields?.full_name ?? ''
      // For this endpoint, section 4.3 lists 400, but not 404.
      const license = runLookup({ ...body, kindsAreAliases: true }, { mode: 'verify', name }, 400)
      const checks = [id, face, match, license] as unknown as Check[]
      const identity = { name, dob: id.data.dob }
      return { session_id: random.id('sess_'), status: overall(checks), identity, checks }
    }),
  ]
}

function scriptedLicense(query: LicenseQuery, lookup: Lookup): License {
  return {
    license_number: query.license_number,
    license_state: query.license_state,
    license_type: query.license_type ?? '',
    provider_code: query.provider_code ?? '',
    holder: lookup.mode === 'search' ? samplePerson.name : lookup.name,
    status: 'active',
  }
}
