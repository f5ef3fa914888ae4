import { execFileSync } from 'node:child_process'
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { beforeAll, expect, it, vi } from 'vitest'
import { maxImageBytes } from '../../../src/contract/service.ts'
import { imageFromFile } from '../../../src/index.ts'
import { images, livenessCheck, standalone } from '../../support/fixtures.ts'
import { loopbackServer, success, unusedUrl } from '../../support/loopback-server.ts'
import { memoryInUse } from '../../support/memory.ts'
import { serveListener } from '../../support/serve-listener.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { clientOver, forEachTransport, transports } from '../../support/transports.ts'
import { testClient } from '../../support/verification-client.ts'
import { noise } from './uploaded-image.ts'

const mebibyte = 2 ** 20
const folder = temporaryFolder()
const [undici] = transports

function file(name: string, size: number): string {
  const path = join(folder, name)
  writeFileSync(path, new Uint8Array(size).fill(7))
  return path
}

const front = join(folder, 'front.jpg')
const back = join(folder, 'back.jpg')
const whole = join(folder, 'whole.jpg')
const tooLarge = join(folder, 'too-large.jpg')
const random = join(folder, 'random.jpg')
const pipe = join(folder, 'pipe')
const randomBytes = noise(9 * mebibyte + 1234)

beforeAll(() => {
  file('front.jpg', 3 * mebibyte)
  file('back.jpg', 3 * mebibyte)
  file('whole.jpg', 19 * mebibyte)
  file('too-large.jpg', maxImageBytes)
  writeFileSync(random, randomBytes)
  execFileSync('mkfifo', [pipe])
})

const live = standalone(livenessCheck())
const noFetch = () => expect.fail('something was sent')

/** The number of this test's files that the process has open. */
const openFiles = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder)
    } catch {
      return false
    }
  }).length

/** Files are closed asynchronously, after the call has ended. */
const filesAreClosed = () => expect.poll(openFiles, { interval: 2 }).toBe(0)

const bothSides = () => ({ front_image: imageFromFile(front), back_image: imageFromFile(back) })

/** A server that counts the bytes of each body without keeping them, and then responds. */
async function countingServer() {
  const received: number[] = []
  const { url } = await serveListener((request, response) => {
    const i = received.push(0) - 1
    request.on('data', (chunk: Uint8Array) => {
      received[i] = (received[i] as number) + chunk.byteLength
    })
    request.on('end', () => response.end(JSON.stringify({ success: true, data: live })))
  })
  return { url, received }
}

/** A server that responds with 413 before it has read the body. */
async function rejectingServer() {
  const body = { success: false, error: { code: 'image_too_large', message: 'too large' } }
  const { url } = await serveListener((request, response) => {
    request.resume()
    response.writeHead(413, { connection: 'close' })
    response.end(JSON.stringify(body))
  })
  return url
}

/** A server that stops reading in the middle of the body, and calls back. */
async function stalledServer(inTheMiddle: () => unknown) {
  const { url } = await serveListener((request) => {
    request.once('data', () => {
      request.pause()
      inTheMiddle()
    })
  })
  return url
}

// Not for fetch, because the fetch of Node keeps a copy of a streamed body.
it('undici: streams a file of 19 MiB with less than 12 MiB of extra memory', async () => {
  const server = await countingServer()
  const { client } = clientOver(undici, server.url)
  await client.checks.liveness({ image: imageFromFile(front) })
  memoryInUse()
  await new Promise((resolve) => setImmediate(resolve))
  const before = memoryInUse()
  let most = 0
  let next = mebibyte
  const onUploadProgress = ({ loaded }: { loaded: number }) => {
    if (loaded < next) return
    next += mebibyte
    most = Math.max(most, memoryInUse() - before)
  }

  await client.checks.liveness({ image: imageFromFile(whole) }, { onUploadProgress })

  expect(server.received[1]).toBeGreaterThan(19 * mebibyte)
  expect(next).toBeGreaterThan(19 * mebibyte)
  expect(most).toBeLessThan(12 * mebibyte)
})

forEachTransport('$name: closes files after a success', async (transport) => {
  const server = await countingServer()
  const { client } = clientOver(transport, server.url)

  await client.checks.idVerification(bothSides())

  await filesAreClosed()
})

forEachTransport('$name: closes files after a refused connection', async (transport) => {
  const { client } = clientOver(transport, unusedUrl)

  await expect(client.checks.idVerification(bothSides())).rejects.toMatchObject({ attempts: 3 })

  await filesAreClosed()
})

forEachTransport('$name: closes files after a response that came before the upload ended', async (transport) => {
  const { client } = clientOver(transport, await rejectingServer(), { maxRetries: 0 })

  // A server that closes the connection during the upload may lose its response.
  await expect(client.checks.idVerification(bothSides())).rejects.toMatchObject({ attempts: 1 })

  await filesAreClosed()
})

forEachTransport('$name: closes files after a timeout in the middle of the upload', async (transport) => {
  const url = await stalledServer(() => test.advance(60))
  const test = clientOver(transport, url, { maxRetries: 0 })

  await expect(test.client.checks.idVerification(bothSides(), { timeoutMs: 60 })).rejects.toMatchObject({
    name: 'TimeoutError',
    mayHaveArrived: false,
    message:
      'checks.idVerification: the images were not sent to their end within timeoutMs (60 ms). The request was not completed, so the service has not executed it, and you can call again.',
  })

  await filesAreClosed()
})

it('a success that begins during the upload leaves the outcome open', async () => {
  const test = testClient({
    maxRetries: 0,
    fetch: async () => new Response(new ReadableStream({ pull: () => test.advance(60) }, { highWaterMark: 0 })),
  })

  await expect(test.client.checks.idVerification(bothSides(), { timeoutMs: 60 })).rejects.toMatchObject({
    name: 'OutcomeUnknownError',
    cause: { name: 'TimeoutError' },
  })

  await filesAreClosed()
})

it('a timeout after the last byte of an image leaves the outcome open', async () => {
  const test = testClient({
    maxRetries: 0,
    fetch: async (_, init) => {
      await new Response(init?.body).arrayBuffer()
      void test.advance(60)
      return new Promise(() => {})
    },
  })

  await expect(test.client.checks.idVerification(bothSides(), { timeoutMs: 60 })).rejects.toMatchObject({
    name: 'OutcomeUnknownError',
    cause: { name: 'TimeoutError', mayHaveArrived: true },
  })
})

forEachTransport('$name: closes files after an abort in the middle of the upload', async (transport) => {
  const controller = new AbortController()
  const url = await stalledServer(() => controller.abort())
  const { client } = clientOver(transport, url, { maxRetries: 0 })

  const call = client.checks.idVerification(bothSides(), { signal: controller.signal })
  await expect(call).rejects.toMatchObject({ name: 'AbortedError', mayHaveArrived: false })

  await filesAreClosed()
})

it('closes a file that is too large', async () => {
  const { client } = testClient({ fetch: noFetch })

  await expect(client.checks.liveness({ image: imageFromFile(tooLarge) })).rejects.toThrow('smaller than 20 MiB')

  await filesAreClosed()
})

it('closes a file of a few bytes', async () => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(undici, server.url)

  await client.checks.liveness({ image: imageFromFile(file('tiny.jpg', 3)) })

  await filesAreClosed()
})

it('sends a whole file in JSON, and closes it', async () => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(undici, server.url)

  await client.checks.liveness({ image: imageFromFile(random) }, { encoding: 'json' })

  const { image } = JSON.parse(String(server.requests[0]?.body)) as { image: string }
  expect(Buffer.from(image, 'base64').equals(randomBytes)).toBe(true)
  await filesAreClosed()
})

it('closes a file if another image could not be opened', async () => {
  const { client } = testClient({ fetch: noFetch })
  const missing = imageFromFile(join(folder, 'missing.jpg'))

  const call = client.checks.idVerification({ front_image: imageFromFile(front), back_image: missing })
  await expect(call).rejects.toThrow('back_image could not be opened')

  await filesAreClosed()
})

it('closes the streams of the caller if the call fails', async () => {
  const streams = [Readable.from([images.png, images.png]), new Readable({ read() {} })]
  streams[1]?.push(images.png)
  const closed = streams.map((stream) => new Promise<void>((resolve) => stream.once('close', resolve)))
  let onCancel = () => {}
  const canceled = new Promise<void>((resolve) => {
    onCancel = resolve
  })
  const web = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(images.png),
    cancel: onCancel,
  })
  const { client } = testClient({ baseUrl: unusedUrl, fetch: undefined })

  for (const image of [...streams, web]) await client.checks.liveness({ image }).catch(() => {})

  await Promise.all([...closed, canceled])
})

it.each([
  ['a directory', () => folder],
  ['a device', () => '/dev/zero'],
  ['a pipe', () => pipe],
])('rejects %s as an image file, and blocks no thread', async (_, path) => {
  const { client } = testClient({ fetch: noFetch })
  // More than Node has threads for files.
  const calls = Array.from({ length: 8 }, () => thrownBy(client.checks.liveness({ image: imageFromFile(path()) })))

  for (const error of await Promise.all(calls))
    expect(error).toMatchObject({
      name: 'InvalidParamsError',
      message: 'checks.liveness: image must be a file, not a directory, a pipe or a device',
      issues: [{ path: 'image' }],
    })

  expect((await readFile(random)).equals(randomBytes)).toBe(true)
  await filesAreClosed()
})

it('sends the bytes of a file unchanged to a dispatcher that keeps chunks', async () => {
  const kept: Uint8Array[] = []
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

  await client.checks.liveness({ image: imageFromFile(random) })

  const body = Buffer.concat(kept)
  const start = body.indexOf(randomBytes.subarray(0, 64))
  expect(body.subarray(start, start + randomBytes.byteLength).equals(randomBytes)).toBe(true)
})

it('rejects a file where the runtime has no file system, before anything is sent', async () => {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never)
  const { client } = testClient({ fetch: () => expect.fail('something was sent') })

  const call = client.checks.liveness({ image: imageFromFile('passport.jpg') })

  await expect(call).rejects.toMatchObject({
    name: 'InvalidParamsError',
    message: 'checks.liveness: image is a file, and this runtime has no file system. Pass bytes or a stream',
  })
})
