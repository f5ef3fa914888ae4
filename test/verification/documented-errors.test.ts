import { expect, it } from 'vitest'
import { operations } from '../support/operations.ts'
import { errorResponse, scriptedService } from '../support/scripted-service.ts'
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

/** The codes below after which the same call can succeed later. */
const retryable: ReadonlySet<string> = new Set([
  'engine_unreachable',
  'face_match_failed',
  'face_match_unavailable',
  'idempotency_in_progress',
  'internal_error',
  'liveness_unavailable',
  'rate_limited',
])

const documented = operations.flatMap((operation) =>
  operation.errors.map(([status, code, more]) => ({ name: operation.name, operation, status, code, more })),
)

it.each(documented)('$name throws $status $code with all facts of the response', async (one) => {
  const { operation, status, code, more } = one
  const inProgress = code === 'idempotency_in_progress'
  const key = operation.billable && !inProgress && { idempotencyKey: 'order-42' }
  const response = () => errorResponse(status, code, more)
  // A key in progress is retried. With a deadline this short, it is retried once.
  service.respondTo(`${operation.method} ${operation.path}`, response, ...(inProgress ? [response] : []))
  const { client } = testClient()

  const call = operation.call(client, { maxRetries: 0, ...key, ...(inProgress ? { deadlineMs: 600 } : {}) })
  const error: unknown = await call.catch((thrown: unknown) =>
    inProgress ? (thrown as Error).cause : thrown,
  )

  expect(error).toMatchObject({
    name: classes[status],
    operation: operation.name,
    status,
    code,
    message: expect.stringMatching(
      `: ${status} ${code}: The service says ${code}\\. .*\\(request req_error\\)$`,
    ),
    requestId: 'req_error',
    retryable: retryable.has(code),
    attempts: inProgress ? 2 : 1,
    ...key,
  })
  expect(error).toHaveProperty('details', more ?? {})
  expect(error).toHaveProperty('fieldErrors', {})
})
