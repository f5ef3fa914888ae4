import { execFileSync } from 'node:child_process'
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  createSecureServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Dispatcher } from 'undici'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { maxImageBytes } from '../../../src/contract/service.ts'
import { openFile } from '../../../src/http/body/image.ts'
import { imageFromFile } from '../../../src/verification.ts'
import { images, livenessCheck, standalone } from '../../support/fixtures.ts'
import { loopbackServer, silence, success, unusedUrl } from '../../support/loopback-server.ts'
import { selfSigned } from '../../support/self-signed.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { clientOver, forEachTransport, transports } from '../../support/transports.ts'
import { testClient } from '../../support/verification-client.ts'

const mebibyte = 2 ** 20
const folder = temporaryFolder()

function file(name: string, size: number): string {
  const path = join(folder, name)
  writeFileSync(path, new Uint8Array(size).fill(7))
  return path
}

const front = join(folder, 'front.jpg')
const back = join(folder, 'back.jpg')
const whole = join(folder, 'whole.jpg')
const tooLarge = join(folder, 'too-large.jpg')

beforeAll(() => {
  file('front.jpg', 3 * mebibyte)
  file('back.jpg', 3 * mebibyte)
  file('whole.jpg', 19 * mebibyte)
  file('too-large.jpg', maxImageBytes)
})

const live = standalone(livenessCheck())

/** Files of this test that the process holds open. */
const openFiles = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder)
    } catch {
      return false
    }
  }).length

const bothSides = () => ({ front_image: imageFromFile(front), back_image: imageFromFile(back) })
const soon = { interval: 2 }

/** A server that looks at no body, and answers at once or when it has had all of it. */
async function discardingServer(when: 'at once' | 'after the body') {
  const received: number[] = []
  const server = createServer((request, response) => {
    const i = received.push(0) - 1
    const answer = () => response.end(JSON.stringify({ success: true, data: live }))
    request.on('data', (chunk: Uint8Array) => {
      received[i] = (received[i] as number) + chunk.byteLength
    })
    if (when === 'after the body') request.on('end', answer)
    else {
      response.writeHead(413, { connection: 'close' })
      response.end(
        JSON.stringify({ success: false, error: { code: 'image_too_large', message: 'too large' } }),
      )
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What the process holds in memory: heap, buffers and the rest of what Node allocates. */
function held(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

// The fetch of Node keeps a copy of whatever is streamed: this holds for the pooled transport.
it('a file of 19 MiB is streamed with less than 12 MiB of extra memory', async () => {
  const server = await discardingServer('after the body')
  const { client } = clientOver(transports[0], server.url)
  await client.checks.liveness({ image: imageFromFile(front) })
  held()
  await new Promise((resolve) => setImmediate(resolve))
  const before = held()
  let most = 0
  let next = mebibyte
  const onUploadProgress = ({ loaded }: { loaded: number }) => {
    if (loaded < next) return
    next += mebibyte
    most = Math.max(most, held() - before)
  }

  await client.checks.liveness({ image: imageFromFile(whole) }, { onUploadProgress })

  expect(server.received[1]).toBeGreaterThan(19 * mebibyte)
  expect(next).toBeGreaterThan(19 * mebibyte)
  expect(most).toBeLessThan(12 * mebibyte)
})

forEachTransport('$name: files are closed after a success', async (transport) => {
  const server = await discardingServer('after the body')
  const { client } = clientOver(transport, server.url)

  await client.checks.idVerification(bothSides())

  await expect.poll(openFiles, soon).toBe(0)
})

forEachTransport('$name: files are closed after a refused connection', async (transport) => {
  const { client } = clientOver(transport, await unusedUrl())

  await expect(client.checks.idVerification(bothSides())).rejects.toMatchObject({ attempts: 3 })

  await expect.poll(openFiles, soon).toBe(0)
})

forEachTransport(
  '$name: files are closed after an answer that came before the upload ended',
  async (transport) => {
    const server = await discardingServer('at once')
    const { client } = clientOver(transport, server.url, { maxRetries: 0 })

    // A server that closes on us in mid-upload may take its answer with it.
    await expect(client.checks.idVerification(bothSides())).rejects.toMatchObject({ attempts: 1 })

    await expect.poll(openFiles, soon).toBe(0)
  },
)

forEachTransport('$name: files are closed after a timeout and after an abort', async (transport) => {
  const server = await loopbackServer(silence)
  const { client } = clientOver(transport, server.url, { maxRetries: 0 })
  const controller = new AbortController()

  await expect(client.checks.idVerification(bothSides(), { timeoutMs: 60 })).rejects.toThrow()
  const aborted = client.checks.idVerification(bothSides(), { signal: controller.signal })
  setTimeout(() => controller.abort(), 5)
  await expect(aborted).rejects.toMatchObject({ name: 'AbortedError' })

  await expect.poll(openFiles, soon).toBe(0)
})

it('a file is closed when it turns out to be too large', async () => {
  const { client } = testClient({ fetch: () => expect.fail('something was sent') })

  await expect(client.checks.liveness({ image: imageFromFile(tooLarge) })).rejects.toThrow(
    'smaller than 20 MiB',
  )

  await expect.poll(openFiles, soon).toBe(0)
})

it('a file of a few bytes is closed as well', async () => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(transports[0], server.url)

  await client.checks.liveness({ image: imageFromFile(file('tiny.jpg', 3)) })

  await expect.poll(openFiles, soon).toBe(0)
})

it('a file is whole in JSON, and closed as well', async () => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(transports[0], server.url)
  const path = join(folder, 'json.jpg')
  writeFileSync(path, noise)

  await client.checks.liveness({ image: imageFromFile(path) }, { encoding: 'json' })

  const { image } = JSON.parse(String(server.requests[0]?.body)) as { image: string }
  expect(Buffer.from(image, 'base64').equals(noise)).toBe(true)
  await expect.poll(openFiles, soon).toBe(0)
})

it('a file is closed when another image cannot be had', async () => {
  const { client } = testClient({ fetch: () => expect.fail('something was sent') })
  const missing = imageFromFile(join(folder, 'missing.jpg'))

  const call = client.checks.idVerification({ front_image: imageFromFile(front), back_image: missing })
  await expect(call).rejects.toThrow('back_image could not be opened')

  await expect.poll(openFiles, soon).toBe(0)
})

it('a stream of the caller is let go of when the call fails', async () => {
  const streams = [Readable.from([images.png, images.png]), new Readable({ read() {} })]
  streams[1]?.push(images.png)
  let cancelled = 0
  const web = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(images.png),
    cancel: () => {
      cancelled++
    },
  })
  const { client } = testClient({ baseUrl: await unusedUrl(), fetch: undefined })

  for (const image of [...streams, web]) await client.checks.liveness({ image }).catch(() => {})

  await expect.poll(() => streams.map(({ destroyed }) => destroyed), soon).toEqual([true, true])
  await expect.poll(() => cancelled, soon).toBe(1)
})

forEachTransport('$name: a file that is asked for again is read again from its start', async (transport) => {
  const server = await loopbackServer((response) => response.writeHead(503).end(), success(live))
  const { client } = clientOver(transport, server.url)

  await client.checks.liveness({ image: imageFromFile(front) })

  const [first, second] = server.requests
  expect(first?.body.byteLength).toBeGreaterThan(3 * mebibyte)
  expect(second?.body.equals(first?.body ?? Buffer.of())).toBe(true)
})

const noise = new Uint8Array(9 * mebibyte + 1234)
for (let i = 0; i < noise.byteLength; i++) noise[i] = (i * 2654435761) >>> 24

/** Reads a little at a time, so that whoever sends has to wait. */
async function slowly(incoming: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) {
    chunks.push(Buffer.from(chunk))
    if (chunks.length % 16 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return Buffer.concat(chunks)
}

const slowServers = {
  'HTTP/1.1': (listener: Listener) => createServer(listener),
  'HTTP/1.1 over TLS': (listener: Listener) => createTlsServer(selfSigned, listener),
  'HTTP/2': (listener: Listener) =>
    createHttp2Server(
      selfSigned,
      listener as unknown as (request: Http2ServerRequest, response: Http2ServerResponse) => void,
    ),
} as const

type Listener = (request: IncomingMessage, response: ServerResponse) => void

it.each(Object.entries(slowServers))(
  'a file arrives whole at a server that takes its time: %s',
  async (how, make) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const versions: string[] = []
    const bodies: Buffer[] = []
    const server = make(async (request, response) => {
      versions.push(request.httpVersion)
      bodies.push(await slowly(request))
      response.setHeader('x-request-id', 'req_1')
      response.end(JSON.stringify({ success: true, data: live }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const path = join(folder, 'noise.jpg')
    writeFileSync(path, noise)
    const baseUrl = `${how === 'HTTP/1.1' ? 'http' : 'https'}://127.0.0.1:${port}`
    const { client } = clientOver(transports[0], baseUrl, { http2: how === 'HTTP/2' })

    const call = client.checks.liveness({ image: imageFromFile(path) })
    const { response } = await call.withResponse()
    await client.close()

    expect(response.requestId).toBe('req_1')
    expect(versions).toEqual([how === 'HTTP/2' ? '2.0' : '1.1'])
    const start = bodies[0]?.indexOf(noise.subarray(0, 64)) ?? -1
    expect(bodies[0]?.subarray(start, start + noise.byteLength).equals(noise)).toBe(true)
  },
)

it.each([
  [false, 1],
  [true, 13],
])('a file is read into memory of its own where chunks are kept: %s', async (keepsChunks, buffers) => {
  const { stream } = await imageFromFile(file('chunks.jpg', 13 * 256 * 1024))[openFile]({ keepsChunks })
  const used = new Set<ArrayBufferLike>()

  for await (const chunk of stream as AsyncIterable<Uint8Array>) used.add(chunk.buffer)

  expect(used.size).toBe(buffers)
  ;(stream as unknown as { destroy(): void }).destroy()
})

it('a pipe has no length, and a piece of it is not written over while it goes out', async () => {
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const opened = imageFromFile(path)[openFile]({ keepsChunks: false })
  const writer = await open(path, 'w')
  const { stream, size } = await opened
  const chunks = (stream as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
  const pieces: Uint8Array[] = []

  for (const text of ['first', 'later']) {
    await writer.write(text)
    pieces.push((await chunks.next()).value)
  }
  await writer.close()

  expect(await chunks.next()).toMatchObject({ done: true })
  expect(size).toBeUndefined()
  expect(pieces.map((piece) => new TextDecoder().decode(piece))).toEqual(['first', 'later'])
  ;(stream as unknown as { destroy(): void }).destroy()
})

it('a dispatcher that keeps what it was given sees the file as it is', async () => {
  const kept: Uint8Array[] = []
  const path = join(folder, 'kept.jpg')
  writeFileSync(path, noise)
  const dispatcher = {
    dispatch(options: { body: AsyncIterable<Uint8Array> }, handler: Dispatcher.DispatchHandler) {
      const read = async () => {
        for await (const chunk of options.body) kept.push(chunk)
        handler.onConnect?.(() => {})
        handler.onHeaders?.(200, [], () => {}, 'OK')
        handler.onData?.(Buffer.from(JSON.stringify({ success: true, data: live })))
        handler.onComplete?.([])
      }
      void read()
      return true
    },
  }
  const { client } = testClient({ fetch: undefined, dispatcher })

  await client.checks.liveness({ image: imageFromFile(path) })

  const body = Buffer.concat(kept)
  const start = body.indexOf(noise.subarray(0, 64))
  expect(body.subarray(start, start + noise.byteLength).equals(noise)).toBe(true)
})
