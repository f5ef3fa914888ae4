import { expect, it } from 'vitest'
import { InvalidResponseError } from '../../src/index.ts'
import { aSession } from '../support/fixtures.ts'
import { failure, loopbackServer, type Responder, respondWith } from '../support/loopback-server.ts'
import { respond, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { clientOver, forEachTransport, transports } from '../support/transports.ts'
import { testClient } from '../support/verification-client.ts'

const page = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>'

forEachTransport('$name: reads the envelope of a response of any content type', async (transport) => {
  const server = await loopbackServer(
    respondWith(200, { success: true, data: aSession() }, { 'content-type': 'text/html' }),
  )
  const { client } = clientOver(transport, server.url)

  const session = await client.sessions.retrieve('sess_1')

  expect(session).toEqual(aSession())
})

forEachTransport(
  '$name: withResponse returns status, headers, request id, attempts and envelope',
  async (transport) => {
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
    expect(JSON.stringify(response)).not.toContain('page')
  },
)

const isPage = 'the response is a page, not JSON: baseUrl is probably wrong, or a proxy sent it'
const isNotJson = 'the response is not JSON in the documented form'
const hasNoCode = 'the response says success: false without a code'

const unusable: readonly [what: string, responder: Responder, message: string][] = [
  ['200 whose body is a page', respondWith(200, page, { 'content-type': 'text/html' }), isPage],
  ['200 whose body is a page after white space', respondWith(200, ` \n\t${page}`), isPage],
  ['200 whose body is text before a page', respondWith(200, `Gateway ${page}`), isNotJson],
  ['200 whose body is text that runs into a page', respondWith(200, `Gateway${page}`), isNotJson],
  ['200 whose body is empty', respondWith(200, ''), 'the response is empty'],
  ['200 whose body is white space', respondWith(200, ' \r\n'), 'the response is empty'],
  ['200 whose body is truncated JSON', respondWith(200, '{"success":true,"data":{"session_id":"sess'), isNotJson],
  [
    '200 whose body is invalid UTF-8',
    respondWith(200, Buffer.from([...Buffer.from('{"data":"'), 0xff, 0xfe, ...Buffer.from('"}')])),
    'the response is not valid UTF-8',
  ],
  ['200 whose body is JSON but not an object', respondWith(200, '["a"]'), isNotJson],
  ['200 whose body has success: false without a code', respondWith(200, { success: false, error: null }), hasNoCode],
  [
    '200 whose body has success: false with an empty code',
    respondWith(200, { success: false, error: { code: '' } }),
    hasNoCode,
  ],
  ['200 whose body has no data', respondWith(200, { success: true }), 'the response has no data'],
  ['204 without a body', respondWith(204), 'the response is empty'],
]

it.each(unusable)('rejects a response of %s with InvalidResponseError', async (_, responder, message) => {
  const server = await loopbackServer(responder)
  const { client } = clientOver(transports[0], server.url, { maxRetries: 0 })

  const error = await thrownBy(client.sessions.retrieve('sess_1'))

  expect(error).toBeInstanceOf(InvalidResponseError)
  const { status, requestId, message: actual, attempts } = error as InvalidResponseError
  expect([200, 204]).toContain(status)
  expect(requestId).toBe('req_1')
  expect(actual).toContain(`sessions.retrieve: ${message} (`)
  expect(attempts).toBe(1)
  expect((error as Error).cause).toBeUndefined()
})

it.each(['safe', 'full'] as const)(
  'an error keeps 64 KiB of a body that it cannot use, and a message shows 512 characters if errorDetail is full: %s',
  async (errorDetail) => {
    const sent = JSON.stringify({ lines: Array(20_000).fill('lorem') })
    const { client } = testClient({ fetch: scriptedFetch(respond(200, sent)).fetch, errorDetail })

    const { message, body } = (await thrownBy(client.sessions.retrieve('sess_1'))) as InvalidResponseError

    expect(body).toBe(sent.slice(0, 65_536))
    expect(message).toContain(
      errorDetail === 'full'
        ? `${sent.length} bytes): ${sent.slice(0, 512)}`
        : `${sent.length} bytes). For the body, read error.body, or set SVC_ERROR_DETAIL=full.`,
    )
    expect(message.includes('lorem')).toBe(errorDetail === 'full')
  },
)

it.each([
  ['application/json; charset=utf-8', 'application/json'],
  ['text/canary', 'another content type'],
])('an error names a usual content type only: %s', async (sent, shown) => {
  const fetch = async () => new Response('canary', { headers: { 'content-type': sent } })
  const { client } = testClient({ fetch, errorDetail: 'safe' })

  const error = await thrownBy(client.sessions.retrieve('sess_1'))

  expect(String(error)).toContain(`(${shown}, 6 bytes)`)
  expect(String(error)).not.toContain('canary')
})

it.each([[{}], [{ state: [] }], [[]], ['states'], [null]])(
  'rejects a response without the member of data that contains the result: %j',
  async (data) => {
    const { client } = testClient({ fetch: scriptedFetch(succeed(data)).fetch })

    await expect(client.credentials.listStates()).rejects.toMatchObject({
      name: 'InvalidResponseError',
      message: expect.stringContaining('credentials.listStates: the response has no data.states'),
    })
  },
)

it('accepts an empty 204 from an operation whose response is not documented', async () => {
  const { fetch } = scriptedFetch(() => new Response(null, { status: 204 }))
  const { client } = testClient({ fetch })

  const { data, response } = await client.experimental.workflows.delete('wf_1').withResponse()

  expect(data).toBeNull()
  expect(response).toMatchObject({ status: 204, envelope: {} })
})

it.each(['__proto__', '\\u005f_proto__', '__pro\\u0074o__'])(
  'drops a JSON member named %s, so that no prototype is changed',
  async (name) => {
    const session = JSON.stringify(aSession()).slice(0, -1)
    const member = `"${name}":{"polluted":1}`
    const text = `{"success":true,"data":${session},${member},"deep":{${member},"a":1}}}`
    const { client } = testClient({ fetch: scriptedFetch(respond(200, text)).fetch })

    const data = await client.sessions.retrieve('sess_1')
    const { deep } = data as unknown as { deep: object }
    const merged = Object.assign({}, data, deep)

    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect((merged as { polluted?: unknown }).polluted).toBeUndefined()
    expect(Object.getPrototypeOf(deep)).toBe(Object.prototype)
    expect(deep).toEqual({ a: 1 })
  },
)

it('returns unknown fields unchanged', async () => {
  const session = aSession({ brand_new: { deep: [1] } })
  const { client } = testClient({ fetch: scriptedFetch(succeed(session)).fetch })

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(session)
})
