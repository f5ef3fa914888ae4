import { expect, it } from 'vitest'
import { aProvider, aState } from '../support/fixtures.ts'
import { errorResponse, ok, scriptedService } from '../support/scripted-service.ts'
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

it.each([
  ['GET /api/v2/credential/states', { providers: [] }, 'states'],
  ['GET /api/v2/credential/states/CA/providers', [aProvider()], 'providers'],
])('rejects a response to %s without its array', async (line, data, member) => {
  service.respondTo(line, ok(data))
  const { client } = testClient()

  const call = member === 'states' ? client.credentials.listStates() : client.credentials.listProviders('CA')

  await expect(call).rejects.toMatchObject({ code: 'invalid_response', status: 200 })
})

it('throws NotFoundError for a jurisdiction that the service does not list', async () => {
  service.respondTo('GET /api/v2/credential/states/ZZ/providers', errorResponse(404, 'not_found'))
  const { client } = testClient()

  await expect(client.credentials.listProviders('ZZ')).rejects.toMatchObject({ name: 'NotFoundError' })
})
