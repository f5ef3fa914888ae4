import { expect, it } from 'vitest'
import { combined, images, livenessCheck, standalone } from '../support/fixtures.ts'
import { named, operations, resultOf } from '../support/operations.ts'
import { errorResponse, ok, reset, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()
const billed = operations.filter(({ billable }) => billable)

const bodies = () => Promise.all(service.requests.map((request) => request.text()))
const keys = () => service.requests.map(({ headers }) => headers.get('idempotency-key'))
const inProgress = () => errorResponse(409, 'idempotency_in_progress')

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

it.each(named(billed))(
  '%s sends the same bytes from another process with the same key',
  async (_, operation) => {
    service.respondTo(`${operation.method} ${operation.path}`, ok(operation.data), ok(operation.data))

    await operation.call(testClient().client, { idempotencyKey: 'order-42' })
    await operation.call(testClient().client, { idempotencyKey: 'order-42' })

    const [first, second] = await bodies()
    expect(second).toBe(first)
  },
)

it('sends the same bytes for params in any order', async () => {
  const license = { license_state: 'CA', license_number: 'RN-1', license_type: 'Registered Nurse' }
  const forwards = { front_image: images.png, selfie: images.jpeg, ...license }
  const backwards = Object.fromEntries(Object.entries(forwards).reverse()) as typeof forwards
  service.respondTo('POST /api/v2/kyc-credential', ok(combined()), ok(combined()))
  const { client } = testClient()

  await client.checks.kycCredential(forwards, { idempotencyKey: 'order-42' })
  await client.checks.kycCredential(backwards, { idempotencyKey: 'order-42' })

  const [first, second] = await bodies()
  expect(second).toBe(first)
})

it('waits and retries while a key is in progress, which does not count toward maxRetries', async () => {
  service.respondTo(
    'POST /api/v2/liveness',
    inProgress,
    inProgress,
    inProgress,
    ok(standalone(livenessCheck())),
  )
  const { client, waits } = testClient({ maxRetries: 0 })

  const { response } = await client.checks.liveness({ image: images.png }).withResponse()

  expect(response.attempts).toBe(4)
  expect(waits).toEqual([500, 1000, 2000])
  expect(new Set(keys()).size).toBe(1)
})

it('stops waiting for a key in progress timeoutMs after the first such response', async () => {
  service.respondTo('POST /api/v2/liveness', ...Array.from({ length: 4 }, () => inProgress))
  const { client, waits } = testClient({ maxRetries: 0, timeoutMs: 4000 })

  const call = client.checks.liveness({ image: images.png })

  await expect(call).rejects.toMatchObject({ code: 'idempotency_in_progress', attempts: 4 })
  expect(waits).toEqual([500, 1000, 2000])
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

it.each(named(billed))(
  '%s throws OutcomeUnknownError with the key to retry with if every attempt is reset',
  async (_, operation) => {
    service.respondTo(`${operation.method} ${operation.path}`, reset, reset, reset)
    const { client } = testClient()

    const error: unknown = await operation.call(client).catch((thrown: unknown) => thrown)

    expect(error).toMatchObject({
      name: 'OutcomeUnknownError',
      code: 'outcome_unknown',
      operation: operation.name,
      attempts: 3,
      idempotencyKey: keys()[0],
      cause: { code: 'connection_failed', mayHaveArrived: true },
    })
  },
)

it('throws ServerError, not OutcomeUnknownError, if every attempt got a 503', async () => {
  const unreachable = () => errorResponse(503, 'engine_unreachable')
  service.respondTo('POST /api/v2/liveness', unreachable, unreachable, unreachable)
  const { client } = testClient()

  const call = client.checks.liveness({ image: images.png })

  await expect(call).rejects.toMatchObject({ name: 'ServerError', code: 'engine_unreachable', attempts: 3 })
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
