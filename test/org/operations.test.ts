import { HttpResponse } from 'msw'
import { expect, it, onTestFinished } from 'vitest'
import { OrgClient } from '../../src/index.ts'
import { asRequest, loopbackServer, type ReceivedRequest, respondWith } from '../support/loopback-server.ts'
import { named } from '../support/operations.ts'
import { clientId, clientSecret, testOrg } from '../support/org-client.ts'
import { expectSent, resultOf, rosterOperations } from '../support/roster-operations.ts'
import { errorResponse, ok, scriptedService } from '../support/scripted-service.ts'

const service = scriptedService()
const operations = named(rosterOperations)

/** A client on the default transport, undici, and the requests that its server received. Mocks of fetch do not see them. */
async function overTheWire(...replies: Parameters<typeof loopbackServer>) {
  const { url, requests: seen } = await loopbackServer(...replies)
  const org = new OrgClient({ baseUrl: `${url}/gateway/`, clientId, clientSecret, maxRetries: 0 })
  onTestFinished(() => org.close())
  return { org, seen }
}

it.each(operations)(
  '%s sends the same request over undici, below the path of the base URL',
  async (_, operation) => {
    const { status, data } = operation
    const { org, seen } = await overTheWire(respondWith(status, { success: true, data, error: null }))

    const result = await operation.call(org).withResponse()

    expect(result.data).toEqual(resultOf(operation))
    expect(result.response).toMatchObject({ status, requestId: 'req_1', attempts: 1 })
    expect(seen).toHaveLength(1)
    await expectSent(asRequest(seen[0] as ReceivedRequest), operation, '/gateway')
  },
)

const classes: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  409: 'ConflictError',
  429: 'RateLimitError',
  500: 'ServerError',
}

const documented = rosterOperations.flatMap((operation) =>
  operation.errors.map(([status, code]) => ({ name: operation.name, operation, status, code })),
)

it.each(documented)('$name throws $status $code with all facts of the response', async (one) => {
  const { operation, status, code } = one
  service.respondTo(`${operation.method} ${operation.path}`, errorResponse(status, code, { hint: 'look' }))
  const { org } = testOrg({ maxRetries: 0 })

  await expect(operation.call(org)).rejects.toMatchObject({
    name: classes[status],
    operation: operation.name,
    status,
    code,
    message: expect.stringMatching(
      new RegExp(
        `^${operation.name}: ${status} ${code}: The service says ${code}\\. \\w.+\\. \\(request req_error\\)$`,
      ),
    ),
    requestId: 'req_error',
    details: { hint: 'look' },
    fieldErrors: {},
    retryable: code === 'rate_limited' || code === 'internal_error',
    attempts: 1,
  })
})

const invalidRequest = {
  success: false,
  error: { code: 'invalid_request', message: 'Some members are wrong.' },
  data: { errors: { 'members.0.email': ['is malformed', 'is taken'], notify: 'must be true or false' } },
}

it.each(operations)(
  '%s throws fieldErrors with the errors of each field, over both transports',
  async (_, operation) => {
    service.respondTo(
      `${operation.method} ${operation.path}`,
      HttpResponse.json(invalidRequest, { status: 400, headers: { 'x-request-id': 'req_1' } }),
    )
    const { org } = await overTheWire(respondWith(400, invalidRequest))

    for (const client of [testOrg().org, org])
      await expect(operation.call(client)).rejects.toMatchObject({
        name: 'BadRequestError',
        code: 'invalid_request',
        message: `${operation.name}: 400 invalid_request: Some members are wrong. (members.0.email: is malformed, is taken; notify: must be true or false) Correct the call. (request req_1)`,
        requestId: 'req_1',
        fieldErrors: invalidRequest.data.errors,
      })
  },
)

const oddIds = [
  ['vmem_0123456789abcdef01234567', 'vmem_0123456789abcdef01234567'],
  ['ada.lovelace+eu@example.com', 'ada.lovelace%2Beu%40example.com'],
  ['o/b?c#d é%2e&=;@example.com', 'o%2Fb%3Fc%23d%20%C3%A9%252e%26%3D%3B%40example.com'],
  ['svc:../1', 'svc%3A..%2F1'],
] as const

it.each(oddIds)('keeps the member id %s in one segment of the path', async (id, encoded) => {
  const notFound = { success: false, data: null, error: { code: 'not_found', message: 'no' } }
  const { org, seen } = await overTheWire(respondWith(404, notFound))
  const { members } = org

  for (const call of [
    members.deactivate(id),
    members.reactivate(id),
    members.remove(id),
    members.remove(id, { permanent: true }),
    members.invite(id),
  ])
    await expect(call).rejects.toMatchObject({ code: 'not_found' })

  const path = `/gateway/api/sdk/members/${encoded}`
  expect(seen.map(({ method, target }) => `${method} ${target}`).sort()).toEqual([
    `DELETE ${path}`,
    `DELETE ${path}?permanent=true`,
    `PATCH ${path}/deactivate`,
    `PATCH ${path}/reactivate`,
    `POST ${path}/invite`,
  ])
})

it('request calls other paths, and treats the path of a method as that operation', async () => {
  service.respondTo('GET /api/sdk/further', ok({ more: true }))
  service.respondTo('PATCH /api/sdk/members/svc_1/deactivate', ok({ member: { id: 1 } }))
  const { org } = testOrg({ responseValidation: 'off' })

  expect(await org.request({ method: 'GET', path: '/api/sdk/further' })).toEqual({ more: true })
  expect(await org.request({ method: 'PATCH', path: '/api/sdk/members/svc_1/deactivate' })).toEqual({ id: 1 })
  for (const { headers } of service.requests) expect(headers.get('x-client-secret')).toBe(clientSecret)
  await expect(
    org.request({ method: 'POST', path: '/api/sdk/members', body: { members: [] } }),
  ).rejects.toMatchObject({ code: 'invalid_params' })
})

it.each(operations)(
  '%s sends the Idempotency-Key of the caller, unless it is a GET',
  async (_, operation) => {
    service.respondTo(`${operation.method} ${operation.path}`, ok(operation.data))
    const { org } = testOrg()

    await operation.call(org, { idempotencyKey: 'order-42' })

    const sent = service.requests[0]?.headers.get('idempotency-key')
    expect(sent).toBe(operation.method === 'GET' ? null : 'order-42')
  },
)
