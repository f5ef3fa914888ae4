import { expect, expectTypeOf } from 'vitest'
import {
  type CredentialParams,
  type CredentialProvider,
  type CredentialState,
  credentialParams,
  missingFields,
  pickProvider,
} from '../../src/index.ts'
import { type CheckResult, holder, nurse } from '../emulator/support/checks.ts'
import { inProcess } from '../emulator/support/service.ts'
import { aProvider, aState, combined, credentialCheck, standalone } from '../support/fixtures.ts'
import { ok } from '../support/scripted-service.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { documentedCalls, otherThan } from './documented-calls.ts'
import { statement, statements } from './statement.ts'

// Licenses: sections 2.6, 4.4 and 4.5 of the contract.

const { service, received, rejected, failed, sent, strictClients } = documentedCalls()

const path = '/api/v2/credential-verification'
const states = '/api/v2/credential/states'
const dataUrl = 'data:image/png;base64,AAAA'
const license = { license_state: 'CA', license_number: 'RN-1', license_type: 'Registered Nurse' }

const lookUp = (body: object, options = {}) => inProcess(options).post<CheckResult>(path, body)
const listStates = async () => (await inProcess().get<{ states: CredentialState[] }>(states)).data.states
const listProviders = async (state: string) =>
  (await inProcess().get<{ providers: CredentialProvider[] }>(`${states}/${state}/providers`)).data.providers

/** Sends a license check and returns its body. */
async function sentBody(params: CredentialParams): Promise<unknown> {
  service.respondTo(`POST ${path}`, ok(standalone(credentialCheck())))
  return (await sent(({ client }) => client.checks.credential(params))).json()
}

// 2.6, records

statements(
  '2.6',
  [
    ['state_name', 'Nevada'],
    ['state_code', 'NV'],
  ],
  (field) => `a state has the string ${field}`,
  async (field, value) => {
    const list = [aState({ [field]: value })]

    expect(await received('credentials.listStates', { states: list })).toEqual(list)
    expect(await rejected('credentials.listStates', { states: [aState({ [field]: 7 })] })).toMatchObject({
      code: 'invalid_response',
      message: expect.stringContaining(field),
    })
    expectTypeOf<CredentialState['state_name']>().toEqualTypeOf<string>()
  },
)

statement('2.6', 'a state code has two letters', async () => {
  for (const { state_code } of await listStates()) expect(state_code).toMatch(/^[A-Z]{2}$/)
})

statements(
  '2.6',
  [
    ['provider_code', 'string', 'NV-BRN'],
    ['provider_display_name', 'string', 'Nevada Board'],
    ['credential_code', 'string', 'NV-BRN-RN'],
    ['credential_name', 'string', 'Nurse'],
    ['state_code', 'string', 'NV'],
    ['required_fields', 'array', ['license_no']],
  ],
  (field, type) => `a provider has ${field}, of type ${type}`,
  async (field, type, value) => {
    const list = [aProvider({ [field]: value })]
    const wrong = [aProvider({ [field]: otherThan[type] })]

    expect(await received('credentials.listProviders', { providers: list })).toEqual(list)
    expect(await rejected('credentials.listProviders', { providers: wrong })).toMatchObject({
      code: 'invalid_response',
      message: expect.stringContaining(field),
    })
  },
)

statement('2.6', 'a provider has remote_code, whose type is not given', async () => {
  const list = [aProvider({ remote_code: 'RN' })]
  service.respondTo(`GET ${states}/CA/providers`, ok({ providers: [aProvider({ remote_code: 20 })] }))

  const untyped = await strictClients().client.credentials.listProviders('CA')

  expect(await received('credentials.listProviders', { providers: list })).toEqual(list)
  expect(untyped).toEqual([aProvider({ remote_code: 20 })])
})

statement('2.6', 'a provider_code may occur on several rows', async () => {
  const codes = (await listProviders('CA')).map(({ provider_code }) => provider_code)

  expect(new Set(codes).size).toBeLessThan(codes.length)
})

statement('2.6', 'a credential_code is unique, so it identifies a row of a dropdown', async () => {
  const providers = await listProviders('CA')
  const codes = providers.map(({ credential_code }) => credential_code)

  expect(new Set(codes).size).toBe(codes.length)
  for (const provider of providers) expect(pickProvider(providers, provider.credential_code)).toBe(provider)
})

statements(
  '2.6',
  [['license_no'], ['remote_code']],
  (field) => `${field} may be a required field of a provider`,
  async (field) => {
    const provider = aProvider({ remote_code: null, required_fields: [field] }) as CredentialProvider

    expect(missingFields(provider, {})).toEqual([field])
    expect(missingFields(provider, { [field]: 'x' })).toEqual([])
  },
)

// 4.4, fields

statements(
  '4.4',
  [
    ['license_state', 'CA'],
    ['license_number', ' RN-12.345/B '],
    ['license_type', 'Registered Nurse'],
    ['provider_code', 'CA-BRN'],
    ['full_name', 'Ada Lovelace'],
    ['npi', '1234567890'],
    ['svc_access_token', 'token'],
    ['do_ai_clean', true],
  ],
  (field) => `a license check sends ${field} unchanged`,
  async (field, value) => {
    expect(await sentBody({ ...license, [field]: value } as CredentialParams)).toEqual({
      ...license,
      [field]: value,
    })
  },
)

statement('4.4', 'a license check sends first_name and last_name unchanged', async () => {
  const name = { first_name: 'Ada', last_name: 'Lovelace' }

  expect(await sentBody({ ...license, ...name })).toEqual({ ...license, ...name })
})

statements(
  '4.4',
  [
    ['state', 'license_state', { state: 'CA', license_number: 'RN-1', license_type: 'Registered Nurse' }],
    [
      'license_no',
      'license_number',
      { license_state: 'CA', license_no: 'RN-1', license_type: 'Registered Nurse' },
    ],
  ],
  (alias, name) => `${alias} is an alias of ${name}`,
  async (alias, name, params) => {
    const sample = { license_state: 'CA', license_number: 'RN-482913', license_type: 'Registered Nurse' }
    const { [name]: value, ...rest } = sample

    expect(await sentBody(params as object as CredentialParams)).toEqual(license)
    expect(await lookUp({ ...rest, [alias]: value })).toMatchObject({ data: { status: 'passed' } })
  },
)

statements(
  '4.4',
  [
    ['license_state', { license_number: 'RN-1', license_type: 'Nurse' }],
    ['license_number', { license_state: 'CA', license_type: 'Nurse' }],
    ['license_type', { license_state: 'CA', license_number: 'RN-1' }],
  ],
  (field) =>
    `a license check requires ${field}${field === 'license_type' ? ' unless provider_code is sent' : ''}`,
  async (field, params) => {
    const error = await thrownBy(strictClients().client.checks.credential(params as never))

    expect(error).toMatchObject({ code: 'invalid_params', message: expect.stringContaining(field) })
    expect(await lookUp(params)).toMatchObject({ status: 400, error: { code: 'validation_error' } })
  },
)

statement('4.4', 'provider_code can be sent instead of license_type', async () => {
  const params = { license_state: 'CA', license_number: 'RN-482913', provider_code: 'EMU-CA-NURSING' }

  expect(await sentBody(params)).toEqual(params)
  expect(await lookUp(params)).toMatchObject({ status: 200, data: { status: 'passed' } })
})

statements(
  '4.4',
  [['California'], ['C'], ['C1']],
  (state) => `license_state has two letters, so ${state} is not sent`,
  async (license_state) => {
    const error = await thrownBy(strictClients().client.checks.credential({ ...license, license_state }))

    expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: 'license_state' }] })
    expect((await lookUp({ ...nurse, license_state })).status).toBe(400)
  },
)

statement('4.4', 'the number is compared exactly as the board writes it, punctuation included', async () => {
  expect(await lookUp(nurse)).toMatchObject({ data: { check: { data: { found: true } } } })
  expect(await lookUp({ ...nurse, license_number: 'RN482913' })).toMatchObject({
    data: { check: { data: { found: false } } },
  })
})

statement(
  '4.4',
  'license_type is the credential_name of a provider, and provider_code pins the board',
  async () => {
    const [provider] = await listProviders('CA')
    const params = credentialParams(provider as CredentialProvider, { license_number: 'RN-482913' })

    expect(params).toMatchObject({
      license_type: provider?.credential_name,
      provider_code: provider?.provider_code,
    })
    expect(await lookUp(params)).toMatchObject({ data: { check: { data: { found: true } } } })
  },
)

statement('4.4', 'another provider_code does not find the license', async () => {
  expect(await lookUp({ ...nurse, provider_code: 'EMU-CA-MEDICAL' })).toMatchObject({
    data: { check: { data: { found: false } } },
  })
})

statement('4.4', 'do_ai_clean normalizes an odd number', async () => {
  expect(await lookUp({ ...nurse, license_number: 'rn 482913', do_ai_clean: true })).toMatchObject({
    data: { check: { data: { found: true } } },
  })
})

// 4.4, modes

statement(
  '4.4',
  'without a name, a license check is a search: mode search, found true, match null',
  async () => {
    expect((await lookUp(nurse)).data.check.data).toMatchObject({ mode: 'search', found: true, match: null })
  },
)

statements(
  '4.4',
  [
    ['full_name', { full_name: holder }, true],
    ['first_name and last_name', { first_name: 'Alex', last_name: 'Sample' }, true],
    ['another full_name', { full_name: 'Robin Example' }, false],
    ['another first_name and last_name', { first_name: 'Robin', last_name: 'Example' }, false],
  ],
  (what, _, match) => `with ${what}, a license check verifies: mode verify, match ${match}`,
  async (_, name, match) => {
    const { data } = await lookUp({ ...nurse, ...name })

    expect(data.check.data).toMatchObject({ mode: 'verify', match })
    expect(data.status).toBe(match ? 'passed' : 'failed')
  },
)

statement('4.4', 'svc_access_token selects the account mode', async () => {
  const { data } = await lookUp({ ...nurse, svc_access_token: 'token' })

  expect(['search', 'verify']).not.toContain(data.check.data.mode)
  expect(data.check.data.match).toBe(true)
})

statement('4.4', 'in account mode a name that is sent is ignored', async () => {
  const { data } = await lookUp({ ...nurse, svc_access_token: 'token', full_name: 'Robin Example' })

  expect(data).toMatchObject({ status: 'passed', check: { data: { match: true } } })
})

statement('4.4', 'a name next to svc_access_token does not compile, because the service ignores it', () => {
  type Both = typeof license & { readonly svc_access_token: string; readonly full_name: string }

  expectTypeOf<Both>().not.toExtend<CredentialParams>()
})

statements(
  '4.4',
  [
    ['credential', 'credential-verification', license, standalone(credentialCheck())],
    ['kycCredential', 'kyc-credential', { ...license, front_image: dataUrl, selfie: dataUrl }, combined()],
  ],
  (method) => `a lookup takes 10 to 60 seconds, so checks.${method} waits longer than that for one attempt`,
  async (method, path, params, result) => {
    service.respondTo(`POST /api/v2/${path}`, ok(result))
    const { client, timers } = strictClients()

    await client.checks[method](params as never)

    expect(Math.max(...timers)).toBeGreaterThan(60_000)
  },
)

statements(
  '4.4',
  [
    ['checks.credential', 404],
    ['checks.credential', 400],
    ['checks.kycCredential', 404],
    ['checks.kycCredential', 400],
  ],
  (name, status) => `${name} throws license_not_found with status ${status}`,
  async (name, status) => {
    expect(await failed(name, status, 'license_not_found')).toMatchObject({
      status,
      code: 'license_not_found',
    })
  },
)

// 4.5, discovery

statements(
  '4.5',
  [
    ['credentials.listStates', '/api/v2/credential/states', { states: [] }],
    ['credentials.listProviders', '/api/v2/credential/states/CA/providers', { providers: [] }],
  ],
  (name, at) => `${name} is GET ${at}`,
  async (name, at, data) => {
    await received(name, data)

    expect(service.lines).toEqual([`GET ${at}`])
  },
)

statement('4.5', 'the states are in data.states', async () => {
  expect(await received('credentials.listStates', { states: [aState()] })).toEqual([aState()])
  expect(await rejected('credentials.listStates', [aState()])).toMatchObject({ code: 'invalid_response' })
})

statement('4.5', 'the providers are in data.providers', async () => {
  expect(await received('credentials.listProviders', { providers: [aProvider()] })).toEqual([aProvider()])
  expect(await rejected('credentials.listProviders', [aProvider()])).toMatchObject({
    code: 'invalid_response',
  })
})

statement('4.5', 'each listed state has at least one provider', async () => {
  for (const { state_code } of await listStates())
    expect((await listProviders(state_code)).length, state_code).toBeGreaterThan(0)
})

statement('4.5', 'the providers of a state belong to that state', async () => {
  for (const { state_code } of await listProviders('CA')) expect(state_code).toBe('CA')
})

statement('4.5', 'what discovery returns is what a license check takes', async () => {
  const provider = aProvider() as CredentialProvider

  expect(credentialParams(provider, { license_no: 'A-1' })).toEqual({
    license_state: 'CA',
    license_type: 'Registered Nurse',
    provider_code: 'CA-BRN',
    license_number: 'A-1',
    remote_code: 'rn',
  })
})
