// An unknown code: cspell:ignore QUIZZ

import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as zlib from 'node:zlib'
import { expect, it } from 'vitest'
import { InvalidResponseError } from '../../../src/index.ts'
import { aSession } from '../../support/fixtures.ts'
import { loopbackServer, respondWith, success } from '../../support/loopback-server.ts'
import { memoryInUse } from '../../support/memory.ts'
import { scriptedFetch } from '../../support/scripted-fetch.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { clientOver, forEachTransport, transports } from '../../support/transports.ts'
import { testClient } from '../../support/verification-client.ts'

const { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } = zlib
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
    // Node 26 may write the head after what is written to the socket itself.
    await new Promise((written) => response.write(beforeLarge, written))
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

forEachTransport('$name: counts the decompressed bytes of a response in maxResponseBytes', async (transport) => {
  const packed = gzipSync(`{"success":true,"data":{"url":"${'x'.repeat(5_000)}"}}`)
  const server = await loopbackServer(respondWith(200, packed, gzip))
  const { client } = clientOver(transport, server.url, { maxResponseBytes: 4_096 })

  await expect(client.sessions.retrieve('sess_1')).rejects.toThrow('maxResponseBytes (4096)')
})

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

forEachTransport('$name: reads a response in every content coding', async (transport) => {
  const codings: [string, string | Buffer][] = [
    ['gzip', gzipSync(body)],
    ['GZIP', gzipSync(body)],
    ['x-gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
    // Without the header of zlib.
    ['deflate', deflateRawSync(body)],
    ['br', brotliCompressSync(body)],
    ['identity', body],
    ['Identity', body],
    ['gzip, br', brotliCompressSync(gzipSync(body))],
    ['gzip,gzip', gzipSync(gzipSync(body))],
  ]
  for (const [coding, coded] of codings) {
    const server = await loopbackServer(respondWith(200, coded, { 'content-encoding': coding }))
    const { client } = clientOver(transport, server.url)

    await expect(client.sessions.retrieve('sess_1'), coding).resolves.toEqual(aSession())
  }
})

forEachTransport(
  '$name: reads a response as it is if it names an unknown coding, such as a charset',
  async (transport) => {
    for (const coding of ['utf-8', 'UTF-8', 'none', 'constructor', 'gzip, utf-8']) {
      const server = await loopbackServer(respondWith(200, body, { 'content-encoding': coding }))
      const { client } = clientOver(transport, server.url)

      await expect(client.sessions.retrieve('sess_1'), coding).resolves.toEqual(aSession())
    }
  },
)

const compressed = Buffer.from([0x1f, 0x9d, 0x90])

forEachTransport('$name: rejects bytes in an unknown content coding', async (transport) => {
  const server = await loopbackServer(respondWith(200, compressed, { 'content-encoding': 'compress' }))
  const { client } = clientOver(transport, server.url)

  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({
    name: 'InvalidResponseError',
    message: expect.stringContaining('not valid UTF-8: check its content-encoding'),
  })
})

/** Returns a frame with one block that is not compressed (RFC 8878), because Node 20 cannot compress one. */
function zstdFrame(text: string): Buffer {
  const [content, size] = [Buffer.from(text), Buffer.byteLength(text)]
  const start = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 0, 0, 0])
  start.writeUInt32LE(size, 5)
  start.writeUIntLE(size * 8 + 1, 9, 3)
  return Buffer.concat([start, content])
}

it('undici: reads a response in zstd from Node 22.15 on, and says before what to check', async () => {
  const server = await loopbackServer(respondWith(200, zstdFrame(body), { 'content-encoding': 'zstd' }))
  const { client } = clientOver(undici, server.url)

  const outcome = await client.sessions.retrieve('sess_1').catch((error: unknown) => error)

  if ('zstdDecompress' in zlib) expect(outcome).toEqual(aSession())
  else expect(outcome).toMatchObject({ message: expect.stringContaining('check its content-encoding') })
})

const sixTimes = ['gzip', 'gzip', 'gzip', 'gzip', 'gzip', 'gzip']

it.each([
  ['gzip', 'of JSON', body, 'the response cannot be decompressed'],
  ['gzip', 'that is cut short', gzipSync(body).subarray(0, 40), 'the response cannot be decompressed'],
  ['br', 'of JSON', body, 'the response cannot be decompressed'],
  ['deflate', 'of JSON', body, 'the response cannot be decompressed'],
  ['br, gzip', 'in br only', brotliCompressSync(body), 'the response cannot be decompressed'],
  [sixTimes.join(), 'of JSON', body, 'the response has too many content codings'],
  ['gzip', 'that is empty', '', 'the response is empty'],
])('undici: rejects a response with the content encoding %s and a body %s', async (coding, _, coded, message) => {
  const server = await loopbackServer(respondWith(200, coded, { 'content-encoding': coding }))
  const { client } = clientOver(undici, server.url)

  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({
    name: 'InvalidResponseError',
    message: expect.stringContaining(message),
    status: 200,
  })
})

forEachTransport('$name: ignores a byte order mark before JSON', async (transport) => {
  const server = await loopbackServer(
    respondWith(200, `\ufeff${body}`),
    respondWith(404, '\ufeff{"success":false,"error":{"code":"not_found","message":"x"}}'),
  )
  const { client } = clientOver(transport, server.url)

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(aSession())
  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({ code: 'not_found' })
})

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
