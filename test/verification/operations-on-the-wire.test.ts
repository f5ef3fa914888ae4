import { expect, it, onTestFinished } from 'vitest'
import { VerificationClient } from '../../src/index.ts'
import { asRequest, loopbackServer, type ReceivedRequest, type Responder, success } from '../support/loopback-server.ts'
import { named, operations, resultOf } from '../support/operations.ts'
import { expectSent } from '../support/sent-request.ts'
import { apiKey } from '../support/verification-client.ts'

/**
 * A client on the default transport, undici, and the requests that its server received. Mocks of fetch do not see them.
 */
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
    await expectSent(asRequest(seen[0] as ReceivedRequest), operation, { 'x-api-key': apiKey })
  },
)
