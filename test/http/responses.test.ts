import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  GoneError,
  InvalidResponseError,
  LockedError,
  NotFoundError,
  PayloadTooLargeError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  UnprocessableError,
} from '../../src/errors.ts'
import { aDecision, aSession, pendingDecision } from '../support/fixtures.ts'
import {
  failure,
  halfResponse,
  loopbackServer,
  type Responder,
  respondWith,
  success,
} from '../support/loopback-server.ts'
import { respond, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { clientOver, forEachTransport, type Transport, transports } from '../support/transports.ts'
import { testClient } from '../support/verification-client.ts'

const page = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>'

/** What a read comes to, with no repeats. */
async function errorOf(transport: Transport, reply: Responder): Promise<unknown> {
  const server = await loopbackServer(reply)
  const { client } = clientOver(transport, server.url, { maxRetries: 0 })
  return client.sessions.retrieve('sess_1').then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  )
}

forEachTransport('$name: takes the envelope off, whatever the content type says', async (transport) => {
  const server = await loopbackServer(
    respondWith(200, { success: true, data: aSession() }, { 'content-type': 'text/html' }),
  )
  const { client } = clientOver(transport, server.url)

  const session = await client.sessions.retrieve('sess_1')

  expect(session).toEqual(aSession())
})

forEachTransport('$name: tells status, headers, request id and attempts of an answer', async (transport) => {
  const server = await loopbackServer(
    failure(503, 'engine_unreachable'),
    respondWith(200, { success: true, data: aSession(), page: 2 }, { 'x-more': 'a', 'set-cookie': 'b=1' }),
  )
  const { client } = clientOver(transport, server.url)

  const { data, response } = await client.sessions.retrieve('sess_1').withResponse()

  expect(data.session_id).toBe('sess_1')
  expect(response).toMatchObject({ status: 200, requestId: 'req_1', attempts: 2 })
  expect(response.headers.get('x-more')).toBe('a')
  expect(response.headers.getSetCookie()).toEqual(['b=1'])
  expect(response.envelope).toMatchObject({ page: 2 })
})

const pageSaid = 'the answer is a page, not JSON: a proxy may have sent it'
const noJsonSaid = 'the answer is not JSON of the documented form'

const unusable = {
  'a page': { reply: respondWith(200, page, { 'content-type': 'text/html' }), says: pageSaid },
  'a page after white space': { reply: respondWith(200, ` \n\t${page}`), says: pageSaid },
  'text before a page': { reply: respondWith(200, `Gateway ${page}`), says: noJsonSaid },
  'text that runs into a page': { reply: respondWith(200, `Gateway${page}`), says: noJsonSaid },
  'an empty body': { reply: respondWith(200, ''), says: 'the answer is empty' },
  'white space': { reply: respondWith(200, ' \r\n'), says: 'the answer is empty' },
  'truncated JSON': {
    reply: respondWith(200, '{"success":true,"data":{"session_id":"sess'),
    says: noJsonSaid,
  },
  'invalid UTF-8': {
    reply: respondWith(200, Buffer.from([...Buffer.from('{"data":"'), 0xff, 0xfe, ...Buffer.from('"}')])),
    says: 'the answer is not valid UTF-8',
  },
  'JSON that is no object': { reply: respondWith(200, '["a"]'), says: noJsonSaid },
  'success: false without a code': {
    reply: respondWith(200, { success: false, error: null }),
    says: 'the answer says success: false without a code',
  },
  'success: false with an empty code': {
    reply: respondWith(200, { success: false, error: { code: '' } }),
    says: 'the answer says success: false without a code',
  },
  'no data': { reply: respondWith(200, { success: true }), says: 'the answer has no data' },
  'nothing at all, with 204': { reply: respondWith(204), says: 'the answer is empty' },
} as const

it.each(
  transports.flatMap((transport) =>
    Object.entries(unusable).map(([what, { reply, says }]) => ({
      name: transport.name,
      transport,
      what,
      reply,
      says,
    })),
  ),
)('$name: a success with $what is an InvalidResponseError', async ({ transport, reply, says }) => {
  const error = await errorOf(transport, reply)

  expect(error).toBeInstanceOf(InvalidResponseError)
  const { status, requestId, snippet, message, attempts } = error as InvalidResponseError
  expect([200, 204]).toContain(status)
  expect(requestId).toBe('req_1')
  expect(message).toBe(`sessions.retrieve: ${says}`)
  expect(attempts).toBe(1)
  expect(snippet.length).toBeLessThanOrEqual(512)
  expect((error as Error).cause).toBeUndefined()
})

forEachTransport(
  '$name: the snippet is the beginning of the answer, at most 512 characters of it',
  async (transport) => {
    const error = await errorOf(
      transport,
      respondWith(200, `<html>Bad Gateway ${'lorem ipsum '.repeat(500)}`),
    )

    const { snippet } = error as InvalidResponseError
    expect(snippet).toMatch(/^<html>Bad Gateway lorem/)
    expect(snippet).toHaveLength(512)
  },
)

forEachTransport(
  '$name: success: false with a code is an ApiError, whatever the status',
  async (transport) => {
    const error = await errorOf(transport, failure(200, 'session_closed'))

    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 200, code: 'session_closed', requestId: 'req_1' })
  },
)

const classes = [
  [400, BadRequestError],
  [401, AuthenticationError],
  [402, PaymentRequiredError],
  [403, PermissionDeniedError],
  [404, NotFoundError],
  [409, ConflictError],
  [410, GoneError],
  [413, PayloadTooLargeError],
  [422, UnprocessableError],
  [423, LockedError],
  [429, RateLimitError],
  [500, ServerError],
  [502, ServerError],
  [503, ServerError],
  [599, ServerError],
  [408, ApiError],
  [418, ApiError],
] as const

it.each(
  transports.flatMap((transport) =>
    classes.map(([status, type]) => ({ name: transport.name, transport, status, type })),
  ),
)('$name: a page with status $status is $type.name with the code http_$status', async (row) => {
  const error = await errorOf(row.transport, respondWith(row.status, page, { 'content-type': 'text/html' }))

  expect(Object.getPrototypeOf(error)).toBe(row.type.prototype)
  expect(error).toMatchObject({ status: row.status, code: `http_${row.status}`, requestId: 'req_1' })
  expect((error as Error).message).toContain('proxy')
})

const redirectSaid = (status: number) => `a redirect (${status}), which is never followed: check baseUrl`

it.each<[status: number, body: object | string, says: string]>([
  [200, { success: false, error: { code: 'session_closed' } }, 'status 200 without a message'],
  [300, { success: true, data: aSession() }, redirectSaid(300)],
  [399, { success: true, data: aSession() }, redirectSaid(399)],
  [400, { success: false, error: { code: 'x', message: '' } }, 'status 400 without a message'],
  [400, '', 'status 400 without a message; a proxy on the way may have answered'],
  [404, { error: { code: 'x', message: '' }, error_description: 'said here' }, 'said here'],
  [503, page, 'status 503 without a message; a proxy on the way may have answered'],
])('an ApiError of status %i without words of its own says what came: %j', async (status, body, says) => {
  const { fetch } = scriptedFetch(respond(status, body))
  const { client } = testClient({ fetch, maxRetries: 0 })

  const error: unknown = await client.sessions.retrieve('sess_1').catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status, message: says })
})

it.each([[{}], [{ state: [] }], [[]], ['states'], [null]])(
  'an answer whose data is %j lacks the member that was asked for',
  async (data) => {
    const { fetch } = scriptedFetch(succeed(data))
    const { client } = testClient({ fetch })

    await expect(client.credentials.listStates()).rejects.toMatchObject({
      name: 'InvalidResponseError',
      message: 'credentials.listStates: the answer has no data.states',
    })
  },
)

it('an operation whose answer is not documented may be answered with nothing', async () => {
  const { fetch } = scriptedFetch(() => new Response(null, { status: 204 }))
  const { client } = testClient({ fetch })

  const { data, response } = await client.workflows.delete('wf_1').withResponse()

  expect(data).toBeNull()
  expect(response).toMatchObject({ status: 204, envelope: {} })
})

forEachTransport('$name: a redirect is an ApiError and is not followed', async (transport) => {
  const elsewhere = await loopbackServer(success())
  const server = await loopbackServer(respondWith(302, '', { location: `${elsewhere.url}/session` }))
  const { client } = clientOver(transport, server.url)

  const error: unknown = await client.sessions.retrieve('sess_1').catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 302, code: 'http_302', retryable: false })
  expect((error as Error).message).toContain('check baseUrl')
  expect(server.requests).toHaveLength(1)
  expect(elsewhere.requests).toHaveLength(0)
})

it('reads the error of an envelope: code, message and the rest as details', async () => {
  const body = {
    success: false,
    error: { code: 'already_decided', message: 'Decided before.', status: 'APPROVED', by: { role: 'owner' } },
  }
  const { fetch } = scriptedFetch(respond(409, body))
  const { client } = testClient({ fetch })

  const error: unknown = await client.sessions
    .updateStatus('sess_1', { status: 'DECLINED' })
    .catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({
    name: 'ConflictError',
    code: 'already_decided',
    message: 'Decided before.',
    details: { status: 'APPROVED', by: { role: 'owner' } },
    fieldErrors: {},
  })
})

it('reads the error of RFC 6749 as well', async () => {
  const body = { error: 'invalid_grant', error_description: 'The code was used.' }
  const { fetch } = scriptedFetch(respond(400, body))
  const { client } = testClient({ fetch })

  const error = client.sessions.retrieve('sess_1')

  await expect(error).rejects.toMatchObject({
    status: 400,
    code: 'invalid_grant',
    message: 'The code was used.',
  })
})

it('takes data.errors for the errors of the fields', async () => {
  const errors = { email: ['is taken'], 'members.0.role': 'unknown' }
  const body = { success: false, error: { code: 'invalid_request', message: 'no' }, data: { errors } }
  const { fetch } = scriptedFetch(respond(400, body))
  const { client } = testClient({ fetch })

  const error = client.sessions.retrieve('sess_1')

  await expect(error).rejects.toMatchObject({ code: 'invalid_request', fieldErrors: errors, details: {} })
})

it('keeps codes and statuses that it does not know', async () => {
  const { fetch } = scriptedFetch(
    respond(451, { success: false, error: { code: 'brand_new_2031', message: 'x' } }),
  )
  const { client } = testClient({ fetch })

  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({
    status: 451,
    code: 'brand_new_2031',
  })
})

it.each([
  ['a sentence', { error: 'Something broke' }],
  ['a number', { error: { code: 17 } }],
  ['an empty code', { success: false, error: { code: '' } }],
  ['a list', { error: ['x'] }],
  ['null', { success: false, error: null }],
])('an error that is %s has the code of its status', async (_, body) => {
  const { fetch } = scriptedFetch(respond(404, body))
  const { client } = testClient({ fetch })

  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({
    name: 'NotFoundError',
    code: 'http_404',
  })
})

it('a service whose own words are the words of codes still has its codes', async () => {
  const { fetch } = scriptedFetch(respond(404, { success: false, error: { code: 'workflow_not_found' } }))
  const { client } = testClient({ fetch })

  const error = client.sessions.create({ workflow_id: 'workflow', vendor_data: 'workflow_not_found' })

  await expect(error).rejects.toMatchObject({ code: 'workflow_not_found' })
})

it('cuts an endless message short', async () => {
  const { fetch } = scriptedFetch(respond(400, { error: { code: 'x', message: 'so long '.repeat(100_000) } }))
  const { client } = testClient({ fetch })

  const error: unknown = await client.sessions.retrieve('sess_1').catch((thrown: unknown) => thrown)

  expect((error as Error).message).toHaveLength(1000)
})

forEachTransport('$name: refuses more than maxResponseBytes', async (transport) => {
  const server = await loopbackServer(success(aSession({ more: 'x'.repeat(5_000) })))
  const { client } = clientOver(transport, server.url, { maxResponseBytes: 4_096 })

  const error: unknown = await client.sessions.retrieve('sess_1').catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(InvalidResponseError)
  expect(error).toMatchObject({ status: 200, requestId: 'req_1' })
  expect((error as Error).message).toContain('maxResponseBytes (4096)')
  expect(server.requests).toHaveLength(1)
})

forEachTransport('$name: takes an answer of exactly maxResponseBytes', async (transport) => {
  const body = JSON.stringify({ success: true, data: aSession() })
  const server = await loopbackServer(respondWith(200, body))
  const { client } = clientOver(transport, server.url, { maxResponseBytes: Buffer.byteLength(body) })

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(aSession())
})

forEachTransport('$name: an error that is too large keeps its status', async (transport) => {
  const server = await loopbackServer(respondWith(404, 'x'.repeat(5_000)))
  const { client } = clientOver(transport, server.url, { maxResponseBytes: 4_096 })

  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({
    name: 'NotFoundError',
    code: 'http_404',
  })
})

forEachTransport('$name: reads a compressed answer', async (transport) => {
  const body = gzipSync(JSON.stringify({ success: true, data: aSession() }))
  const server = await loopbackServer(respondWith(200, body, { 'content-encoding': 'gzip' }))
  const { client } = clientOver(transport, server.url)

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(aSession())
})

forEachTransport('$name: counts the bytes of an answer after decompression', async (transport) => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20))
  const server = await loopbackServer(respondWith(200, bomb, { 'content-encoding': 'gzip' }))
  const { client } = clientOver(transport, server.url, { maxResponseBytes: 1024 * 1024 })

  const error: unknown = await client.sessions.retrieve('sess_1').catch((thrown: unknown) => thrown)

  expect(bomb.byteLength).toBeLessThan(100_000)
  expect(error).toBeInstanceOf(InvalidResponseError)
  expect((error as Error).message).toContain('maxResponseBytes')
})

forEachTransport(
  '$name: an answer that cannot be decompressed is an InvalidResponseError',
  async (transport) => {
    const error = await errorOf(
      transport,
      respondWith(200, 'not gzip at all', { 'content-encoding': 'gzip' }),
    )

    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(error).toMatchObject({ status: 200, requestId: 'req_1', snippet: '' })
    expect((error as Error).message).toBe('sessions.retrieve: the response cannot be decompressed')
  },
)

forEachTransport('$name: an error that cannot be decompressed keeps its status', async (transport) => {
  const error = await errorOf(transport, respondWith(401, 'not gzip at all', { 'content-encoding': 'gzip' }))

  expect(error).toMatchObject({ name: 'AuthenticationError', code: 'http_401' })
})

const body = new TextEncoder().encode(JSON.stringify({ success: true, data: aSession() }))

it('the body of a fetch may come in any pieces', async () => {
  const pieces = [body.subarray(0, 1), new Uint8Array(), body.subarray(1, 20), body.subarray(20)]
  const { fetch } = scriptedFetch(() => new Response(ReadableStream.from(pieces)))
  const { client } = testClient({ fetch })

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(aSession())
})

it.each([
  ['Z_DATA_ERROR', 'InvalidResponseError'],
  ['ERR__ERROR_FORMAT_PADDING_1', 'InvalidResponseError'],
  ['QUIZZ_OVER', 'ConnectionError'],
  [undefined, 'ConnectionError'],
])('a body that ends with the error code %s is an %s', async (code, name) => {
  const ending = new ReadableStream({
    pull: (controller) => controller.error(Object.assign(new Error('it broke'), { code })),
  })
  const { fetch } = scriptedFetch(() => new Response(ending))
  const { client } = testClient({ fetch, maxRetries: 0 })

  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({ name })
})

forEachTransport('$name: half of an answer is a broken connection', async (transport) => {
  const error = await errorOf(transport, halfResponse)

  expect(error).toMatchObject({ name: 'ConnectionError', mayHaveArrived: true })
})

it.each(['__proto__', '\\u005f_proto__', '__pro\\u0074o__'])('%s in JSON pollutes nothing', async (name) => {
  const session = JSON.stringify(aSession()).slice(0, -1)
  const text = `{"success":true,"data":${session},"${name}":{"polluted":1},"deep":{"${name}":{"polluted":1},"a":1}}}`
  const { fetch } = scriptedFetch(respond(200, text))
  const { client } = testClient({ fetch })

  const data = await client.sessions.retrieve('sess_1')
  const merged = Object.assign({}, data, data.deep)

  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  expect((merged as { polluted?: unknown }).polluted).toBeUndefined()
  expect(Object.getPrototypeOf(data.deep)).toBe(Object.prototype)
  expect(data.deep).toEqual({ a: 1 })
})

it('keeps fields that it does not know', async () => {
  const { fetch } = scriptedFetch(succeed(aSession({ brand_new: { deep: [1] } })))
  const { client } = testClient({ fetch })

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(aSession({ brand_new: { deep: [1] } }))
})

const misshapen = { ...aSession(), features: 'none', expires_at: 12 }

it('by default tells the logger once an operation of answers in another shape, and returns them as they came', async () => {
  const records: unknown[] = []
  const note = (message: string, fields?: object) => void records.push([message, fields])
  const silent = () => {}
  const { fetch } = scriptedFetch(succeed(misshapen))
  const { client } = testClient({ fetch, logger: { debug: silent, info: silent, warn: note, error: note } })

  const first = await client.sessions.retrieve('sess_1')
  await client.sessions.retrieve('sess_2')
  await client.sessions.create()

  expect(first).toEqual(misshapen)
  const message = (operation: string) => `${operation}: the response is not as documented`
  const fields = ['features', 'expires_at']
  expect(records).toEqual([
    [message('sessions.retrieve'), { operation: 'sessions.retrieve', fields }],
    [message('sessions.create'), { operation: 'sessions.create', fields }],
  ])
})

it("with responseValidation 'strict' refuses answers in another shape", async () => {
  const { fetch } = scriptedFetch(succeed(misshapen))
  const { client } = testClient({ fetch, responseValidation: 'strict' })

  const error: unknown = await client.sessions.retrieve('sess_1').catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(InvalidResponseError)
  expect((error as Error).message).toContain('(features, expires_at)')
})

it('data that is itself of another type is named data', async () => {
  const { fetch } = scriptedFetch(succeed({ sessions: [] }))
  const { client } = testClient({ fetch, responseValidation: 'strict' })

  await expect(client.sessions.list()).rejects.toThrow('the answer is not as documented (data)')
})

it("with responseValidation 'off' looks at no answer", async () => {
  const records: unknown[] = []
  const note = (...record: unknown[]) => void records.push(record)
  const logger = { debug: () => {}, info: note, warn: note, error: note }
  const { fetch } = scriptedFetch(succeed(misshapen))
  const { client } = testClient({ fetch, logger, responseValidation: 'off' })

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(misshapen)
  expect(records).toEqual([])
})

it.each([
  ['another outcome', aDecision({ decision: 'MAYBE' })],
  ['no outcome', aDecision({ decision: undefined })],
  ['an outcome in lower case', aDecision({ decision: 'approved' })],
])('refuses a decision with %s, whatever the responseValidation', async (_, decision) => {
  const { fetch } = scriptedFetch(succeed(decision))
  const { client } = testClient({ fetch, responseValidation: 'off' })

  await expect(client.sessions.decision('sess_1')).rejects.toBeInstanceOf(InvalidResponseError)
})

it('the decision of a session that is under way may be null', async () => {
  const { fetch } = scriptedFetch(succeed(pendingDecision()))
  const { client } = testClient({ fetch })

  await expect(client.sessions.decision('sess_1')).resolves.toMatchObject({ decision: null })
})

it('an answer with a thousand wrong fields is told in a few words', async () => {
  const data = Array.from({ length: 1000 }, () => 1)
  const { fetch } = scriptedFetch(succeed(data))
  const { client } = testClient({ fetch, responseValidation: 'strict' })

  const error: unknown = await client.sessions.list().catch((thrown: unknown) => thrown)

  expect((error as Error).message.length).toBeLessThan(200)
})
