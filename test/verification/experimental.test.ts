import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import type { ImageRequestOptions } from '../../src/index.ts'
import type { ExperimentalBody } from '../../src/verification/experimental.ts'
import { images } from '../support/fixtures.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()
const { client } = testClient({ responseValidation: 'strict' })

const burst = (frames: number) => ({
  frames: Array.from({ length: frames }, (_, i) => `data:image/png;base64,ZnJhbWU${i}` as const),
})

const { antispoof, faceUniqueness } = client.experimental
const methods = [
  ['experimental.antispoof.check', '/antispoof', (body: ExperimentalBody) => antispoof.check(body)],
  ['experimental.antispoof.identity', '/antispoof/identity', (body: ExperimentalBody) => antispoof.identity(body)],
  ['experimental.faceUniqueness.check', '/face-uniqueness', (body: ExperimentalBody) => faceUniqueness.check(body)],
] as const

const accepted = [3, 4, 7, 8]

it.each(methods.flatMap(([name, path, call]) => accepted.map((frames) => ({ name, path, call, frames }))))(
  '$name sends a burst of $frames frames',
  async ({ path, call, frames }) => {
    service.respondTo(`POST /api/v2${path}`, ok(null))

    await call(burst(frames))

    expect(await service.requests[0]?.json()).toEqual(burst(frames))
  },
)

it.each(methods)('%s sends a single image or any other body, and returns any response', async (_, path, call) => {
  const body = { selfie: 'c2VsZmll', options: { depth: [1, 2] }, threshold: 0.5 }
  const result = { human_score: 0.2, later: ['field'] }
  service.respondTo(`POST /api/v2${path}`, ok(result))

  expect(await call(body)).toEqual(result)
  expect(await service.requests[0]?.json()).toEqual(body)
})

const jpeg = images.jpeg
const base64 = Buffer.from(jpeg).toString('base64')
const formOf = async (request: Request | undefined) => [...((await request?.formData()) ?? [])]

it.each(methods)('%s sends a single image as a file of a form', async (_, path, call) => {
  service.respondTo(`POST /api/v2${path}`, ok(null))

  await call({ image: Readable.from([jpeg]), device: 'kiosk-1' })

  const [device, image] = await formOf(service.requests[0])
  expect(device).toEqual(['device', 'kiosk-1'])
  expect(image?.[0]).toBe('image')
  expect(image?.[1]).toMatchObject({ type: 'image/jpeg', size: jpeg.byteLength })
})

it.each(methods)('%s sends frames in any form of image as base64 in JSON', async (_, path, call) => {
  service.respondTo(`POST /api/v2${path}`, ok(null))

  await call({ frames: [jpeg, new Blob([jpeg]), { base64 }, Readable.from([jpeg])] })

  expect(await service.requests[0]?.json()).toEqual({ frames: [base64, base64, base64, base64] })
})

it('sends images as the option encoding specifies', async () => {
  service.respondTo('POST /api/v2/antispoof', ok(null))
  service.respondTo('POST /api/v2/face-uniqueness', ok(null))

  await client.experimental.antispoof.check({ image: jpeg }, { encoding: 'json' })
  await client.experimental.faceUniqueness.check({ image: jpeg }, { encoding: 'multipart' })

  expect(await service.requests[0]?.json()).toEqual({ image: base64 })
  expect(await formOf(service.requests[1])).toMatchObject([['image', { type: 'image/jpeg' }]])
})

const tooLarge = new Uint8Array(20 * 1024 * 1024)

it.each<[what: string, body: ExperimentalBody, options: ImageRequestOptions, path: string]>([
  ['an image of 20 MiB', { image: tooLarge }, {}, 'image'],
  ['a frame of 20 MiB', { frames: [jpeg, jpeg, tooLarge] }, {}, 'frames.2'],
  ['2 frames of bytes', { frames: [jpeg, jpeg] }, {}, 'frames'],
  ['a frame that is not an image', { frames: [jpeg, jpeg, 7 as never] }, {}, 'frames.2'],
  ['a frame that is a path', { frames: [jpeg, jpeg, 'frames/3' as never] }, {}, 'frames.2'],
  ['an image that is a path', { image: 'uploads/passport' as never }, {}, 'image'],
  ['invalid base64', { image: { base64: 'a b' } }, {}, 'image'],
  ['bytes under another name', { selfie: jpeg }, {}, 'selfie'],
  ['base64 under another name', { selfie: { base64 } }, {}, 'selfie'],
  ['a stream under another name', { selfie: Readable.from([jpeg]) }, {}, 'selfie'],
  ['frames as a form', { frames: [jpeg, jpeg, jpeg] }, { encoding: 'multipart' }, 'encoding'],
  ['an unknown encoding', { image: jpeg }, { encoding: 'xml' as never }, 'encoding'],
])('rejects %s and sends nothing', async (_, body, options, path) => {
  await expect(client.experimental.antispoof.check(body, options)).rejects.toMatchObject({
    code: 'invalid_params',
    issues: [{ path }],
  })
})
