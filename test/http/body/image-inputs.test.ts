import { once } from 'node:events'
import { openAsBlob, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import {
  type ImageInput,
  ImageReadError,
  type ImageRequestOptions,
  InvalidParamsError,
  imageFromFile,
} from '../../../src/index.ts'
import { images, livenessCheck, standalone } from '../../support/fixtures.ts'
import { loopbackServer, success } from '../../support/loopback-server.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { clientOver, forEachTransport } from '../../support/transports.ts'
import { testClient } from '../../support/verification-client.ts'
import { noise, uploadedImage } from './uploaded-image.ts'

const folder = temporaryFolder()
const { png } = images
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const live = standalone(livenessCheck())
const noFetch = () => expect.fail('something was sent')

/** The image as it was sent. */
async function sent(image: unknown) {
  const { fetch, requests } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })
  await client.checks.liveness({ image: image as ImageInput })
  return uploadedImage(requests[0])
}

/** The error for an image, of a call that sends nothing. */
function errorOf(image: unknown, options: ImageRequestOptions = {}) {
  const { client } = testClient({ fetch: noFetch })
  return thrownBy(client.checks.liveness({ image: image as ImageInput }, options))
}

const notAnImage = expect.stringMatching(/^must be .*imageFromFile\(path\)/)
const notBase64 = expect.stringMatching(/^has an invalid base64.*imageFromFile\(path\)/)
const dataUrlNeeded = expect.stringMatching(/^must be a data URL with base64/)

it.each<[what: string, image: unknown, message: unknown]>([
  ['null', null, notAnImage],
  ['a number', 7, notAnImage],
  ['an empty string', '', notAnImage],
  ['a list', [png], notAnImage],
  ['an object without data', { image: png }, notAnImage],
  ['an object with empty data', { data: '' }, notAnImage],
  ['plain text', 'a passport', notAnImage],
  ['a path that looks like base64', 'uploads/passport', notAnImage],
  ['base64 that is not marked', 'aGVsbG8=', notAnImage],
  ['a path as data', { data: 'uploads/passport' }, notAnImage],
  ['base64 as data', { data: 'aGVsbG8=', filename: 'a.png' }, notAnImage],
  ['base64 next to data', { base64: 'aGVsbG8=', data: png }, notAnImage],
  ['a data URL without base64', 'data:image/png,iVBORw0KGgo', dataUrlNeeded],
  ['a path as base64', { base64: '/home/me/passport.jpg' }, notBase64],
  ['bytes as base64', { base64: png }, notBase64],
  ['empty base64', { base64: '' }, notBase64],
  ['a filename that is not a string', { data: png, filename: 7 }, 'has a filename that is not a string'],
  ['a contentType that is not a string', { data: png, contentType: {} }, 'has a contentType that is not a string'],
])('rejects %s in place of an image before anything is sent', async (_, image, message) => {
  const error = await errorOf(image)

  expect(error).toBeInstanceOf(InvalidParamsError)
  expect(error).toMatchObject({ attempts: 0, issues: [{ path: 'image', message }] })
})

it.each<[what: string, names: object]>([
  ['a folder', { filename: '../../etc/passwd' }],
  ['a Windows folder', { filename: 'C:\\me.png' }],
  ['a line break', { filename: 'a"\r\nContent-Type: text/html\r\n\r\n<script>' }],
  ['the bytes of Cyrillic as Latin-1, as multer reads them', { filename: Buffer.from('фото.png').toString('latin1') }],
  ['nothing', { filename: '' }],
])('a filename with %s counts as missing', async (_, names) => {
  expect((await sent({ data: png, ...names })).filename).toBe('image.png')
  expect((await sent(() => ({ base64: Buffer.from(png).toString('base64'), ...names }))).filename).toBe('image.png')
})

it.each(['', 'png', 'image/png; name="a b.png"', 'text/html\r\nX-Evil: 1', null])(
  'a contentType of %j counts as missing',
  async (contentType) => {
    expect((await sent({ data: png, contentType } as ImageInput)).type).toBe('image/png')
  },
)

const broken = new Error('no')

it.each<[what: string, image: () => ImageInput]>([
  ['a stream that fails at once', () => new Readable({ read: () => {} }).destroy(broken)],
  [
    'an iterator that throws at once',
    () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => {
          throw broken
        },
      }),
    }),
  ],
  [
    'an iterable that throws',
    () => ({
      [Symbol.asyncIterator]: () => {
        throw broken
      },
    }),
  ],
  [
    'a function that throws',
    () => () => {
      throw broken
    },
  ],
])('fails with an ImageReadError for %s, and sends nothing', async (_, image) => {
  const error = await errorOf(image())

  expect(error).toBeInstanceOf(ImageReadError)
  expect(error).toMatchObject({ field: 'image', cause: broken })
  expect(error).toHaveProperty(
    'message',
    'checks.liveness: image could not be read, because its source failed. The request was not completed, so the service has not executed it. If a browser uploads the image, it has left. Otherwise, see cause.',
  )
})

it.each<[what: string, image: () => ImageInput, message: unknown]>([
  ['a stream of objects', () => Readable.from([{ no: 'bytes' }]), 'is a stream of something other than bytes'],
  [
    'a stream that decodes its bytes as text',
    () => Readable.from([Buffer.from(png)], { encoding: 'latin1', objectMode: false }),
    'is a stream of text, not of bytes. Open it without an encoding, or pass { base64 }',
  ],
  [
    'a file that does not exist',
    () => imageFromFile(join(folder, 'missing.png')),
    'could not be opened (ENOENT): the file does not exist. A relative path starts at the working directory of the process',
  ],
  ['a folder', () => imageFromFile(folder), 'must be a file, not a directory, a pipe or a device'],
  ['a function that returns undefined', () => () => undefined as never, notAnImage],
  ['a function that returns a function', () => () => (() => png) as never, notAnImage],
  ['a function that returns a path', () => () => 'uploads/passport' as never, notAnImage],
  ['a function that returns invalid base64', () => () => ({ base64: 'no base64' }), notBase64],
])('rejects %s when it opens the image, and sends nothing', async (_, image, message) => {
  expect(await errorOf(image())).toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ path: 'image', message }],
  })
})

async function readOnce(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader()
  await reader.read()
  reader.releaseLock()
  return stream
}

it.each<[what: string, stream: () => Promise<ImageInput>]>([
  ['a web stream that was partly read', () => readOnce(new Blob([noise(300_000)]).stream())],
  [
    'a web stream that was read to its end',
    async () => {
      const response = new Response(png)
      await response.arrayBuffer()
      return response.body as ReadableStream<Uint8Array>
    },
  ],
  [
    'a web stream that was canceled',
    async () => {
      const stream = new Blob([png]).stream()
      await stream.cancel()
      return stream
    },
  ],
  [
    'a Node stream that has ended',
    async () => {
      const stream = Readable.from([png], { autoDestroy: false })
      await once(stream.resume(), 'end')
      return stream
    },
  ],
  ['a Node stream that was destroyed', async () => new PassThrough().destroy()],
])('rejects %s before anything is sent', async (_, read) => {
  const stream = await read()
  const message = 'is a stream that is locked or was already read. Pass a new one, or a function that returns it'

  for (const image of [stream, { data: stream }, () => stream])
    for (const encoding of ['multipart', 'json'] as const)
      expect(await errorOf(image, { encoding })).toMatchObject({
        name: 'InvalidParamsError',
        issues: [{ path: 'image', message }],
      })
})

it('fails with an ImageReadError for a Blob whose file has changed since it was opened', async () => {
  const path = join(folder, 'me.png')
  writeFileSync(path, png)
  const blob = await openAsBlob(path)
  writeFileSync(path, Buffer.concat([png, png]))

  expect(await errorOf(blob)).toMatchObject({
    name: 'ImageReadError',
    field: 'image',
    cause: { name: 'NotReadableError' },
  })
})

it('reports the image that could not be read, also if another image is in memory', async () => {
  const { client } = testClient({ fetch: noFetch })

  const call = client.checks.idVerification({ front_image: png, back_image: () => Promise.reject(broken) })

  await expect(call).rejects.toMatchObject({
    name: 'ImageReadError',
    field: 'back_image',
    cause: broken,
  })
})

forEachTransport('$name: cuts off a stream that fails while it is sent, without a retry', async (transport) => {
  const server = await loopbackServer()
  const { client } = clientOver(transport, server.url)
  const failing = async function* () {
    yield noise(300_000)
    throw broken
  }

  const error = await thrownBy(client.checks.liveness({ image: () => failing() }))

  expect(error).toBeInstanceOf(ImageReadError)
  expect(error).toMatchObject({ field: 'image', attempts: 1, cause: broken })
  expect(server.requests).toEqual([])
})

/** What busboy, multer and @fastify/multipart pass on: a stream that ends early if the file is larger than a limit. */
function upload(...chunks: readonly (Uint8Array | Error)[]) {
  const file = Object.assign(new Readable({ read: () => {} }), { truncated: false })
  for (const chunk of chunks) {
    if (chunk instanceof Error) file.destroy(chunk)
    else file.push(chunk)
  }
  return file
}

/** An upload of which only the beginning was kept. */
function truncatedUpload(size: number) {
  const file = upload(noise(size))
  file.truncated = true
  file.push(null)
  return file
}

const truncated = {
  name: 'InvalidParamsError',
  issues: [{ path: 'image', message: expect.stringMatching(/^was cut short .*413, or raise the limit$/) }],
}

forEachTransport(
  '$name: never completes the request of an upload that a size limit has cut short',
  async (transport) => {
    const server = await loopbackServer()
    const { client } = clientOver(transport, server.url)
    const late = upload(noise(300_000))
    const onUploadProgress = () => {
      late.truncated = true
      late.push(null)
    }

    expect(await thrownBy(client.checks.liveness({ image: late }, { onUploadProgress }))).toMatchObject({
      ...truncated,
      attempts: 1,
    })
    for (const encoding of ['multipart', 'json'] as const)
      for (const size of [0, 5, 300_000])
        expect(await thrownBy(client.checks.liveness({ image: truncatedUpload(size) }, { encoding }))).toMatchObject(
          truncated,
        )
    expect(server.requests).toEqual([])
  },
)

it('sends an upload that no limit has cut short', async () => {
  const file = upload(noise(100))
  file.push(null)

  expect((await sent(file)).bytes).toEqual(noise(100))
})

it.each<[when: string, options: object, name: string]>([
  ['before it is read', { apiKey: () => new Promise((done) => setImmediate(done, 'key')) }, 'ImageReadError'],
  ['after the call was rejected', { apiKey: () => Promise.reject(broken) }, 'ConfigurationError'],
])('does not let the error event of an upload end the process: %s', async (_, options, name) => {
  const { client } = testClient({ fetch: noFetch, ...options })
  const file = upload(noise(300_000))

  const call = thrownBy(client.checks.liveness({ image: { data: file } }))
  file.destroy(broken)

  expect(await call).toMatchObject({ name })
  expect(() => file.emit('error', broken)).not.toThrow()
})

it('handles the error event of an upload in a call whose other params are invalid', async () => {
  const file = upload()
  const { client } = testClient({ fetch: noFetch })

  const call = client.checks.faceMatch({ image1: file, image2: 5 as unknown as ImageInput })

  expect(await thrownBy(call)).toBeInstanceOf(InvalidParamsError)
  expect(() => file.emit('error', broken)).not.toThrow()
})

it('handles the error event of an upload in a call of a client that is closed', async () => {
  const file = upload()
  const { client } = testClient({ fetch: noFetch })
  await client.close()

  const call = client.checks.liveness({ image: file })

  expect(await thrownBy(call)).toMatchObject({ name: 'ConfigurationError' })
  expect(() => file.emit('error', broken)).not.toThrow()
})

const text = 'all of the bytes'
const base64 = Buffer.from(text).toString('base64')

it.each([
  base64,
  base64.replace(/=+$/, ''),
  `${base64.slice(0, 9)}\r\n${base64.slice(9)}\n`,
  `\n  ${base64} \r\n`,
  `data:image/png;base64,${base64}`,
  `DATA:image/PNG;charset=utf-8;BASE64,${base64}`,
  `data:;base64,${base64}`,
  `data:image/*; base64,${base64}`,
  `data:image/jpeg;name=photo(1).jpg;base64,${base64}`,
  `data:image/jpeg;name="IMG 1.jpg";base64,${base64}`,
  `data:image/jpeg;name=${encodeURIComponent('写'.repeat(255))};base64,${base64}`,
])('accepts base64 and data URLs: %j', async (encoded) => {
  for (const image of encoded.includes(',') ? [{ base64: encoded }, encoded] : [{ base64: encoded }])
    expect(Buffer.from((await sent(image)).bytes).toString()).toBe(text)
})

it('accepts base64url, with and without padding', async () => {
  const bytes = Buffer.from([0xfb, 0xff, 0xfe, 0x01])

  for (const encoded of ['-__-AQ==', '-__-AQ', '+//+AQ==', '+//+AQ'])
    expect((await sent({ base64: encoded })).bytes).toEqual(new Uint8Array(bytes))
})

it.each([
  `data:image/png;base64,${base64.slice(0, -1)}`,
  `${base64}=`,
  `${base64}A`,
  'A',
  'AAAAA',
  'AA=A',
  '====',
  '-_+/',
  'passport jpg ',
  'passport.jpg',
  '/home/me/passport.jpg',
  'https://example.test/me.png',
  `data:image/png,${base64}`,
  `data:image/png;base64,`,
  `data:image/png;base64;${base64}`,
])('rejects text that is neither base64 nor a base64 data URL: %j', async (encoded) => {
  expect(await errorOf({ base64: encoded })).toMatchObject({
    issues: [{ path: 'image', message: notBase64 }],
  })
  expect(await errorOf(encoded)).toBeInstanceOf(InvalidParamsError)
})

it('accepts streams of ArrayBuffers', async () => {
  const chunks = [new Uint8Array([0x89]).buffer, latin1('PNG\r\n'), new Uint8Array([0x1a, 0x0a, 7]).buffer]

  const { bytes, type } = await sent(Readable.from(chunks, { objectMode: true }))

  expect(type).toBe('image/png')
  expect(bytes).toEqual(new Uint8Array(latin1('\x89PNG\r\n\x1a\n\x07')))
})

it('accepts an async iterable that has only the method next', async () => {
  const chunks = [png, images.jpeg]
  const next = async () => {
    const value = chunks.shift()
    return value === undefined ? { value, done: true } : { value }
  }

  const { bytes } = await sent({ [Symbol.asyncIterator]: () => ({ next }), destroy: 'not a function' })

  expect(bytes).toEqual(new Uint8Array(Buffer.concat([png, images.jpeg])))
})

/** A web stream as in older versions of Safari, where streams are not iterable. */
function notIterable(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return new Proxy(stream, {
    has: (target, name) => name !== Symbol.asyncIterator && name in target,
    get: (target, name) => {
      const member: unknown = name === Symbol.asyncIterator ? undefined : Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

it('accepts a web stream that is not iterable', async () => {
  const chunks = [png.subarray(0, 5), png.subarray(5), images.jpeg]
  const stream = Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>

  const { bytes } = await sent(notIterable(stream))

  expect(bytes).toEqual(new Uint8Array(Buffer.concat(chunks)))
})

it('cancels a web stream that is not iterable if another image could not be opened', async () => {
  let onCancel = () => {}
  const canceled = new Promise<void>((resolve) => {
    onCancel = resolve
  })
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(png),
    cancel: onCancel,
  })
  const { client } = testClient({ fetch: noFetch })

  const call = client.checks.idVerification({
    front_image: notIterable(endless),
    back_image: () => Promise.reject(new Error('no')),
  })

  await expect(call).rejects.toMatchObject({
    name: 'ImageReadError',
    field: 'back_image',
  })
  await canceled
})

it.each([1, 3, 11, 12, 13])(
  'sends an image of %s bytes from any source, because the service decides about its content',
  async (size) => {
    const server = await loopbackServer(success(live))
    const { client } = testClient({ baseUrl: server.url, fetch: undefined })
    const image = png.subarray(0, size)
    const path = join(folder, `${size}.png`)
    writeFileSync(path, image)

    for (const input of [image, imageFromFile(path), Readable.from([image]), new Blob([image])]) {
      await client.checks.liveness({ image: input })
    }

    const parts = await Promise.all(server.requests.map((request) => uploadedImage(request)))
    expect(parts.map(({ bytes }) => bytes)).toEqual(Array(4).fill(image))
    const sizes = server.requests.map(({ headers }) => headers['content-length'])
    expect(sizes.every((length) => length !== undefined || size > 11)).toBe(true)
  },
)

it.each<[what: string, image: (path: string) => ImageInput]>([
  ['bytes', () => new Uint8Array()],
  ['a Blob', () => new Blob([])],
  ['a file', (path) => imageFromFile(path)],
  ['a stream', () => Readable.from([])],
  ['a function that returns bytes', () => () => new Uint8Array()],
])('rejects an image without bytes from %s before anything is sent', async (_, image) => {
  const path = join(folder, 'empty.png')
  writeFileSync(path, '')

  expect(await errorOf(image(path))).toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ path: 'image', message: expect.stringMatching(/^has no bytes\. A form without a chosen file/) }],
  })
})

const otherFormats = [
  ['a PDF', '%PDF-1.7\n%'],
  ['a PDF', '\xef\xbb\xbf@PJL SET RESOLUTION=600\n%PDF-1.4\n'],
  ['an archive', 'PK\u0003\u0004\u0014'],
  ['an archive', '\u00fd7zXZ\u0000'],
  ['an archive', '(\u00b5/\u00fd\u0004'],
  ['a page of HTML', '\n<!DOCTYPE html><html>'],
  ['XML', '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'],
  ['XML', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['JSON', '{ "image": "aGVsbG8=" }'],
  ['JSON', '[255,216,255,224]'],
  ['text in base64', '"/9j/4AAQSkZJRg=="'],
  ['text in base64', 'AAAAHGZ0eXBoZWlj'],
  ['text in base64', 'data:image/png;base64,iVBORw0KGgo='],
] as const

/** As a parser of forms cuts its first chunk. */
const inPieces = (text: string) => text.match(/.{1,14}/gs)?.map((piece) => Buffer.from(piece, 'latin1')) ?? []

it.each(
  otherFormats.flatMap(([what, text]) =>
    (['multipart', 'json'] as const).flatMap((encoding) => [
      [what, encoding, 'bytes', () => Buffer.from(text, 'latin1')] as const,
      [what, encoding, 'a stream', () => Readable.from([...inPieces(text), noise(100_000)])] as const,
      [what, encoding, 'base64', () => ({ base64: Buffer.from(text, 'latin1').toString('base64') })] as const,
    ]),
  ),
)('rejects %s, sent as %s from %s, before it is billed', async (what, encoding, _, image) => {
  const { client } = testClient({ fetch: noFetch })

  const error = await thrownBy(client.checks.liveness({ image: image() }, { encoding }))

  expect(error).toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ path: 'image', message: `is ${what}, not an image` }],
  })
})

it.each(['bytes', 'bytes.buffer', 'Readable.from([bytes])'])(
  'accepts %s of another realm, as in code that a host runs in a vm context',
  async (expression) => {
    const bytes = runInNewContext('Uint8Array.from(values)', { values: [...png] })
    const image = runInNewContext(expression, { bytes, Readable })

    expect((await sent(image)).type).toBe('image/png')
  },
)

it.each<[what: string, image: (frame: Uint8Array<ArrayBuffer>) => ImageInput]>([
  ['bytes', (frame) => frame],
  ['an ArrayBuffer', (frame) => frame.buffer],
  ['named bytes', (data) => ({ data, filename: 'frame.png' })],
])('sends %s as they were when the call was made, although the memory is used again', async (_, image) => {
  const { fetch, requests } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })
  const frame = Uint8Array.from([...png, 1])

  const call = client.checks.liveness({ image: image(frame) })
  frame[png.length] = 2
  await call

  expect((await uploadedImage(requests[0])).bytes.at(-1)).toBe(1)
})

it('accepts a Blob of another class, and a response that a function returns', async () => {
  const { size, type } = new Blob([png], { type: 'image/png' })
  const own = { size, type, stream: () => new Blob([png]).stream(), arrayBuffer: () => new Blob([png]).arrayBuffer() }

  expect((await sent(own)).type).toBe('image/png')
  expect((await sent(() => new Response(png))).type).toBe('image/png')
})

it('reads the names and the size of an image from getters, as objects of databases have them', async () => {
  const stored = (size: number) => ({
    get data() {
      return png
    },
    get filename() {
      return 'me.png'
    },
    get size() {
      return size
    },
  })

  expect((await sent(stored(png.length))).filename).toBe('me.png')
  expect(await errorOf(stored(png.length + 1))).toMatchObject({ name: 'InvalidParamsError' })
})

it('rejects a request with a form, and a response that failed, that a function returns', async () => {
  const form = new Request('https://app.example.test', { method: 'POST', body: new FormData() })

  expect(await errorOf(() => form)).toMatchObject({ issues: [{ message: expect.stringContaining('with a form') }] })
  expect(await errorOf(() => new Response('Not Found', { status: 404 }))).toMatchObject({
    issues: [{ message: 'is a response with the status 404, not an image' }],
  })
})

it('a Blob that cannot be read is an ImageReadError', async () => {
  const unreadable = {
    size: 3,
    stream() {},
    arrayBuffer() {
      throw new Error('gone')
    },
  }

  expect(await errorOf(unreadable)).toMatchObject({ name: 'ImageReadError' })
})
