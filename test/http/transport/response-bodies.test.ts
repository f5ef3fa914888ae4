// An unknown code: cspell:ignore QUIZZ

import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { InvalidResponseError } from '../../../src/errors.ts'
import { aSession } from '../../support/fixtures.ts'
import { loopbackServer, respondWith, success } from '../../support/loopback-server.ts'
import { memoryInUse } from '../../support/memory.ts'
import { scriptedFetch } from '../../support/scripted-fetch.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { clientOver, forEachTransport, transports } from '../../support/transports.ts'
import { testClient } from '../../support/verification-client.ts'

const [undici] = transports
const body = JSON.stringify({ success: true, data: aSession() })
const gzip = { 'content-encoding': 'gzip' }

forEachTransport('$name: rejects a response larger than maxResponseBytes', async (transport) => {
  const server = await loopbackServer(success(aSession({ more: 'x'.repeat(5_000) })))
  const { client } = clientOver(transport, server.url, { maxResponseBytes: 4_096 })

  const error = await thrownBy(client.sessions.retrieve('sess_1'))

  expect(error).toBeInstanceOf(InvalidResponseError)
  expect(error).toMatchObject({ status: 200, requestId: 'req_1' })
  expect((error as Error).message).toContain('maxResponseBytes (4096)')
  expect(server.requests).toHaveLength(1)
})

forEachTransport('$name: accepts a response of exactly maxResponseBytes', async (transport) => {
  const server = await loopbackServer(respondWith(200, body))
  const { client } = clientOver(transport, server.url, { maxResponseBytes: Buffer.byteLength(body) })

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(aSession())
})

const mebibyte = 2 ** 20
const large = aSession({ more: 'x'.repeat(200_000) })
const [beforeLarge = '', afterLarge = ''] = JSON.stringify({ success: true, data: large }).split(/x{9,}/)

it('undici: reads a response of 200,000 one-byte chunks with little memory', async () => {
  let before = 0
  let most = 0
  const server = await loopbackServer(async (response) => {
    const socket = response.socket as NonNullable<typeof response.socket>
    response.writeHead(200)
    response.write(beforeLarge)
    before = memoryInUse()
    for (let slice = 0; slice < 10; slice++) {
      if (!socket.write('1\r\nx\r\n'.repeat(20_000))) await once(socket, 'drain')
      // The client reads in the same event loop.
      for (let turn = 0; turn < 50; turn++) await nextTurn()
      most = Math.max(most, memoryInUse() - before)
    }
    response.end(afterLarge)
  })
  const { client } = clientOver(undici, server.url)

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(large)

  expect(most).toBeLessThan(6 * mebibyte)
})

it('fetch: reads a response of 200,000 one-byte chunks with little memory', async () => {
  let before = 0
  let most = 0
  async function* chunks() {
    yield Buffer.from(beforeLarge)
    before = memoryInUse()
    for (let i = 1; i <= 200_000; i++) {
      yield Uint8Array.of(0x78)
      if (i % 20_000 === 0) most = Math.max(most, memoryInUse() - before)
    }
    yield Buffer.from(afterLarge)
  }
  const { fetch } = scriptedFetch(() => new Response(ReadableStream.from(chunks())))
  const { client } = testClient({ fetch })

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(large)

  expect(most).toBeLessThan(6 * mebibyte)
})

forEachTransport(
  '$name: counts the decompressed bytes of a response in maxResponseBytes',
  async (transport) => {
    const packed = gzipSync(`{"success":true,"data":{"url":"${'x'.repeat(5_000)}"}}`)
    const server = await loopbackServer(respondWith(200, packed, gzip))
    const { client } = clientOver(transport, server.url, { maxResponseBytes: 4_096 })

    await expect(client.sessions.retrieve('sess_1')).rejects.toThrow('maxResponseBytes (4096)')
  },
)

forEachTransport('$name: keeps the status of an error that is too large', async (transport) => {
  const server = await loopbackServer(respondWith(404, 'x'.repeat(5_000)))
  const { client } = clientOver(transport, server.url, { maxResponseBytes: 4_096 })

  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({
    name: 'NotFoundError',
    code: 'http_404',
  })
})

forEachTransport('$name: rejects a response that cannot be decompressed', async (transport) => {
  const server = await loopbackServer(respondWith(200, 'not gzip at all', gzip))
  const { client } = clientOver(transport, server.url)

  const error = await thrownBy(client.sessions.retrieve('sess_1'))

  expect(error).toBeInstanceOf(InvalidResponseError)
  expect(error).toMatchObject({ status: 200, requestId: 'req_1', body: '' })
  expect((error as Error).message).toBe('sessions.retrieve: the response cannot be decompressed')
})

forEachTransport('$name: keeps the status of an error that cannot be decompressed', async (transport) => {
  const server = await loopbackServer(respondWith(401, 'not gzip at all', gzip))
  const { client } = clientOver(transport, server.url)

  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({
    name: 'AuthenticationError',
    code: 'http_401',
  })
})

forEachTransport('$name: keeps the status of a redirect that cannot be decompressed', async (transport) => {
  const server = await loopbackServer(respondWith(300, 'not gzip at all', gzip))
  const { client } = clientOver(transport, server.url)

  await expect(client.sessions.retrieve('s')).rejects.toMatchObject({ name: 'ApiError', code: 'http_300' })
})

it.each([
  ['gzip', gzipSync(body)],
  ['GZIP', gzipSync(body)],
  ['x-gzip', gzipSync(body)],
  ['deflate', deflateSync(body)],
  ['br', brotliCompressSync(body)],
  ['identity', body],
  ['Identity', body],
])('undici: accepts a response with the content encoding %s', async (coding, coded) => {
  const server = await loopbackServer(respondWith(200, coded, { 'content-encoding': coding }))
  const { client } = clientOver(undici, server.url)

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(aSession())
})

it.each([
  ['compress', 'of JSON', body, 'the response has an unknown content-encoding'],
  ['constructor', 'of JSON', body, 'the response has an unknown content-encoding'],
  ['gzip, br', 'of JSON', body, 'the response has an unknown content-encoding'],
  ['gzip', 'of JSON', body, 'the response cannot be decompressed'],
  ['gzip', 'that is cut short', gzipSync(body).subarray(0, 40), 'the response cannot be decompressed'],
  ['br', 'of JSON', body, 'the response cannot be decompressed'],
  ['gzip', 'that is empty', '', 'the response is empty'],
])(
  'undici: rejects a response with the content encoding %s and a body %s',
  async (coding, _, coded, message) => {
    const server = await loopbackServer(respondWith(200, coded, { 'content-encoding': coding }))
    const { client } = clientOver(undici, server.url)

    await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({
      name: 'InvalidResponseError',
      message: expect.stringContaining(message),
      status: 200,
    })
  },
)

it('fetch: reads a body that arrives in chunks of any size', async () => {
  const bytes = new TextEncoder().encode(body)
  const chunks = [bytes.subarray(0, 1), new Uint8Array(), bytes.subarray(1, 20), bytes.subarray(20)]
  const { fetch } = scriptedFetch(() => new Response(ReadableStream.from(chunks)))
  const { client } = testClient({ fetch })

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(aSession())
})

it.each([
  ['Z_DATA_ERROR', 'InvalidResponseError'],
  ['ERR__ERROR_FORMAT_PADDING_1', 'InvalidResponseError'],
  ['QUIZZ_OVER', 'ConnectionError'],
  [undefined, 'ConnectionError'],
])('fetch: throws for a body that ends with the error code %s: %s', async (code, name) => {
  const failing = new ReadableStream({
    pull: (controller) => controller.error(Object.assign(new Error('it broke'), { code })),
  })
  const { fetch } = scriptedFetch(() => new Response(failing))
  const { client } = testClient({ fetch, maxRetries: 0 })

  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({ name })
})
