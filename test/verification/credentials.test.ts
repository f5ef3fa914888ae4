import { expect, it } from 'vitest'
import { aProvider, aState } from '../support/fixtures.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

it('keeps fields of states and providers that are not in the contract', async () => {
  const states = [aState({ country: 'USA' })]
  const providers = [aProvider({ fee: 2, remote_code: undefined, required_fields: [] })]
  service.respondTo('GET /api/v2/credential/states', ok({ states, updated_at: '2026-01-01' }))
  service.respondTo('GET /api/v2/credential/states/CA/providers', ok({ providers }))
  const { client } = testClient({ responseValidation: 'strict' })

  const { data, response } = await client.credentials.listStates().withResponse()

  expect(data).toEqual(states)
  expect(response.envelope).toMatchObject({ data: { updated_at: '2026-01-01' } })
  expect(await client.credentials.listProviders('CA')).toEqual(JSON.parse(JSON.stringify(providers)))
})
