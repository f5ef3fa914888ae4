import { expect, it } from 'vitest'
import { InvalidParamsError } from '../../src/errors.ts'
import { credentialParams, missingFields, type Provider, pickProvider } from '../../src/verification.ts'
import { aProvider, aState, credentialCheck, standalone } from '../support/fixtures.ts'
import { ok, refused, scriptedService } from '../support/service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

const nurse: Provider = aProvider()
const practitioner: Provider = aProvider({
  credential_code: 'CA-BRN-NP',
  credential_name: 'Nurse Practitioner',
})

it('keeps fields of states and providers that this version does not know', async () => {
  const states = [aState({ country: 'USA' })]
  const providers = [aProvider({ fee: 2, remote_code: undefined, required_fields: [] })]
  service.answers('GET /api/v2/credential/states', ok({ states, updated_at: '2026-01-01' }))
  service.answers('GET /api/v2/credential/states/CA/providers', ok({ providers }))
  const { client } = testClient({ responseValidation: 'strict' })

  const { data, response } = await client.credentials.listStates().withResponse()

  expect(data).toEqual(states)
  expect(response.envelope).toMatchObject({ data: { updated_at: '2026-01-01' } })
  expect(await client.credentials.listProviders('CA')).toEqual(JSON.parse(JSON.stringify(providers)))
})

it.each([
  ['GET /api/v2/credential/states', { providers: [] }, 'states'],
  ['GET /api/v2/credential/states/CA/providers', [aProvider()], 'providers'],
])('refuses an answer to %s without its list', async (line, data, member) => {
  service.answers(line, ok(data))
  const { client } = testClient()

  const call = member === 'states' ? client.credentials.listStates() : client.credentials.listProviders('CA')

  await expect(call).rejects.toMatchObject({ code: 'invalid_response', status: 200 })
})

it('tells a jurisdiction that the service does not know', async () => {
  service.answers('GET /api/v2/credential/states/ZZ/providers', refused(404, 'not_found'))
  const { client } = testClient()

  await expect(client.credentials.listProviders('ZZ')).rejects.toMatchObject({ name: 'NotFoundError' })
})

it('picks a provider by its credential_code, which alone is unique', () => {
  expect(pickProvider([nurse, practitioner], 'CA-BRN-NP')).toBe(practitioner)
})

it.each(['CA-BRN', '', 'ca-brn-rn'])('finds no provider of the credential_code %j', (code) => {
  expect(() => pickProvider([nurse, practitioner], code)).toThrow(InvalidParamsError)
})

it.each([
  ['nothing is collected', {}, ['license_no']],
  ['a field is empty', { license_no: '' }, ['license_no']],
  ['it is collected under the canonical name', { license_number: 'RN-1' }, []],
  ['it is collected under the name that the provider uses', { license_no: 'RN-1' }, []],
])('tells which required fields are missing when %s', (_, collected, missing) => {
  expect(missingFields(nurse, collected)).toEqual(missing)
})

it('asks for a remote_code only where the provider does not bring one', () => {
  const provider: Provider = aProvider({ remote_code: null })

  expect(missingFields(provider, { license_no: 'RN-1' })).toEqual(['remote_code'])
  expect(missingFields(provider, { license_no: 'RN-1', remote_code: 'rn' })).toEqual([])
})

it('asks for fields that this version does not know', () => {
  const provider: Provider = aProvider({ required_fields: ['license_no', 'ssn_last4'] })

  expect(missingFields(provider, { license_no: 'RN-1' })).toEqual(['ssn_last4'])
})

it('builds the params of a check from a provider and what was collected', async () => {
  service.answers('POST /api/v2/credential-verification', ok(standalone(credentialCheck())))
  const { client } = testClient()

  const params = credentialParams(nurse, { license_no: ' RN-1 ', npi: '1234567890' })
  await client.checks.credential({ ...params, full_name: 'Ada Lovelace' })

  expect(params).toEqual({
    license_state: 'CA',
    license_type: 'Registered Nurse',
    provider_code: 'CA-BRN',
    remote_code: 'rn',
    license_number: ' RN-1 ',
    npi: '1234567890',
  })
  expect(await service.requests[0]?.json()).toEqual({ ...params, full_name: 'Ada Lovelace' })
})

it('names every field that a check would lack, without a value', () => {
  const provider: Provider = aProvider({ remote_code: null, required_fields: ['remote_code', 'ssn_last4'] })
  let thrown: unknown
  try {
    credentialParams(provider, { npi: '1234567890' })
  } catch (error) {
    thrown = error
  }

  expect(thrown).toBeInstanceOf(InvalidParamsError)
  const { issues, message } = thrown as InvalidParamsError
  expect(issues.map(({ path }) => path).sort()).toEqual(['license_number', 'remote_code', 'ssn_last4'])
  expect(message).not.toContain('1234567890')
})

it('takes no field into a licence check that the provider does not require, and no other board', () => {
  const form = { license_number: 'RN-1', provider_code: 'other', svc_access_token: 'token', full_name: 'Eve' }
  const params = credentialParams(aProvider({ required_fields: ['license_no'] }), form)
  expect(params).not.toHaveProperty('svc_access_token')
  expect(params).not.toHaveProperty('full_name')
  expect(params).toMatchObject({ license_number: 'RN-1', provider_code: aProvider().provider_code })
})
