import { expect, it } from 'vitest'
import { ConfigurationError } from '../../src/index.ts'
import { aWorkflow } from '../support/fixtures.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

it.each(['/v3/flows', '/v3/flows/'])(
  'requests workflows at the path of workflowsPath: %s',
  async (workflowsPath) => {
    service.respondTo('POST /v3/flows', ok(aWorkflow()))
    service.respondTo('GET /v3/flows', ok([aWorkflow()]))
    service.respondTo('GET /v3/flows/wf_1', ok(aWorkflow()))
    service.respondTo('PATCH /v3/flows/wf_1', ok(aWorkflow()))
    service.respondTo('DELETE /v3/flows/wf_1', ok(null))
    const { client } = testClient({ workflowsPath })

    await client.experimental.workflows.create({ name: 'Adults' })
    await client.experimental.workflows.list()
    await client.experimental.workflows.retrieve('wf_1')
    await client.experimental.workflows.update('wf_1', { name: 'Adults only' })
    await client.experimental.workflows.delete('wf_1')

    expect(service.lines).toEqual([
      'POST /v3/flows',
      'GET /v3/flows',
      'GET /v3/flows/wf_1',
      'PATCH /v3/flows/wf_1',
      'DELETE /v3/flows/wf_1',
    ])
  },
)

it.each([
  '',
  '/',
  'v3/flows',
  '.evil.test/flows',
  '//evil.test/flows',
  '/flows?x=1',
  '/flows#x',
  '/../flows',
  '/{id}/flows',
  '/%zz',
])('the constructor rejects the workflowsPath %j', (workflowsPath) => {
  expect(() => testClient({ workflowsPath })).toThrow(ConfigurationError)
})

it.each([
  ['null', ok(null), null],
  ['an object', ok({ deleted: true }), { deleted: true }],
  ['204 without a body', () => new Response(null, { status: 204 }), null],
])(
  'accepts %s as the response to a deletion, because the contract does not document it',
  async (_, response, result) => {
    service.respondTo('DELETE /api/v2/workflows/wf_1', response)
    const { client } = testClient()

    expect(await client.experimental.workflows.delete('wf_1')).toEqual(result)
  },
)
