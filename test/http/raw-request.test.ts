import { HttpResponse } from 'msw'
import { expect, it } from 'vitest'
import { InvalidParamsError, type RawRequest } from '../../src/index.ts'
import { aDecision, aSession, credentialCheck, faceMatchCheck, standalone } from '../support/fixtures.ts'
import { named, operations, resultOf } from '../support/operations.ts'
import { errorResponse, ok, reset, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

const keys = () => service.requests.map(({ headers }) => headers.get('idempotency-key'))

it('calls a path that has no method, and decodes the same envelope', async () => {
  service.respondTo('GET /api/v2/usage', ok({ total: 3 }))
  const { client } = testClient()

  const { data, response } = await client
    .request<{ total: number }>({
      method: 'GET',
      path: '/api/v2/usage',
      query: { from: 'a&b', all: true, to: undefined },
    })
    .withResponse()

  expect(data.total).toBe(3)
  expect(response).toMatchObject({ status: 200, requestId: 'req_ok', attempts: 1 })
  expect(new URL(service.requests[0]?.url ?? '').search).toBe('?from=a%26b&all=true')
})

const bare: readonly unknown[] = [
  { sub: 'user_1' },
  { data: [1], total: 1 },
  { success: true },
  [{ id: 1 }],
  'text',
  7,
  null,
]

it.each(bare)('returns the bare body %j outside the paths that promise the envelope', async (body) => {
  service.respondTo('GET /api/account', HttpResponse.json(body as never))
  const { client } = testClient()

  await expect(client.request({ method: 'GET', path: '/api/account' })).resolves.toEqual(body)
})

it('removes the envelope outside the paths that promise it, if the body has one', async () => {
  service.respondTo('GET /api/account', ok({ sub: 'user_1' }))
  const { client } = testClient()

  const { data, response } = await client.request({ method: 'GET', path: '/api/account' }).withResponse()

  expect(data).toEqual({ sub: 'user_1' })
  expect(response.envelope).toEqual({ success: true, data: { sub: 'user_1' }, error: null })
})

it.each(['/api/v2/usage', '/api/v2', '/api/sdk/usage'])(
  'rejects a bare body on %s, where the contract promises the envelope',
  async (path) => {
    service.respondTo(`GET ${path}`, HttpResponse.json({ total: 3 }))
    const { client } = testClient({ maxRetries: 0 })

    await expect(client.request({ method: 'GET', path })).rejects.toMatchObject({ code: 'invalid_response' })
  },
)

it.each([
  ['a page', () => new Response('<html></html>')],
  ['an empty body', () => new Response('')],
  ['truncated JSON', () => new Response('{"sub":')],
  ['success: false without a code', () => HttpResponse.json({ success: false })],
])('rejects %s as a bare body', async (_, response) => {
  service.respondTo('GET /api/account', response)
  const { client } = testClient({ maxRetries: 0 })

  await expect(client.request({ method: 'GET', path: '/api/account' })).rejects.toMatchObject({
    code: 'invalid_response',
  })
})

it('throws the same errors as any other call', async () => {
  service.respondTo('POST /api/v2/exports', errorResponse(403, 'insufficient_scope', { scope: 'exports' }))
  const { client } = testClient()

  const call = client.request({ method: 'POST', path: '/api/v2/exports', body: { month: '2026-01' } })

  await expect(call).rejects.toMatchObject({
    name: 'PermissionDeniedError',
    code: 'insufficient_scope',
    operation: 'request',
    details: { scope: 'exports' },
  })
  expect(await service.requests[0]?.json()).toEqual({ month: '2026-01' })
})

/** The frames of an operation as a caller passes them. */
const asImages = ({ frames, ...fields }: Readonly<Record<string, unknown>>) =>
  Array.isArray(frames) ? { ...fields, frames: frames.map((base64) => ({ base64 })) } : fields

const byParams = operations.filter(({ form }) => form === undefined)

it.each(named(byParams))('treats the path of %s as that operation, including its charge', async (_, operation) => {
  service.respondTo(`${operation.method} ${operation.path}`, ok(operation.data))
  const { client } = testClient()
  const { method, path, query, json } = operation

  const request = {
    method,
    path,
    query,
    ...(json ? { body: asImages(json as Record<string, unknown>) } : {}),
  }
  const data = await client.request(request)

  expect(data).toEqual(resultOf(operation))
  expect(keys()).toEqual([operation.billable ? expect.any(String) : null])
})

it('repeats the name of a list in a query, sends dates in ISO 8601 and omits undefined', async () => {
  service.respondTo('GET /api/v2/usage', ok({ total: 3 }))
  const { client } = testClient()
  const query = {
    status: ['APPROVED', undefined, 'DECLINED'],
    from: new Date('2026-01-31T23:00:00+01:00'),
    limit: 5,
    none: [],
  }

  await client.request({ method: 'GET', path: '/api/v2/usage', query })

  expect(new URL(service.requests[0]?.url ?? '').search).toBe(
    '?status=APPROVED&status=DECLINED&from=2026-01-31T22%3A00%3A00.000Z&limit=5',
  )
})

it('sends PUT, bodies that are interfaces, and bodies that are arrays', async () => {
  interface Settings {
    readonly locale: string
  }
  const settings: Settings = { locale: 'en' }
  service.respondTo('PUT /api/v2/settings', ok({}))
  service.respondTo('POST /api/v2/tags', ok({}))
  const { client } = testClient()

  await client.request({ method: 'PUT', path: '/api/v2/settings', body: settings })
  await client.request({ method: 'POST', path: '/api/v2/tags', body: ['a', settings] })

  expect(await service.requests[0]?.json()).toEqual(settings)
  expect(await service.requests[1]?.json()).toEqual(['a', settings])
})

it('sends the images of a declared path as JSON, in every form of image', async () => {
  const result = standalone(faceMatchCheck())
  service.respondTo('POST /api/v2/face-match', ok(result), ok(result))
  const { client } = testClient()
  const dataUrl = 'data:image/png;base64,aGVsbG8='

  await client.request({
    method: 'POST',
    path: '/api/v2/face-match',
    body: { image1: Buffer.from('hello'), image2: dataUrl },
  })
  await client.request({
    method: 'POST',
    path: '/api/v2/face-match',
    body: { image1: { base64: 'aGVsbG8=' }, image2: new Blob(['hello']) },
  })

  expect(service.requests[0]?.headers.get('content-type')).toBe('application/json')
  expect(await service.requests[0]?.json()).toEqual({ image1: 'aGVsbG8=', image2: dataUrl })
  expect(await service.requests[1]?.json()).toEqual({ image1: 'aGVsbG8=', image2: 'aGVsbG8=' })
})

it.each(['selfie.jpg', 'uploads/passport', 'aGVsbG8='])(
  'rejects the text %s as an image of a declared path, and names imageFromFile',
  async (image) => {
    const { client } = testClient()
    const request = { method: 'POST', path: '/api/v2/liveness', body: { image } } as const

    await expect(client.request(request)).rejects.toMatchObject({
      code: 'invalid_params',
      issues: [{ path: 'image', message: expect.stringContaining('pass imageFromFile(path)') }],
    })
  },
)

it('accepts the aliases of a declared path, like its method', async () => {
  service.respondTo('POST /api/v2/credential-verification', ok(standalone(credentialCheck())))
  const { client } = testClient()
  const body = { state: 'CA', license_no: 'RN-1', provider_code: 'CA-BRN' }

  await client.request({ method: 'POST', path: '/api/v2/credential-verification', body })

  expect(await service.requests[0]?.json()).toEqual({
    license_state: 'CA',
    license_number: 'RN-1',
    provider_code: 'CA-BRN',
  })
})

it('validates a decision and keeps an id encoded on a declared path', async () => {
  const path = '/api/v2/session/sess%2F1%20%C3%A9/decision'
  service.respondTo('GET /api/v2/session/:id/decision', ok(aDecision({ decision: 'MAYBE' })))
  const { client } = testClient({ responseValidation: 'off' })

  const call = client.request({ method: 'GET', path })

  await expect(call).rejects.toMatchObject({ code: 'invalid_response', operation: 'sessions.decision' })
  expect(new URL(service.requests[0]?.url ?? '').pathname).toBe(path)
})

const undeclared = { method: 'GET', path: '/api/v2/usage' } as const

it('retries a GET of any path after a reset', async () => {
  service.respondTo('GET /api/v2/usage', reset, ok({}))
  const { client } = testClient()

  expect((await client.request(undeclared).withResponse()).response.attempts).toBe(2)
})

const writes = ['POST', 'PATCH', 'DELETE'] as const

it.each(writes)('never retries a %s of an undeclared path after a reset', async (method) => {
  service.respondTo(`${method} /api/v2/exports`, reset)
  const { client } = testClient()

  await expect(client.request({ method, path: '/api/v2/exports' })).rejects.toMatchObject({ attempts: 1 })
  expect(keys()).toEqual([null])
})

it.each(writes)('retries a %s of an undeclared path if the service executed nothing', async (method) => {
  service.respondTo(
    `${method} /api/v2/exports`,
    errorResponse(429, 'rate_limited'),
    errorResponse(500, 'internal_error'),
    ok({}),
  )
  const { client } = testClient()

  const { response } = await client.request({ method, path: '/api/v2/exports' }).withResponse()

  expect(response.attempts).toBe(3)
})

it('sends the idempotency key of the caller with a POST of any path', async () => {
  service.respondTo('POST /api/v2/exports', ok({}))
  const { client } = testClient()

  await client.request({ method: 'POST', path: '/api/v2/exports' }, { idempotencyKey: 'order-42' })

  expect(keys()).toEqual(['order-42'])
})

const badPaths: readonly unknown[] = [
  '',
  '/',
  'api/v2/session',
  'https://evil.test/api/v2/session',
  '//evil.test/api/v2/session',
  '/\\evil.test',
  '/api/v2/session?limit=1',
  '/api/v2/session#top',
  '/api/../admin',
  '/api/%2e%2E/admin',
  '/api/./v2/session',
  '/api/v2/session/..%2fusage',
  '/api/v2/session/a%2F%2e%2E%2fusage',
  '/api/v2/with space',
  '/api/v2/é',
  '/api/v2/session/%zz',
  '/api/v2/session/%ff',
  '/api/v2/session\r\n',
  undefined,
  7,
]

it.each(badPaths)('rejects the path %j and sends nothing', async (path) => {
  const { client } = testClient()

  const call = client.request({ method: 'GET', path } as RawRequest)
  const error: unknown = await call.catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(InvalidParamsError)
  const message = expect.stringMatching(/^must be an encoded path /)
  expect(error).toMatchObject({ issues: [{ path: 'path', message }], operation: 'request', attempts: 0 })
})

it.each([
  ['an unsupported method', { method: 'HEAD', path: '/api/v2/usage' }, 'method'],
  ['a method in lower case', { method: 'get', path: '/api/v2/usage' }, 'method'],
  ['a missing request', undefined, 'request'],
  ['a body on a GET', { method: 'GET', path: '/api/v2/session', body: {} }, 'body'],
  ['a body that is not an object', { method: 'POST', path: '/api/v2/exports', body: 'x' }, 'body'],
  ['a body that is null', { method: 'POST', path: '/api/v2/exports', body: null }, 'body'],
  ['an object in a query', { method: 'GET', path: '/api/v2/usage', query: { filter: { a: 1 } } }, 'filter'],
  ['null in a query', { method: 'GET', path: '/api/v2/usage', query: { filter: null } }, 'filter'],
  ['a list of lists in a query', { method: 'GET', path: '/api/v2/usage', query: { ids: [[1]] } }, 'ids'],
  [
    'an invalid date in a query',
    { method: 'GET', path: '/api/v2/usage', query: { from: new Date(Number.NaN) } },
    'from',
  ],
  ['a list as the body of an operation', { method: 'POST', path: '/api/v2/session', body: [] }, 'params'],
  [
    'params that do not fit the operation',
    { method: 'POST', path: '/api/v2/age-verification', body: { dob: '2001-05-17' } },
    'bands',
  ],
])('rejects %s and sends nothing', async (_, request, path) => {
  const { client } = testClient()

  await expect(client.request(request as unknown as RawRequest)).rejects.toMatchObject({
    code: 'invalid_params',
    issues: [{ path, message: expect.stringMatching(/^(?:must|cannot|is) /) }],
  })
})

it('prefixes any path with the path of the base URL', async () => {
  service.respondTo('GET /gateway/api/v2/session/sess_1', ok(aSession()))
  const { client } = testClient({ baseUrl: 'https://id.example.test/gateway/' })

  await client.request({ method: 'GET', path: '/api/v2/session/sess_1' })

  expect(service.lines).toEqual(['GET /gateway/api/v2/session/sess_1'])
})
