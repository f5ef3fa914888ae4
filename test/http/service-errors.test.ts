import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  GoneError,
  LockedError,
  NotFoundError,
  OrgClient,
  PayloadTooLargeError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  UnprocessableError,
  type VerificationClient,
} from '../../src/index.ts'
import { aSession } from '../support/fixtures.ts'
import { loopbackServer, respondWith, success } from '../support/loopback-server.ts'
import { fail, respond, type Step, scriptedFetch } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { clientOver, forEachTransport, transports } from '../support/transports.ts'
import { baseUrl, testClient } from '../support/verification-client.ts'

const page = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>'

/** The error of a read that gets one response. */
function errorAfter(step: Step): Promise<unknown> {
  const { client } = testClient({ fetch: scriptedFetch(step).fetch, maxRetries: 0 })
  return thrownBy(client.sessions.retrieve('sess_1'))
}

it('a rejected API key says that test and production have different keys, and names the doctor', async () => {
  expect(String(await errorAfter(fail(401, 'invalid_api_key')))).toBe(
    'AuthenticationError: sessions.retrieve: 401 invalid_api_key: it is invalid_api_key.' +
      ' Check that apiKey is one for this baseUrl, because test and production have different keys, or run: npx identity-service-sdk doctor.' +
      ' (request req_1)',
  )
  expect(String(await errorAfter(fail(401, 'token_missing')))).not.toMatch(/doctor/)
})

it('the error for an empty wallet says that funds are needed', async () => {
  expect(String(await errorAfter(fail(402, 'balance_exhausted')))).toContain(
    ' Add funds to the wallet, then call again.',
  )
})

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
)('$name: throws $type.name with the code http_$status for a page of status $status', async (row) => {
  const server = await loopbackServer(respondWith(row.status, page, { 'content-type': 'text/html' }))
  const { client } = clientOver(row.transport, server.url, { maxRetries: 0 })

  const error = await thrownBy(client.sessions.retrieve('sess_1'))

  expect(Object.getPrototypeOf(error)).toBe(row.type.prototype)
  expect(error).toMatchObject({ status: row.status, code: `http_${row.status}`, requestId: 'req_1' })
  expect((error as Error).message).toContain('proxy')
})

forEachTransport('$name: throws ApiError for a redirect and does not follow it', async (transport) => {
  const target = await loopbackServer(success())
  const server = await loopbackServer(respondWith(302, '', { location: `${target.url}/session` }))
  const { client } = clientOver(transport, server.url)

  const error = await thrownBy(client.sessions.retrieve('sess_1'))

  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 302, code: 'http_302', retryable: false })
  expect((error as Error).message).toContain('check baseUrl')
  expect(server.requests).toHaveLength(1)
  expect(target.requests).toHaveLength(0)
})

const redirect = 'a redirect, and redirects are never followed: check baseUrl'

it.each<[status: number, body: object | string, message: string]>([
  [
    200,
    { success: false, error: { code: 'session_closed' } },
    'The session is already closed. The same call cannot succeed.',
  ],
  [
    200,
    { success: false, data: aSession(), error: { code: 'session_closed' } },
    'The session is already closed. The same call cannot succeed.',
  ],
  [300, { success: true, data: aSession() }, redirect],
  [399, { success: true, data: aSession() }, redirect],
  [
    400,
    { success: false, error: { code: 'x', message: '' } },
    'A parameter is malformed or missing, a scope is invalid, or a code has expired. The service contract does not list this code.',
  ],
  [400, { success: false, error: {} }, 'The response has no error code.'],
  [400, '', 'the response is empty; a proxy may have sent it'],
  [404, { error: { code: 'x', message: '' }, error_description: 'described here' }, 'described here'],
  [503, page, 'the response is a page, not JSON; a proxy may have sent it'],
  [404, page, 'the response is a page, not JSON: baseUrl is probably wrong, or a proxy sent it'],
  [404, '', 'the response is empty: baseUrl is probably wrong, or a proxy sent it'],
])('describes a response of status %i without a message: %j', async (status, body, message) => {
  const error = await errorAfter(respond(status, body))

  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status })
  expect((error as Error).message).toContain(`: ${status} ${(error as ApiError).code}: ${message} (request req_1)`)
})

it('reads code and message of the error in an envelope, and its other members as details', async () => {
  const body = {
    success: false,
    error: { code: 'already_decided', message: 'Decided before.', status: 'APPROVED', by: { role: 'owner' } },
  }
  const { client } = testClient({ fetch: scriptedFetch(respond(409, body)).fetch })

  const error = await thrownBy(client.sessions.updateStatus('sess_1', { status: 'DECLINED' }))

  expect(error).toMatchObject({
    name: 'ConflictError',
    code: 'already_decided',
    message:
      'sessions.updateStatus: 409 already_decided: Decided before. The same call cannot succeed. (request req_1)',
    details: { status: 'APPROVED', by: { role: 'owner' } },
    fieldErrors: {},
  })
})

it('reads an error in the form of RFC 6749', async () => {
  const body = { error: 'invalid_grant', error_description: 'The code was used.' }

  expect(await errorAfter(respond(400, body))).toMatchObject({
    status: 400,
    code: 'invalid_grant',
    message: expect.stringContaining(
      ': 400 invalid_grant: The code was used. The person must start again. (request req_1)',
    ),
  })
})

it("the message contains the field errors in the service's words if errorDetail is full", async () => {
  const errors = {
    'members.0.email': ['ada.lovelace@example.com is not a company address', 'must be unique'],
    'members.0.role': 'must be one of the roles',
    'members.0.first_name': 'Augusta-Ada is too long',
  }
  const body = {
    success: false,
    error: { code: 'invalid_request', message: 'It is invalid.' },
    data: { errors },
  }
  const org = new OrgClient({
    baseUrl,
    clientId: 'app_1',
    clientSecret: 'shh',
    fetch: scriptedFetch(respond(400, body)).fetch,
  })
  const member = { email: 'ada.lovelace@example.com', first_name: 'Augusta-Ada' }

  const error = await thrownBy(org.members.add({ members: [member] }))

  expect((error as Error).message).toBe(
    'members.add: 400 invalid_request: It is invalid. (members.0.email: ada.lovelace@example.com is not a company address, must be' +
      ' unique; members.0.role: must be one of the roles; members.0.first_name: Augusta-Ada is too long) Correct the call. (request req_1)',
  )
  expect((error as ApiError).fieldErrors).toEqual(errors)
})

it('the message contains the first five field errors, and the number of the others', async () => {
  const errors = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`members.${i}.email`, 'is taken']))
  const body = { success: false, error: { code: 'invalid_request', message: 'no' }, data: { errors } }

  const { message } = (await errorAfter(respond(400, body))) as Error

  expect(message).toContain('members.4.email: is taken; 495 more in fieldErrors')
  expect(message).not.toContain('members.5.')
})

it('an error has the data that was sent next to it, and never prints it', async () => {
  const data = { errors: {}, plan: { seats: 5, owner: 'canary' } }
  const body = { success: false, error: { code: 'limit_reached', message: 'The plan is full.' }, data }

  const error = (await errorAfter(respond(422, body))) as ApiError

  expect(error.data).toEqual(data)
  expect(inspect(error, { showHidden: true, depth: null }) + JSON.stringify(error)).not.toContain('canary')
})

it('an error without data has an empty object', async () => {
  const body = { success: false, error: { code: 'not_found', message: 'x' }, data: null }

  expect(await errorAfter(respond(404, body))).toMatchObject({ data: {} })
})

it('returns unknown codes and statuses unchanged', async () => {
  const body = { success: false, error: { code: 'brand_new_2031', message: 'x' } }

  expect(await errorAfter(respond(451, body))).toMatchObject({ status: 451, code: 'brand_new_2031' })
})

it.each([
  ['a sentence', { error: 'Something broke' }],
  ['a number', { error: { code: 17 } }],
  ['an empty code', { success: false, error: { code: '' } }],
  ['a list', { error: ['x'] }],
  ['null', { success: false, error: null }],
])('derives the code from the status if the error is %s', async (_, body) => {
  expect(await errorAfter(respond(404, body))).toMatchObject({ name: 'NotFoundError', code: 'http_404' })
})

it('keeps a code that consists of words of the params', async () => {
  const { fetch } = scriptedFetch(respond(404, { success: false, error: { code: 'workflow_not_found' } }))
  const { client } = testClient({ fetch })

  const call = client.sessions.create({ workflow_id: 'workflow', vendor_data: 'workflow_not_found' })

  await expect(call).rejects.toMatchObject({ code: 'workflow_not_found' })
})

it('shows 1,000 characters of a message of the service', async () => {
  const error = await errorAfter(respond(400, { error: { code: 'x', message: 'so long '.repeat(100_000) } }))

  const shown = /: 400 x: (.*) \(request req_1\)$/.exec((error as Error).message)?.[1]
  expect(shown).toHaveLength(1000)
})

it('a safe message consists of whole sentences', async () => {
  const { client } = testClient({
    fetch: scriptedFetch(respond(400, { error: { message: 'no' } })).fetch,
    errorDetail: 'safe',
  })

  expect(String(await thrownBy(client.sessions.retrieve('sess_1')))).toBe(
    'BadRequestError: sessions.retrieve: 400 http_400: The response has no error code. For the message of the service,' +
      ' read error.serviceMessage, or set SVC_ERROR_DETAIL=full. (request req_1)',
  )
})

it.each(['A Sentence', 'Strange-Code.7', '4d2_9', 'x'.repeat(65)])(
  'a code that has not the form of one is not printed, and can be read in the details: %s',
  async (code) => {
    for (const error of [code, { code }])
      expect(await errorAfter(respond(400, { error }))).toMatchObject({ code: 'http_400', details: { code } })
  },
)

it('a full message shows 1,000 characters of the message and the field errors together', async () => {
  const errors = { 'members.0.email': 'so long '.repeat(1_000), ignored: { not: 'a text' } }
  const body = { success: false, error: { code: 'invalid_request', message: 'no' }, data: { errors } }

  const { message } = (await errorAfter(respond(400, body))) as Error

  expect(message).toContain('no (members.0.email: so long')
  expect(message.length).toBeLessThan(1_100)
})

const proxyPage = respond(502, page, { 'content-type': 'text/html' })
const mayHaveRun = 'The service may have executed the call: check before you call again.'
const withTheKey = "Call again later with this error's idempotencyKey, so that the service can recognize the call."

it.each<[what: string, step: Step, send: (client: VerificationClient) => Promise<unknown>, advice: string]>([
  ['a write that fails with 503', fail(503, 'engine_unreachable'), (client) => client.sessions.create({}), mayHaveRun],
  ['a write that a proxy fails', proxyPage, (client) => client.sessions.create({}), mayHaveRun],
  ['a write whose success cannot be read', respond(200, page), (client) => client.sessions.create({}), mayHaveRun],
  [
    'a billed check that fails with 503',
    fail(503, 'engine_unreachable'),
    (client) => client.checks.age({ dob: '2001-05-17', bands: [18] }),
    withTheKey,
  ],
  [
    'a read that fails with 503',
    fail(503, 'engine_unreachable'),
    (client) => client.sessions.list(),
    'Call again later.',
  ],
  [
    'a write that the contract calls safe to repeat',
    fail(500, 'internal_error'),
    (client) => client.sessions.create({}),
    'Call again later.',
  ],
])('%s says whether it is safe to call again', async (_, step, send, advice) => {
  const { client } = testClient({ fetch: scriptedFetch(step).fetch, maxRetries: 0 })

  const error = await thrownBy(send(client))

  expect((error as Error).message).toContain(advice)
  for (const other of [mayHaveRun, withTheKey, 'Call again later.'])
    if (other !== advice) expect((error as Error).message).not.toContain(other)
})
