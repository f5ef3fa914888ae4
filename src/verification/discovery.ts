import { credentialVerification } from '../contract/verification/checks.ts'
import type { CredentialProvider } from '../contract/verification/credentials.ts'
import { InvalidParamsError, invalidParam } from '../errors/call-errors.ts'

/** The fields that you collected from the person, under the names in `required_fields` or the canonical names. */
export type CollectedFields = Readonly<Record<string, string | undefined>>

/**
 * Returns the required fields that are missing. A field that the provider supplies, such as its `remote_code`, never
 * is.
 */
function missingFields(provider: CredentialProvider, collected: CollectedFields): string[] {
  const present: CollectedFields = { ...canonical(collected), ...fromProvider(provider) }
  return provider.required_fields.filter((field) => !present[canonicalName(field)])
}

/** The part of a license check's params that a provider determines. */
type ProviderCredentialParams = {
  /** Two letters. */
  readonly license_state: string
  /** The provider's `credential_name`. */
  readonly license_type: string
  /** Selects the exact board. */
  readonly provider_code: string
  /** The number exactly as the board writes it. */
  readonly license_number: string
  /** The provider's `remote_code`, if it has one. */
  readonly remote_code?: string | undefined
}

/**
 * Builds the params of a license check from a provider and the collected fields: the number, the `npi` and the fields
 * that the provider requires. Other collected fields are left out. The provider's own values win.
 *
 * Add a name to verify the holder.
 *
 * @param collected at least the license number, exactly as the board writes it
 * @throws {InvalidParamsError} required fields are missing; `issues` names each
 *
 * @example
 * await client.checks.credential({
 *   ...credentialParams(provider, { license_number: 'RN-12' }),
 *   full_name: 'Ada Lovelace',
 * })
 */
export function credentialParams(
  provider: CredentialProvider,
  collected: CollectedFields,
): ProviderCredentialParams & Record<string, string> {
  const { required_fields: fields } = Object(provider) as CredentialProvider
  if (!Array.isArray(fields) || !fields.every((field) => typeof field === 'string'))
    throw invalidParam('credentialParams', 'provider.required_fields', 'must be an array of strings')
  const params = { ...pickAllowed(provider, collected), ...fromProvider(provider) }
  const missing = missingFields(provider, collected)
  if (!params.license_number) missing.push('license_number')
  if (missing.length > 0) {
    const issues = [...new Set(missing.map(canonicalName))].map((path) => ({ path, message: 'is required' }))
    throw new InvalidParamsError({ operation: 'credentialParams', issues })
  }
  return params as ProviderCredentialParams & Record<string, string>
}

/** Keeps a form that the person filled in from adding other fields to a billed call, or selecting another board. */
function pickAllowed(provider: CredentialProvider, collected: CollectedFields): Record<string, string> {
  const names = new Set(['license_number', 'npi', ...provider.required_fields.map(canonicalName)])
  return Object.fromEntries(Object.entries(canonical(collected)).filter(([name]) => names.has(name)))
}

const canonicalName = (field: string): string =>
  Object.entries(credentialVerification.aliases).find(([alias]) => alias === field)?.[1] ?? field

function canonical(collected: CollectedFields): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [name, value] of Object.entries(collected)) {
    if (value !== undefined && value !== '') fields[canonicalName(name)] = value
  }
  return fields
}

function fromProvider(provider: CredentialProvider): Record<string, string> {
  const { state_code, credential_name, provider_code, remote_code } = provider
  return {
    license_state: state_code,
    license_type: credential_name,
    provider_code,
    ...(remote_code ? { remote_code } : {}),
  }
}
