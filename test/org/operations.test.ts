import { expect, it, onTestFinished } from 'vitest'
import { OrgClient } from '../../src/index.ts'
import { asRequest, loopbackServer, type ReceivedRequest, respondWith } from '../support/loopback-server.ts'
import { named } from '../support/operations.ts'
import { clientId, clientSecret, testOrg } from '../support/org-client.ts'
import { resultOf, rosterOperations } from '../support/roster-operations.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { expectSent } from '../support/sent-request.ts'

const service = scriptedService()
const operations = named(rosterOperations)

/**
 * A client on the default transport, undici, and the requests that its server received. Mocks of fetch do not see them.
 */
async function overTheWire(...replies: Parameters<typeof loopbackServer>) {
  const { url, requests: seen } = await loopbackServer(...replies)
  const org = new OrgClient({ baseUrl: `${url}/gateway/`, clientId, clientSecret, maxRetries: 0 })
  onTestFinished(() => org.close())
  return { org, seen }
}

it.each(operations)('%s sends the same request over undici, below the path of the base URL', async (_, operation) => {
  const { status, data } = operation
  const { org, seen } = await overTheWire(respondWith(status, { success: true, data, error: null }))

  const result = await operation.call(org).withResponse()

  expect(result.data).toEqual(resultOf(operation))
  expect(result.response).toMatchObject({ status, requestId: 'req_1', attempts: 1 })
  expect(seen).toHaveLength(1)
  const credentials = { 'x-client-id': clientId, 'x-client-secret': clientSecret }
  await expectSent(asRequest(seen[0] as ReceivedRequest), operation, credentials)
})

it('request calls other paths, and treats the path of a method as that operation', async () => {
  service.respondTo('GET /api/sdk/further', ok({ more: true }))
  service.respondTo('PATCH /api/sdk/members/svc_1/deactivate', ok({ member: { id: 1 } }))
  const { org } = testOrg({ responseValidation: 'off' })

  expect(await org.request({ method: 'GET', path: '/api/sdk/further' })).toEqual({ more: true })
  expect(await org.request({ method: 'PATCH', path: '/api/sdk/members/svc_1/deactivate' })).toEqual({ id: 1 })
  for (const { headers } of service.requests) expect(headers.get('x-client-secret')).toBe(clientSecret)
  await expect(org.request({ method: 'POST', path: '/api/sdk/members', body: { members: [] } })).rejects.toMatchObject({
    code: 'invalid_params',
  })
})

it.each(operations)('%s sends the Idempotency-Key of the caller, unless it is a GET', async (_, operation) => {
  service.respondTo(`${operation.method} ${operation.path}`, ok(operation.data))
  const { org } = testOrg()

  await operation.call(org, { idempotencyKey: 'order-42' })

  const sent = service.requests[0]?.headers.get('idempotency-key')
  expect(sent).toBe(operation.method === 'GET' ? null : 'order-42')
})
