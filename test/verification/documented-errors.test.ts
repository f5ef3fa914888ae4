import { expect, it } from 'vitest'
import { errorCatalog } from '../../src/errors.ts'
import { operations } from '../support/operations.ts'
import { refused, scriptedService } from '../support/service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

/** Section 7: the category of each status. */
const classes: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  402: 'PaymentRequiredError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  409: 'ConflictError',
  410: 'GoneError',
  413: 'PayloadTooLargeError',
  422: 'UnprocessableError',
  423: 'LockedError',
  429: 'RateLimitError',
  500: 'ServerError',
  502: 'ServerError',
  503: 'ServerError',
}

/** Of the codes below, those that the same call can outlast. */
const passing: ReadonlySet<string> = new Set([
  'engine_unreachable',
  'face_match_failed',
  'face_match_unavailable',
  'idempotency_in_progress',
  'internal_error',
  'liveness_unavailable',
  'rate_limited',
])

const refusals = operations.flatMap((operation) =>
  operation.errors.map(([status, code, more]) => ({ name: operation.name, operation, status, code, more })),
)

it.each(refusals)('$name tells $status $code with all that the service said', async (refusal) => {
  const { operation, status, code, more } = refusal
  const inProgress = code === 'idempotency_in_progress'
  const answer = () => refused(status, code, more)
  // A key in progress is asked about again; with a deadline this short, once.
  service.answers(`${operation.method} ${operation.path}`, answer, ...(inProgress ? [answer] : []))
  const { client } = testClient()

  const call = operation.call(client, { maxRetries: 0, ...(inProgress ? { deadlineMs: 600 } : {}) })
  const error: unknown = await call.catch((thrown: unknown) =>
    inProgress ? (thrown as Error).cause : thrown,
  )

  expect(error).toMatchObject({
    name: classes[status],
    operation: operation.name,
    status,
    code,
    message: `The service says ${code}.`,
    requestId: 'req_refused',
    retryable: passing.has(code),
    attempts: inProgress ? 2 : 1,
  })
  expect(error).toHaveProperty('details', more ?? {})
  expect(error).toHaveProperty('fieldErrors', {})
})

const billedRefusals = refusals.filter(
  ({ operation, code }) => operation.billable && code !== 'idempotency_in_progress',
)

it.each(billedRefusals)(
  '$name names its idempotency key on $status $code',
  async ({ operation, status, code }) => {
    service.answers(`${operation.method} ${operation.path}`, refused(status, code))
    const { client } = testClient()

    const call = operation.call(client, { maxRetries: 0, idempotencyKey: 'order-42' })

    await expect(call).rejects.toMatchObject({ code, idempotencyKey: 'order-42' })
  },
)

const catalogued = Object.entries(errorCatalog).flatMap(([code, { statuses }]) =>
  statuses.map((status) => ({ code, status })),
)

it.each(catalogued)('code $code arrives as the class of its status, $status', async ({ code, status }) => {
  service.answers('GET /api/v2/session/sess_1', refused(status, code))
  const { client } = testClient({ maxRetries: 0 })

  const call = client.sessions.retrieve('sess_1')

  await expect(call).rejects.toMatchObject({ name: classes[status], code, status })
})
