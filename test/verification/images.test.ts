import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, expect, it } from 'vitest'
import { type ImageInput, imageFromFile } from '../../src/index.ts'
import { images, livenessCheck, standalone } from '../support/fixtures.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { formOf } from '../support/sent-request.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()
const passport = join(temporaryFolder(), 'passport scan.png')

beforeAll(() => writeFile(passport, images.png))

const { png } = images
const base64 = Buffer.from(png).toString('base64')
const named = { filename: 'image.png', type: 'image/png' }
const webStream = () => new Response(png).body as ReadableStream<Uint8Array>

/** Each form of an image, created for each test, and the headers of its part in the form. */
const inputs: readonly (readonly [form: string, make: () => ImageInput, head: typeof named])[] = [
  ['a Uint8Array', () => png, named],
  ['a Buffer', () => Buffer.from(png), named],
  ['a window of a larger buffer', () => new Uint8Array([0, ...png, 0]).subarray(1, -1), named],
  ['an ArrayBuffer', () => Uint8Array.from(png).buffer, named],
  ['a Blob', () => new Blob([png]), named],
  ['a Blob of another type', () => new Blob([png], { type: 'image/x-own' }), named],
  ['a File', () => new File([png], 'me.png', { type: 'image/png' }), { ...named, filename: 'me.png' }],
  ['a Readable', () => Readable.from([png]), named],
  ['a Readable of single bytes', () => Readable.from(Array.from(png, (byte) => Buffer.of(byte))), named],
  ['a ReadableStream', webStream, named],
  ['base64', () => ({ base64 }), named],
  ['base64url', () => ({ base64: Buffer.from(png).toString('base64url') }), named],
  ['a data URL of type string', () => ({ base64: `data:image/png;base64,${base64}` }), named],
  [
    'base64 with a name and a type',
    () => ({ base64, filename: 'id.bin', contentType: 'image/tiff' }),
    { filename: 'id.bin', type: 'image/tiff' },
  ],
  ['a data URL', () => `data:image/png;base64,${base64}`, named],
  ['a function', () => () => png, named],
  [
    'a function that returns base64',
    () => async () => ({ base64, filename: 'id.png' }),
    { ...named, filename: 'id.png' },
  ],
  ['an async function that returns a stream', () => async () => Readable.from([png]), named],
  [
    'bytes with a name and a type',
    () => ({ data: png, filename: 'id.bin', contentType: 'image/tiff' }),
    { filename: 'id.bin', type: 'image/tiff' },
  ],
  [
    'a function with a name',
    () => ({ data: () => ({ base64, filename: 'other.png' }), filename: 'id.png' }),
    { ...named, filename: 'id.png' },
  ],
  ['a file', () => imageFromFile(passport), { ...named, filename: 'passport scan.png' }],
]

it.each(inputs)('sends %s as a file of the form', async (_, make, head) => {
  service.respondTo('POST /api/v2/liveness', ok(standalone(livenessCheck())))
  const { client } = testClient()

  await client.checks.liveness({ image: make() })

  expect(await formOf(service.requests[0] as Request)).toEqual({
    image: { ...head, bytes: Uint8Array.from(png) },
  })
})

it.each(inputs)("sends %s as base64 if encoding is 'json'", async (form, make) => {
  service.respondTo('POST /api/v2/liveness', ok(standalone(livenessCheck())))
  const { client } = testClient()

  await client.checks.liveness({ image: make() }, { encoding: 'json' })

  const request = service.requests[0] as Request
  expect(request.headers.get('content-type')).toBe('application/json')
  const image = form === 'a data URL' ? `data:image/png;base64,${base64}` : base64
  expect(await request.json()).toEqual({ image })
})
