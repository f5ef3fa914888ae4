import { expect, it } from 'vitest'
import { operations } from '../support/operations.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

const lookups = ['checks.credential', 'checks.kycCredential']

const timeouts = operations.map((operation) => ({
  name: operation.name,
  operation,
  expected: lookups.includes(operation.name) ? 90_000 : 30_000,
}))

it.each(timeouts)('$name has a timeout of $expected ms per attempt', async ({ operation, expected }) => {
  service.respondTo(`${operation.method} ${operation.path}`, ok(operation.data))
  const { client, timers } = testClient()

  await operation.call(client)

  expect(timers).toEqual([expected])
})

it.each(lookups)('%s honors a timeout of the call or the client', async (name) => {
  const operation = operations.find((one) => one.name === name)
  if (!operation) throw new Error(`no operation ${name}`)
  service.respondTo(`POST ${operation.path}`, ok(operation.data), ok(operation.data))
  const { client, timers } = testClient({ timeoutMs: 40_000 })

  await operation.call(client)
  await operation.call(client, { timeoutMs: 50_000 })

  expect(timers).toEqual([40_000, 50_000])
})
