import { expect, it } from 'vitest'
import { ConfigurationError } from '../../src/errors.ts'
import { aWorkflow } from '../support/fixtures.ts'
import { ok, refused, scriptedService } from '../support/service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

it.each(['/v3/flows', '/v3/flows/'])(
  'keeps workflows at another path on request: %s',
  async (workflowsPath) => {
    service.answers('POST /v3/flows', ok(aWorkflow()))
    service.answers('GET /v3/flows', ok([aWorkflow()]))
    service.answers('GET /v3/flows/wf_1', ok(aWorkflow()))
    service.answers('PATCH /v3/flows/wf_1', ok(aWorkflow()))
    service.answers('DELETE /v3/flows/wf_1', ok(null))
    const { client } = testClient({ workflowsPath })

    await client.workflows.create({ name: 'Adults' })
    await client.workflows.list()
    await client.workflows.retrieve('wf_1')
    await client.workflows.update('wf_1', { name: 'Adults only' })
    await client.workflows.delete('wf_1')

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
])('refuses the workflows path %j when the client is made', (workflowsPath) => {
  expect(() => testClient({ workflowsPath })).toThrow(ConfigurationError)
})

it('sends any body and gives any fields of a workflow: its payloads are not shown', async () => {
  const workflow = aWorkflow({ features: ['voice'], steps: [{ type: 'voice' }] })
  const params = { steps: [{ type: 'voice' }], active: false, note: null }
  service.answers('POST /api/v2/workflows', ok(workflow))
  const { client } = testClient({ responseValidation: 'strict' })

  expect(await client.workflows.create(params)).toEqual(workflow)
  expect(await service.requests[0]?.json()).toEqual(params)
})

it.each([
  ['null', ok(null), null],
  ['an object', ok({ deleted: true }), { deleted: true }],
  ['204 without a body', () => new Response(null, { status: 204 }), null],
])('takes %s for the answer to a removal, which is not shown', async (_, answer, result) => {
  service.answers('DELETE /api/v2/workflows/wf_1', answer)
  const { client } = testClient()

  expect(await client.workflows.delete('wf_1')).toEqual(result)
})

it.each(['retrieve', 'delete'] as const)(
  'tells on %s that a workflow is unknown or foreign',
  async (method) => {
    const line = `${method === 'delete' ? 'DELETE' : 'GET'} /api/v2/workflows/wf_2`
    service.answers(line, refused(404, 'workflow_not_found'))
    const { client } = testClient()

    await expect(client.workflows[method]('wf_2')).rejects.toMatchObject({
      name: 'NotFoundError',
      code: 'workflow_not_found',
    })
  },
)
