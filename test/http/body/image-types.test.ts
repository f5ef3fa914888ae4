// Beginnings of files: cspell:ignore ftypavif ftypheic ftypheim ftypheis ftypheix ftyphevc ftyphevx ftypmif
// cspell:ignore avifmiaf avismeta ftypmp ftypmsf heicmiaf moovheic

import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import type { ImageInput } from '../../../src/index.ts'
import { images, livenessCheck, standalone } from '../../support/fixtures.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { testClient } from '../../support/verification-client.ts'
import { split, uploadedImage } from './uploaded-image.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const inBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** Filename, type and bytes with which an image is sent. */
async function sent(image: unknown) {
  const { fetch, requests } = scriptedFetch(succeed(standalone(livenessCheck())))
  const { client } = testClient({ fetch })
  await client.checks.liveness({ image: image as ImageInput })
  return uploadedImage(requests[0])
}

it.each([
  ['\xff\xd8\xff', 'image/jpeg', 'image.jpg'],
  ['\xff\xd8', 'application/octet-stream', 'image'],
  ['\x89PNG\r\n\x1a\n', 'image/png', 'image.png'],
  ['\x89PNG\r\n\x1a', 'application/octet-stream', 'image'],
  ['\x89PNG', 'application/octet-stream', 'image'],
  ['RIFF\xff\0\0\0WEBP', 'image/webp', 'image.webp'],
  ['RIFX\xff\0\0\0WEBP', 'application/octet-stream', 'image'],
  ['RIFF\xff\0\0\0WEB', 'application/octet-stream', 'image'],
  ['RIFF....WAVE', 'application/octet-stream', 'image'],
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
  ['\0\0\0\x1cftypmif1\0\0\0\0mif1heicmiaf', 'image/heic', 'image.heic'],
  ['\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf', 'application/octet-stream', 'image'],
  ['\0\0\0\x18ftypmsf1\0\0\0\0avismeta', 'application/octet-stream', 'image'],
  // After the end of the box.
  ['\0\0\0\x14ftypmif1\0\0\0\0mif1avif', 'image/heic', 'image.heic'],
  ['....ftypavif', 'application/octet-stream', 'image'],
  ['\0\0\0\x18moovheic', 'application/octet-stream', 'image'],
])('sends an image that starts with %j as %s, with the filename %s', async (start, type, filename) => {
  const bytes = latin1(start)

  for (const image of [bytes, { base64: inBase64(bytes) }, Readable.from([bytes])]) {
    expect(await sent(image)).toEqual({ filename, type, bytes: new Uint8Array(bytes) })
  }
})

it.each([
  ['png', 'image/png', '.png'],
  ['jpeg', 'image/jpeg', '.jpg'],
  ['webp', 'image/webp', '.webp'],
  ['heic', 'image/heic', '.heic'],
  ['unknown', 'application/octet-stream', ''],
] as const)('detects the type %s of a stream with chunks of any size', async (kind, type, extension) => {
  const bytes = images[kind]

  for (const sizes of [[], [0], [1], [4, 4], [0, 0, 7, 0], [11], [12], Array(12).fill(1)]) {
    const image = Readable.from(split(bytes, sizes), { objectMode: true })
    expect(await sent(image)).toEqual({ filename: `image${extension}`, type, bytes: new Uint8Array(bytes) })
  }
})

it.each<[what: string, image: unknown, type: string, filename: string]>([
  ['a contentType', { data: images.png, contentType: 'image/webp' }, 'image/webp', 'image.webp'],
  ['a contentType without a known extension', { data: images.png, contentType: 'image/avif' }, 'image/avif', 'image'],
  ['a filename', { data: images.png, filename: 'me.gif' }, 'image/png', 'me.gif'],
  [
    'a contentType that says nothing',
    { data: images.png, contentType: 'application/octet-stream' },
    'application/octet-stream',
    'image',
  ],
  ['the bytes before the type of a Blob', new Blob([images.png], { type: 'image/heic' }), 'image/png', 'image.png'],
  [
    'the bytes of a Blob of an unknown type',
    new Blob([images.png], { type: 'application/octet-stream' }),
    'image/png',
    'image.png',
  ],
  [
    'the bytes of a File of an unknown type',
    new File([images.png], 'me', { type: 'binary/octet-stream' }),
    'image/png',
    'me',
  ],
  ['the bytes of a Blob with an invalid type', new Blob([images.png], { type: 'png' }), 'image/png', 'image.png'],
  ['the name of a File', new File([images.png], 'me'), 'image/png', 'me'],
  ['a filename before the name of a File', { data: new File([images.png], 'a'), filename: 'b' }, 'image/png', 'b'],
  [
    'the bytes before the type of a data URL',
    `data:image/HEIC;base64,${inBase64(images.png)}`,
    'image/png',
    'image.png',
  ],
  ['the bytes of a data URL without a type', `data:;base64,${inBase64(images.png)}`, 'image/png', 'image.png'],
  [
    'a contentType before the type of a data URL',
    { data: `data:image/heic;base64,${inBase64(images.png)}`, contentType: 'image/webp' },
    'image/webp',
    'image.webp',
  ],
])('takes type and filename of an image from %s', async (_, image, type, filename) => {
  expect(await sent(image)).toEqual({ filename, type, bytes: new Uint8Array(images.png) })
})

it.each<[what: string, image: unknown, type: string, filename: string]>([
  ['a Blob', new Blob([images.unknown], { type: 'image/avif' }), 'image/avif', 'image'],
  ['a data URL', `data:image/HEIC;base64,${inBase64(images.unknown)}`, 'image/heic', 'image.heic'],
  ['a generic Blob', new Blob([images.unknown], { type: 'binary/octet-stream' }), 'application/octet-stream', 'image'],
])('the type of %s applies if the bytes are of no known type', async (_, image, type, filename) => {
  expect(await sent(image)).toMatchObject({ filename, type })
})

it.each<[what: string, image: unknown]>([
  ['a contentType', { data: images.unknown, contentType: 'image/jpg' }],
  ['a Blob', new Blob([images.unknown], { type: 'image/jpg' })],
  ['a data URL', `data:image/jpg;base64,${inBase64(images.unknown)}`],
])('the type image/jpg of %s is sent as image/jpeg', async (_, image) => {
  expect(await sent(image)).toMatchObject({ filename: 'image.jpg', type: 'image/jpeg' })
})
