import { expect, it } from 'vitest'
import { named, operations } from '../support/operations.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

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
