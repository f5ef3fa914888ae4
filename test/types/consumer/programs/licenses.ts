// Checks a license: the states and providers come from the service, and decide which fields the form shows.
import {
  assertPassed,
  type CredentialProvider,
  credentialParams,
  type LicenseData,
  type VerificationClient,
} from 'identity-service-sdk'

export interface Option {
  value: string
  label: string
}

export async function stateOptions(client: VerificationClient): Promise<Option[]> {
  const states = await client.credentials.listStates()
  return states.map(({ state_code, state_name }) => ({ value: state_code, label: state_name }))
}

export async function licenseOptions(client: VerificationClient, state: string): Promise<Option[]> {
  const providers: CredentialProvider[] = await client.credentials.listProviders(state)
  providers.sort((a, b) => a.credential_name.localeCompare(b.credential_name))
  return providers.map(({ credential_code, credential_name }) => ({
    value: credential_code,
    label: credential_name,
  }))
}

export async function checkLicense(
  client: VerificationClient,
  state: string,
  choice: string,
  form: Readonly<Record<string, string | undefined>>,
): Promise<LicenseData | string[]> {
  const providers = await client.credentials.listProviders(state)
  const provider = providers.find(({ credential_code }) => credential_code === choice)
  if (provider === undefined) return ['credential_code']
  const params = credentialParams(provider, form)
  const result = await client.checks.credential({ ...params, full_name: form.full_name ?? 'Ada Lovelace' })
  assertPassed(result)
  return result.check.data.license ?? {}
}

export const knownLicense = (client: VerificationClient, token: string | undefined) =>
  client.checks.credential({
    license_state: 'CA',
    license_number: 'RN 123',
    license_type: 'Registered Nurse',
    svc_access_token: token,
  })
