import { expect, it } from 'vitest'
import { named, operations, resultOf } from '../support/operations.ts'
import { errorResponse, ok, reset, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()
const billed = operations.filter(({ billable }) => billable)

const bodies = () => Promise.all(service.requests.map((request) => request.text()))
const keys = () => service.requests.map(({ headers }) => headers.get('idempotency-key'))

it.each(named(billed))('%s is retried with the same key and the same bytes', async (_, operation) => {
  const unreachable = () => errorResponse(503, 'engine_unreachable')
  service.respondTo(`${operation.method} ${operation.path}`, reset, unreachable, ok(operation.data))
  const { client } = testClient()

  const { data, response } = await operation.call(client).withResponse()

  expect(data).toEqual(resultOf(operation))
  expect(response.attempts).toBe(3)
  const [first, ...retries] = await bodies()
  expect(first).not.toBe('')
  expect(retries).toEqual([first, first])
  expect(new Set(keys()).size).toBe(1)
  const types = service.requests.map(({ headers }) => headers.get('content-type'))
  expect(new Set(types).size).toBe(1)
})

it.each([
  'sessions.create',
  'experimental.workflows.create',
  'experimental.workflows.update',
  'experimental.workflows.delete',
  'experimental.faceUniqueness.delete',
])('%s is not sent again after a reset, because the contract documents no key for it', async (name) => {
  const operation = operations.find((one) => one.name === name)
  service.respondTo(`${operation?.method} ${operation?.path}`, reset)
  const { client } = testClient()

  await expect(operation?.call(client)).rejects.toMatchObject({ code: 'connection_failed', attempts: 1 })

  expect(service.requests).toHaveLength(1)
})
