import { expect, it } from 'vitest'
import { type CredentialProvider, credentialParams, InvalidParamsError } from '../../src/index.ts'
import { aProvider, credentialCheck, standalone } from '../support/fixtures.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

const nurse: CredentialProvider = aProvider()

it('builds the params of a check from a provider and the collected fields', async () => {
  service.respondTo('POST /api/v2/credential-verification', ok(standalone(credentialCheck())))
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

it('names every missing field of a check, without values', () => {
  const provider: CredentialProvider = aProvider({
    remote_code: null,
    required_fields: ['remote_code', 'ssn_last4'],
  })
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

it('leaves out collected fields that the provider does not require, and keeps its board', () => {
  const form = { license_number: 'RN-1', provider_code: 'other', svc_access_token: 'token', full_name: 'Eve' }
  const params = credentialParams(aProvider({ required_fields: ['license_no'] }), form)
  expect(params).not.toHaveProperty('svc_access_token')
  expect(params).not.toHaveProperty('full_name')
  expect(params).toMatchObject({ license_number: 'RN-1', provider_code: aProvider().provider_code })
})
