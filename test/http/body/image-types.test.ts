import { openAsBlob, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { maxImageBytes } from '../../../src/contract/service.ts'
import type { ImageInput } from '../../../src/verification.ts'
import { images, livenessCheck, standalone } from '../../support/fixtures.ts'
import { loopbackServer, success } from '../../support/loopback-server.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { clientOver, transports } from '../../support/transports.ts'
import { testClient } from '../../support/verification-client.ts'

const live = standalone(livenessCheck())
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const inBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const [pooled] = transports

/** The image as it went out. */
async function sent(image: unknown) {
  const { fetch, requests: given } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })
  await client.checks.liveness({ image: image as ImageInput })
  const [{ headers, body }] = given as [(typeof given)[0]]
  const form = await new Response(new Uint8Array(body), { headers }).formData()
  const file = form.get('image') as File
  return { filename: file.name, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) }
}

const refused = (image: unknown) => {
  const { client } = testClient({ fetch: () => expect.fail('something was sent') })
  return client.checks.liveness({ image: image as ImageInput }).then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  )
}

it.each([
  ['\xff\xd8\xff', 'image/jpeg', 'image.jpg'],
  ['\xff\xd8', 'application/octet-stream', 'image'],
  ['\x89PNG\r\n\x1a\n', 'image/png', 'image.png'],
  ['\x89PNG\r\n\x1a', 'application/octet-stream', 'image'],
  ['RIFF\xff\0\0\0WEBP', 'image/webp', 'image.webp'],
  ['RIFX\xff\0\0\0WEBP', 'application/octet-stream', 'image'],
  ['RIFF\xff\0\0\0WEB', 'application/octet-stream', 'image'],
  ['\0\0\0\x18ftypheic', 'image/heic', 'image.heic'],
  ['\0\0\0\x18ftypheix', 'image/heic', 'image.heic'],
  ['\0\0\0\x18ftypheim', 'image/heic', 'image.heic'],
  ['\0\0\0\x18ftypheis', 'image/heic', 'image.heic'],
  ['\0\0\0\x18ftyphevc', 'image/heic', 'image.heic'],
  ['\0\0\0\x18ftyphevx', 'image/heic', 'image.heic'],
  ['\0\0\0\x18ftypmif1', 'image/heic', 'image.heic'],
  ['\0\0\0\x18ftypmsf1', 'image/heic', 'image.heic'],
  ['\0\0\0\x18ftyp', 'application/octet-stream', 'image'],
  ['\0\0\0\x18ftypmp42', 'application/octet-stream', 'image'],
  ['\0\0\0\x18moovheic', 'application/octet-stream', 'image'],
])('bytes that begin %j are sent as %s, named %s', async (start, type, filename) => {
  const bytes = latin1(start)

  for (const image of [bytes, { data: inBase64(bytes) }, Readable.from([bytes])]) {
    expect(await sent(image)).toEqual({ filename, type, bytes })
  }
})

it.each<[what: string, image: unknown, type: string, filename: string]>([
  ['a contentType', { data: images.png, contentType: 'image/webp' }, 'image/webp', 'image.webp'],
  ['one without an ending', { data: images.png, contentType: 'image/avif' }, 'image/avif', 'image'],
  ['a filename', { data: images.png, filename: 'me.gif' }, 'image/png', 'me.gif'],
  ['the type of a Blob', new Blob([images.png], { type: 'image/heic' }), 'image/heic', 'image.heic'],
  ['a Blob whose type is none', new Blob([images.png], { type: 'png' }), 'image/png', 'image.png'],
  ['the name of a File', new File([images.png], 'me'), 'image/png', 'me'],
  ['a filename over a name', { data: new File([images.png], 'a'), filename: 'b' }, 'image/png', 'b'],
  ['the type of a data URL', `data:image/HEIC;base64,${inBase64(images.png)}`, 'image/heic', 'image.heic'],
  ['a data URL without one', `data:;base64,${inBase64(images.png)}`, 'image/png', 'image.png'],
  [
    'a contentType over it',
    { data: `data:image/heic;base64,${inBase64(images.png)}`, contentType: 'image/webp' },
    'image/webp',
    'image.webp',
  ],
])('what the caller says of an image wins over its first bytes: %s', async (_, image, type, filename) => {
  expect(await sent(image)).toEqual({ filename, type, bytes: Buffer.from(images.png) })
})

const notAnImage = 'must be bytes, a stream, base64 or a data URL. To read a file, pass imageFromFile(path)'

it.each<[what: string, image: unknown, message: string]>([
  ['null', null, notAnImage],
  ['a number', 7, notAnImage],
  ['an empty string', '', notAnImage],
  ['a list', [images.png], notAnImage],
  ['an object without data', { image: images.png }, notAnImage],
  ['an object with empty data', { data: '' }, notAnImage],
  ['text', 'a passport', notAnImage],
  ['an empty contentType', { data: images.png, contentType: '' }, 'has an invalid contentType'],
  ['an empty filename', { data: images.png, filename: '' }, 'has an invalid filename'],
])('the message says what is wrong with an image: %s', async (_, image, message) => {
  expect(await refused(image)).toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ path: 'image', message }],
  })
})

it('base64 may have spaces and line breaks around it', async () => {
  expect((await sent(`\n  ${inBase64(images.png)} \r\n`)).bytes).toEqual(Buffer.from(images.png))
})

const almostTooLarge = Buffer.alloc(maxImageBytes - 1)

it.each<[what: string, image: () => ImageInput]>([
  ['base64', () => inBase64(almostTooLarge)],
  ['a data URL', () => `data:image/png;base64,${inBase64(almostTooLarge)}`],
  ['a Blob', () => new Blob([almostTooLarge])],
  ['a stream', () => Readable.from([almostTooLarge])],
])('%s of one byte less than 20 MiB is sent', async (_, image) => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(pooled, server.url)

  await client.checks.liveness({ image: image() })

  expect(server.requests[0]?.body.includes(almostTooLarge)).toBe(true)
})

it.each(['multipart', 'json'] as const)('a stream of 20 MiB is refused: %s', async (encoding) => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(pooled, server.url)
  const image = Readable.from([almostTooLarge, Buffer.alloc(1)])

  await expect(client.checks.liveness({ image }, { encoding })).rejects.toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ path: 'image', message: 'must be smaller than 20 MiB' }],
  })

  expect(image.destroyed).toBe(true)
  expect(server.requests).toEqual([])
})

it('a stream may give its bytes as ArrayBuffers, or as text', async () => {
  const chunks = [new Uint8Array([0x89]).buffer, 'PNG\r\n', new Uint8Array([0x1a]), '\né']

  const { bytes, type } = await sent(Readable.from(chunks, { objectMode: true }))

  expect(type).toBe('image/png')
  expect(bytes).toEqual(Buffer.concat([latin1('\x89PNG\r\n\x1a\n'), Buffer.from('é')]))
})

it('a stream of something else says so in the cause', async () => {
  expect(await refused(Readable.from([7]))).toMatchObject({
    issues: [{ path: 'image', message: 'could not be read' }],
    cause: new TypeError('the stream contains something other than bytes'),
  })
})

it('an iterable need have no more than what iterables must have', async () => {
  const chunks = [images.png, images.jpeg]
  const next = async () => {
    const value = chunks.shift()
    return value === undefined ? { value, done: true } : { value }
  }

  const { bytes } = await sent({ [Symbol.asyncIterator]: () => ({ next }), destroy: 'no function' })

  expect(bytes).toEqual(Buffer.concat([images.png, images.jpeg]))
})

/** Older Safari has no iterable streams. */
function notIterable(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  return new Proxy(stream, {
    has: (target, name) => name !== Symbol.asyncIterator && name in target,
    get: (target, name) => {
      const member: unknown = name === Symbol.asyncIterator ? undefined : Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

it('a web stream that cannot be iterated is sent as well', async () => {
  const chunks = [images.png.subarray(0, 5), images.png.subarray(5), images.jpeg]

  const { bytes } = await sent(
    notIterable(Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>),
  )

  expect(bytes).toEqual(Buffer.concat(chunks))
})

it('a web stream that cannot be iterated is let go of when another image cannot be had', async () => {
  const cancelled: boolean[] = []
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(images.png),
    cancel: () => void cancelled.push(true),
  })
  const { client } = testClient({ fetch: () => expect.fail('something was sent') })

  const call = client.checks.idVerification({
    front_image: notIterable(endless),
    back_image: () => Promise.reject(new Error('no')),
  })

  await expect(call).rejects.toMatchObject({
    issues: [{ path: 'back_image', message: 'could not be opened' }],
  })
  await expect.poll(() => cancelled).toEqual([true])
})

it('an image in memory beside one that cannot be had changes nothing about the error', async () => {
  const { client } = testClient({ fetch: () => expect.fail('something was sent') })
  const broken = new Error('no')

  const call = client.checks.idVerification({
    front_image: images.png,
    back_image: () => Promise.reject(broken),
  })

  await expect(call).rejects.toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ path: 'back_image', message: 'could not be opened' }],
    cause: broken,
  })
})

it('a Blob whose file has changed could not be read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sdk-blob-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'me.png')
  writeFileSync(path, images.png)
  const blob = await openAsBlob(path)
  writeFileSync(path, Buffer.concat([images.png, images.png]))

  expect(await refused(blob)).toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ path: 'image', message: 'could not be read' }],
    cause: { name: 'NotReadableError' },
  })
})

it('in memory a fetch is given the whole body at once, as a stream only where its progress is told', async () => {
  const bodies: unknown[] = []
  const { fetch } = scriptedFetch(succeed(live))
  const { client } = testClient({
    fetch: (input, init) => {
      bodies.push(init?.body)
      return fetch(input, init)
    },
  })

  await client.checks.liveness({ image: images.png })
  await client.checks.liveness({ image: images.png }, { encoding: 'json' })
  await client.checks.liveness({ image: images.png }, { onUploadProgress: () => {} })

  expect(bodies).toEqual([expect.any(Uint8Array), expect.any(String), expect.any(ReadableStream)])
})
