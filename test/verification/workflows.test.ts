import { expect, it } from 'vitest'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

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
