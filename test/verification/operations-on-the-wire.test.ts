import { expect, it, onTestFinished } from 'vitest'
import { VerificationClient } from '../../src/index.ts'
import {
  asRequest,
  failure,
  loopbackServer,
  type ReceivedRequest,
  type Responder,
  success,
} from '../support/loopback-server.ts'
import { named, operations, resultOf } from '../support/operations.ts'
import { expectSent } from '../support/sent-request.ts'
import { apiKey } from '../support/verification-client.ts'

/** A client on the default transport, undici, and the requests that its server received. Mocks of fetch do not see them. */
async function clientOf(reply: Responder) {
  const { url, requests: seen } = await loopbackServer(reply)
  const client = new VerificationClient({ baseUrl: `${url}/gateway/`, apiKey, maxRetries: 0 })
  onTestFinished(() => client.close())
  return { client, seen }
}

it.each(named(operations))(
  '%s sends the same request over undici, below the path of the base URL',
  async (_, operation) => {
    const { client, seen } = await clientOf(success(operation.data))

    const { data, response } = await operation.call(client).withResponse()

    expect(data).toEqual(resultOf(operation))
    expect(response).toMatchObject({ status: 200, requestId: 'req_1', attempts: 1 })
    expect(response.headers.get('x-request-id')).toBe('req_1')
    expect(seen).toHaveLength(1)
    await expectSent(asRequest(seen[0] as ReceivedRequest), operation, '/gateway')
  },
)

const strangeId = 'a/b?c#d é+%2e ;=&'
const encoded = 'a%2Fb%3Fc%23d%20%C3%A9%2B%252e%20%3B%3D%26'

const callsById: readonly (readonly [
  name: string,
  path: string,
  call: (client: VerificationClient) => Promise<unknown>,
])[] = [
  ['sessions.retrieve', `/session/${encoded}`, (client) => client.sessions.retrieve(strangeId)],
  ['sessions.decision', `/session/${encoded}/decision`, (client) => client.sessions.decision(strangeId)],
  [
    'sessions.updateStatus',
    `/session/${encoded}/status`,
    (client) => client.sessions.updateStatus(strangeId, { status: 'APPROVED' }),
  ],
  ['sessions.waitForDecision', `/session/${encoded}`, (client) => client.sessions.waitForDecision(strangeId)],
  [
    'credentials.listProviders',
    `/credential/states/${encoded}/providers`,
    (client) => client.credentials.listProviders(strangeId),
  ],
  [
    'experimental.workflows.retrieve',
    `/workflows/${encoded}`,
    (client) => client.experimental.workflows.retrieve(strangeId),
  ],
  [
    'experimental.workflows.update',
    `/workflows/${encoded}`,
    (client) => client.experimental.workflows.update(strangeId, {}),
  ],
  [
    'experimental.workflows.delete',
    `/workflows/${encoded}`,
    (client) => client.experimental.workflows.delete(strangeId),
  ],
  [
    'experimental.faceUniqueness.delete',
    `/face-uniqueness/${encoded}`,
    (client) => client.experimental.faceUniqueness.delete(strangeId),
  ],
]

it.each(callsById)('%s keeps any id in one segment of the path', async (_, path, call) => {
  const { client, seen } = await clientOf(failure(404, 'not_found'))

  await expect(call(client)).rejects.toMatchObject({ code: 'not_found' })

  expect(seen.map(({ target }) => target)).toEqual([`/gateway/api/v2${path}`])
})
