import { expect, it } from 'vitest'
import { images } from '../support/fixtures.ts'
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

it.each(named(billed))('%s has a new key for each call', async (_, operation) => {
  service.respondTo(`${operation.method} ${operation.path}`, ok(operation.data), ok(operation.data))
  const { client } = testClient()

  await operation.call(client)
  await operation.call(client)

  expect(new Set(keys()).size).toBe(2)
})

it('throws idempotency_key_reused at once', async () => {
  service.respondTo('POST /api/v2/liveness', errorResponse(422, 'idempotency_key_reused'))
  const { client } = testClient()

  const call = client.checks.liveness({ image: images.png }, { idempotencyKey: 'order-42' })

  await expect(call).rejects.toMatchObject({
    name: 'UnprocessableError',
    code: 'idempotency_key_reused',
    idempotencyKey: 'order-42',
    retryable: false,
  })
})

it.each([
  ['experimental.workflows.delete', 'DELETE /api/v2/workflows/wf_1'],
  ['experimental.faceUniqueness.delete', 'DELETE /api/v2/face-uniqueness/0b7c2a'],
  ['experimental.workflows.create', 'POST /api/v2/workflows'],
  ['experimental.workflows.update', 'PATCH /api/v2/workflows/wf_1'],
])('%s is not retried after a reset, because the contract does not call it safe', async (name, line) => {
  const operation = operations.find((one) => one.name === name)
  service.respondTo(line, reset)
  const { client } = testClient()

  await expect(operation?.call(client)).rejects.toMatchObject({ code: 'connection_failed', attempts: 1 })
})
