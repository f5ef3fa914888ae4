import { expect, it } from 'vitest'
import { combined, images, livenessCheck, standalone } from '../support/fixtures.ts'
import { named, operations, resultOf } from '../support/operations.ts'
import { ok, refused, reset, scriptedService } from '../support/service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()
const billed = operations.filter(({ billable }) => billable)

const bodies = () => Promise.all(service.requests.map((request) => request.text()))
const keys = () => service.requests.map(({ headers }) => headers.get('idempotency-key'))
const inProgress = () => refused(409, 'idempotency_in_progress')

it.each(named(billed))('%s is repeated under the same key with the same bytes', async (_, operation) => {
  const unreachable = () => refused(503, 'engine_unreachable')
  service.answers(`${operation.method} ${operation.path}`, reset, unreachable, ok(operation.data))
  const { client } = testClient()

  const { data, response } = await operation.call(client).withResponse()

  expect(data).toEqual(resultOf(operation))
  expect(response.attempts).toBe(3)
  const [first, ...repeats] = await bodies()
  expect(first).not.toBe('')
  expect(repeats).toEqual([first, first])
  expect(new Set(keys()).size).toBe(1)
  const types = service.requests.map(({ headers }) => headers.get('content-type'))
  expect(new Set(types).size).toBe(1)
})

it.each(named(billed))('%s has another key each time it is called', async (_, operation) => {
  service.answers(`${operation.method} ${operation.path}`, ok(operation.data), ok(operation.data))
  const { client } = testClient()

  await operation.call(client)
  await operation.call(client)

  expect(new Set(keys()).size).toBe(2)
})

it.each(named(billed))(
  '%s gives the same bytes from another process under the same key',
  async (_, operation) => {
    service.answers(`${operation.method} ${operation.path}`, ok(operation.data), ok(operation.data))

    await operation.call(testClient().client, { idempotencyKey: 'order-42' })
    await operation.call(testClient().client, { idempotencyKey: 'order-42' })

    const [first, second] = await bodies()
    expect(second).toBe(first)
  },
)

it('gives the same bytes in whichever order the params are written', async () => {
  const license = { license_state: 'CA', license_number: 'RN-1', license_type: 'Registered Nurse' }
  const forwards = { front_image: images.png, selfie: images.jpeg, ...license }
  const backwards = Object.fromEntries(Object.entries(forwards).reverse()) as typeof forwards
  service.answers('POST /api/v2/kyc-credential', ok(combined()), ok(combined()))
  const { client } = testClient()

  await client.checks.kycCredential(forwards, { idempotencyKey: 'order-42' })
  await client.checks.kycCredential(backwards, { idempotencyKey: 'order-42' })

  const [first, second] = await bodies()
  expect(second).toBe(first)
})

it('waits for a key in progress and asks again, which does not count as a retry', async () => {
  service.answers(
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

it('stops asking about a key in progress timeoutMs after the first such answer', async () => {
  service.answers('POST /api/v2/liveness', ...Array.from({ length: 4 }, () => inProgress))
  const { client, waits } = testClient({ maxRetries: 0, timeoutMs: 4000 })

  const call = client.checks.liveness({ image: images.png })

  await expect(call).rejects.toMatchObject({ code: 'idempotency_in_progress', attempts: 4 })
  expect(waits).toEqual([500, 1000, 2000])
})

it('throws a key that was used with another body at once', async () => {
  service.answers('POST /api/v2/liveness', refused(422, 'idempotency_key_reused'))
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
  '%s tells that its outcome is unknown, with the key to ask with',
  async (_, operation) => {
    service.answers(`${operation.method} ${operation.path}`, reset, reset, reset)
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

it('gives a ServerError, not an unknown outcome, when every attempt was answered', async () => {
  const unreachable = () => refused(503, 'engine_unreachable')
  service.answers('POST /api/v2/liveness', unreachable, unreachable, unreachable)
  const { client } = testClient()

  const call = client.checks.liveness({ image: images.png })

  await expect(call).rejects.toMatchObject({ name: 'ServerError', code: 'engine_unreachable', attempts: 3 })
})

it.each([
  ['workflows.delete', 'DELETE /api/v2/workflows/wf_1'],
  ['faceUniqueness.delete', 'DELETE /api/v2/face-uniqueness/0b7c2a'],
  ['workflows.create', 'POST /api/v2/workflows'],
  ['workflows.update', 'PATCH /api/v2/workflows/wf_1'],
])('%s is not repeated after a reset: nothing says that it may be', async (name, line) => {
  const operation = operations.find((one) => one.name === name)
  service.answers(line, reset)
  const { client } = testClient()

  await expect(operation?.call(client)).rejects.toMatchObject({ code: 'connection_failed', attempts: 1 })
})
