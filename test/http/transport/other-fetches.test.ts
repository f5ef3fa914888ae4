import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator.ts'
import { imageFromFile, VerificationClient } from '../../../src/index.ts'
import { aSession, images } from '../../support/fixtures.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { testClient } from '../../support/verification-client.ts'

const folder = temporaryFolder()
const asFetch = (fetch: (url: string, init: RequestInit) => unknown) => fetch as unknown as typeof globalThis.fetch

/** Sends to the emulator what node-fetch would send, and returns what it would return. */
function nodeFetch(emulator: ReturnType<typeof createEmulator>) {
  return asFetch(async (url, { body, ...init }) => {
    const isKnown = body === undefined || body === null || typeof body === 'string' || ArrayBuffer.isView(body)
    const sent = isKnown ? body : Buffer.from(String(body))
    const response = await emulator.fetch(new Request(url, { ...init, ...(sent && { body: sent }) }))
    const { status, headers } = response
    return {
      status,
      headers: { get: (name: string) => headers.get(name), [Symbol.iterator]: () => headers.entries() },
      bodyUsed: false,
      body: Readable.from(Buffer.from(await response.arrayBuffer())),
    }
  })
}

it('calls, uploads and errors work over node-fetch, which knows no stream of the web', async () => {
  const emulator = createEmulator()
  const client = new VerificationClient({ ...emulator.options.verification, fetch: nodeFetch(emulator) })
  const path = join(folder, 'me.png')
  writeFileSync(path, images.png)

  const { data, response } = await client.sessions.create().withResponse()
  const checks = [
    await client.checks.liveness({ image: images.png }),
    await client.checks.liveness({ image: imageFromFile(path) }, { idempotencyKey: 'key-1' }),
    await client.checks.liveness({ image: Readable.from([images.png]) }),
    await client.checks.liveness({ image: images.png }, { onUploadProgress() {} }),
  ]
  const missing = await thrownBy(client.sessions.retrieve('sess_missing'))
  // The emulator compares the bytes under one key.
  const again = await new VerificationClient(emulator.options.verification).checks.liveness(
    { image: { data: images.png, filename: 'me.png' } },
    { idempotencyKey: 'key-1' },
  )

  expect(data.status).toBe('NOT_STARTED')
  expect(response.headers.get('content-type')).toMatch('application/json')
  expect(checks.map(({ status }) => status)).toEqual(checks.map(() => 'passed'))
  expect(again.session_id).toBe(checks[1]?.session_id)
  expect(missing).toMatchObject({ name: 'NotFoundError', requestId: expect.stringMatching(/^req_/) })
})

const session = { success: true, data: aSession(), error: null }
const text = JSON.stringify(session)

it.each<[what: string, response: object]>([
  ['json', { ok: true, json: async () => session }],
  ['json and a status', { status: 200, headers: {}, json: async () => session }],
  ['text', { status: 200, headers: new Map([['x-request-id', 'req_1']]), text: async () => text }],
  [
    'arrayBuffer',
    {
      status: 200,
      headers: { get: () => null },
      arrayBuffer: async () => new TextEncoder().encode(text).buffer,
    },
  ],
  ['a body of text in chunks', { status: 200, headers: [['x', 'y']], body: Readable.from([...text]) }],
])('a response of a mock that has only %s is read', async (_, response) => {
  const { client } = testClient({ fetch: asFetch(async () => response) })

  const { data, response: read } = await client.sessions.retrieve('sess_1').withResponse()

  expect(data).toEqual(session.data)
  expect(read.headers).toBeInstanceOf(Headers)
})

it('the headers of a mock are read', async () => {
  const busy = { status: 429, headers: { 'Retry-After': '2' }, json: async () => ({}) }
  const { client } = testClient({ fetch: asFetch(async () => busy), maxRetries: 0 })

  expect(await thrownBy(client.sessions.list())).toMatchObject({ name: 'RateLimitError', retryAfterMs: 2000 })
})

it.each<[what: string, response: object]>([
  ['json', { status: 200, json: async () => session }],
  ['text', { status: 200, text: async () => text }],
  ['a stream of Node', { status: 200, body: Readable.from([text]) }],
])('maxResponseBytes limits a response that has only %s', async (_, response) => {
  const { client } = testClient({ fetch: asFetch(async () => response), maxResponseBytes: 10 })

  const error = await thrownBy(client.sessions.retrieve('sess_1'))

  expect(error).toMatchObject({
    name: 'InvalidResponseError',
    message: expect.stringMatching('maxResponseBytes'),
  })
})

it('a response whose json fails is not retried as a broken connection', async () => {
  let calls = 0
  const page = { status: 502, json: async () => JSON.parse('<html>') }
  const fetch = asFetch(async () => {
    calls++
    return page
  })
  const { client } = testClient({ fetch })

  expect(await thrownBy(client.sessions.create())).toMatchObject({ name: 'ServerError', status: 502 })
  expect(calls).toBe(1)
})

async function readResponse() {
  const response = Response.json(session)
  await response.json()
  return response
}

it.each<[what: string, response: () => unknown, reason: string]>([
  ['nothing', () => undefined, 'fetch returned undefined, not a Response'],
  ['null', () => null, 'fetch returned null, not a Response'],
  ['text', () => text, 'fetch returned string, not a Response'],
  ['the parsed body', () => session, 'fetch returned an object without a status, not a Response'],
  [
    'a status alone',
    () => ({ status: 200, data: session }),
    'fetch returned an object without arrayBuffer, text or json, not a Response',
  ],
  ['a response that was read', readResponse, 'fetch returned a Response whose body was already read'],
])('a fetch that returns %s is named at once, and called once', async (_, response, reason) => {
  let calls = 0
  const fetch = asFetch(async () => {
    calls++
    return response()
  })
  const { client } = testClient({ fetch })
  const advice =
    'It must return what the global fetch returns, in a test Response.json(body, { status }), and must not read the body: read that of response.clone()'

  const ofRead = await thrownBy(client.sessions.retrieve('sess_1'))
  const ofWrite = await thrownBy(client.sessions.create())
  const billed = await thrownBy(client.checks.age({ dob: '2001-05-17', bands: [18] }, { idempotencyKey: 'key-1' }))

  expect(calls).toBe(3)
  expect(String(ofRead)).toBe(`ConfigurationError: sessions.retrieve: ${reason}. ${advice}`)
  expect(String(ofWrite)).toBe(
    `ConfigurationError: sessions.create: ${reason}. ${advice}. The service may have executed the call: check before you call again.`,
  )
  // As after every lost response of a billed call.
  expect(billed).toMatchObject({ name: 'OutcomeUnknownError', idempotencyKey: 'key-1', attempts: 1 })
  expect(billed).toMatchObject({
    message: expect.stringMatching(reason),
    cause: { name: 'ConfigurationError' },
  })
})

it('a stream is never sent as text', async () => {
  const texts: string[] = []
  const fetch = asFetch(async (_, { body }) => {
    texts.push(ArrayBuffer.isView(body) ? 'bytes' : String(body))
    return { status: 413, text: async () => '' }
  })
  const { client } = testClient({ fetch, maxRetries: 0 })

  const error = await thrownBy(client.checks.liveness({ image: Readable.from([images.png, images.png]) }))

  expect(error).toMatchObject({ status: 413 })
  expect(texts).toEqual(['bytes'])
})

it('a request that nock 15 does not match is not a failure of the service', async () => {
  let calls = 0
  const unmatched = Response.json(
    { code: 'ERR_NOCK_NO_MATCH', message: 'Nock: No match for request {}' },
    { status: 501 },
  )
  const disallowed = Object.assign(new Error('Nock: Disallowed net connect for "id.test:443/"'), {
    code: 'ENETUNREACH',
  })
  const steps = [() => unmatched.clone(), () => Promise.reject(new TypeError('fetch failed', { cause: disallowed }))]
  const check = (step: (typeof steps)[number]) =>
    thrownBy(
      testClient({
        fetch: asFetch(async () => {
          calls++
          return step()
        }),
        maxRetries: 1,
      }).client.checks.age({ dob: '2001-05-17', bands: [18] }),
    )

  const [notMatched, notAllowed] = await Promise.all(steps.map(check))

  expect(String(notMatched)).toBe(
    'ConfigurationError: checks.age: no interceptor of nock matches POST /api/v2/age-verification, so nothing was sent. Add one for it, with the host and the path of baseUrl.',
  )
  expect(notAllowed).toMatchObject({ name: 'ConnectionError', mayHaveArrived: false, attempts: 2 })
  expect(calls).toBe(3)
})
