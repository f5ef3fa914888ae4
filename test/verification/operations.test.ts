import { expect, it } from 'vitest'
import { named, operations, resultOf } from '../support/operations.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { expectSent } from '../support/sent-request.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

it.each(named(operations))(
  '%s sends the documented request and returns the data of the envelope',
  async (_, operation) => {
    service.respondTo(`${operation.method} ${operation.path}`, ok(operation.data))
    const { client } = testClient()

    const result = await operation.call(client)

    expect(result).toEqual(resultOf(operation))
    expect(service.requests).toHaveLength(1)
    await expectSent(service.requests[0] as Request, operation)
  },
)

it.each(named(operations))(
  '%s sends the Idempotency-Key of the caller, unless it is a GET',
  async (_, operation) => {
    service.respondTo(`${operation.method} ${operation.path}`, ok(operation.data))
    const { client } = testClient()

    await operation.call(client, { idempotencyKey: 'order-42' })

    const sent = service.requests[0]?.headers.get('idempotency-key')
    expect(sent).toBe(operation.method === 'GET' ? null : 'order-42')
  },
)
