import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { imageFromFile } from '../../../src/index.ts'
import { combined, images, livenessCheck, standalone } from '../../support/fixtures.ts'
import { loopbackServer, success } from '../../support/loopback-server.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { clientOver, forEachTransport } from '../../support/transports.ts'
import { apiKey, testClient } from '../../support/verification-client.ts'
import { formOf, noise, sameBytes, split, uploadedImage } from './uploaded-image.ts'

const folder = temporaryFolder()
const { png } = images
const live = standalone(livenessCheck())

const imageInFile = (name: string, bytes: Uint8Array) => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return imageFromFile(path)
}

forEachTransport('$name: sends an image in memory with its exact length', async (transport) => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(transport, server.url)
  const image = noise(700_000)

  await client.checks.liveness({ image })

  const [request] = server.requests
  expect(request?.headers['content-length']).toBe(String(request?.body.byteLength))
  expect(request?.headers['transfer-encoding']).toBeUndefined()
  expect(sameBytes((await uploadedImage(request)).bytes, image)).toBe(true)
})

forEachTransport('$name: streams a file with its exact length', async (transport) => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(transport, server.url)
  const image = noise(700_000)

  await client.checks.liveness({ image: imageInFile('large.jpg', image) })

  const [request] = server.requests
  expect(request?.headers['content-length']).toBe(String(request?.body.byteLength))
  const { bytes, ...named } = await uploadedImage(request)
  expect(named).toEqual({ filename: 'large.jpg', type: 'application/octet-stream' })
  expect(sameBytes(bytes, image)).toBe(true)
})

forEachTransport('$name: sends a stream of unknown length in chunks', async (transport) => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(transport, server.url)
  const image = noise(700_000)

  await client.checks.liveness({ image: Readable.from(split(image, [5, 299_995])) })

  const [request] = server.requests
  expect(request?.headers['transfer-encoding']).toBe('chunked')
  expect(sameBytes((await uploadedImage(request)).bytes, image)).toBe(true)
})

forEachTransport('$name: sends streams and buffers in one form, after the other fields', async (transport) => {
  const server = await loopbackServer(success(combined()))
  const { client } = clientOver(transport, server.url)
  const [front, back, selfie] = [noise(3_000_000), noise(2_500_000), noise(400_000)]

  await client.checks.kycCredential({
    front_image: imageInFile('front.jpg', front),
    back_image: new Response(back).body as ReadableStream<Uint8Array>,
    selfie,
    license_state: 'CA',
    license_type: 'RN',
    license_number: 'ü-1\r\n--x',
  })

  const [request] = server.requests
  if (!request) return expect.fail('nothing was sent')
  expect(sameBytes((await uploadedImage(request, 'front_image')).bytes, front)).toBe(true)
  expect(sameBytes((await uploadedImage(request, 'back_image')).bytes, back)).toBe(true)
  expect(sameBytes((await uploadedImage(request, 'selfie')).bytes, selfie)).toBe(true)
  const form = await formOf(request)
  expect([...form.keys()]).toEqual([
    'license_number',
    'license_state',
    'license_type',
    'front_image',
    'back_image',
    'selfie',
  ])
  expect(form.get('license_number')).toBe('ü-1\r\n--x')
})

it('escapes or replaces filenames, so that none can end its header', async () => {
  const { fetch, requests } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })
  const hostile = 'a"; name="role"\r\nContent-Type: text/html\r\n\r\n'

  await client.checks.liveness({ image: { data: png, filename: 'a"; name="role' } })
  await client.checks.liveness({ image: new File([png], hostile) })
  await client.checks.liveness({ image: imageInFile('line\nbreak".png', png) })

  const filenames = []
  for (const request of requests) {
    const text = Buffer.from(request.body).toString('latin1')
    expect(text.match(/Content-Type/g)).toHaveLength(1)
    filenames.push((await uploadedImage(request)).filename)
  }
  expect(filenames).toEqual(['a"; name="role', 'image.png', 'image.png'])
})

it('escapes field names, so that none can end its header', async () => {
  const { fetch, requests } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })

  await client.checks.liveness({ image: png }, { extraParams: { 'a"\r\nX-Evil: 1\r\n\r\n': 'x' } })

  expect(Buffer.from(requests[0]?.body ?? []).toString('latin1')).not.toContain('\r\nX-Evil')
})

it('sends objects as JSON fields, and omits undefined', async () => {
  const { fetch, requests } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })

  const extraParams = { extra: { b: 1, a: [true] }, flag: false, no: undefined }
  await client.checks.liveness({ image: png }, { extraParams: extraParams as never })

  const [request] = requests
  if (!request) return expect.fail('nothing was sent')
  const form = await formOf(request)
  expect(form.get('extra')).toBe('{"a":[true],"b":1}')
  expect(form.get('flag')).toBe('false')
  expect(form.has('no')).toBe(false)
})

it('computes the boundary as HMAC-SHA256 over the idempotency key, keyed with the API key', async () => {
  const { fetch, requests } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })

  await client.checks.liveness({ image: png }, { idempotencyKey: 'order-42' })

  const boundary = createHmac('sha256', apiKey).update('order-42').digest('hex')
  expect(requests[0]?.headers.get('content-type')).toBe(`multipart/form-data; boundary=${boundary}`)
})

it('passes a body in memory to fetch as a whole, and as a stream if progress is reported', async () => {
  const bodies: unknown[] = []
  const { fetch } = scriptedFetch(succeed(live))
  const { client } = testClient({
    fetch: (input, init) => {
      bodies.push(init?.body)
      return fetch(input, init)
    },
  })

  await client.checks.liveness({ image: png })
  await client.checks.liveness({ image: png }, { encoding: 'json' })
  await client.checks.liveness({ image: png }, { onUploadProgress: () => {} })

  expect(bodies).toEqual([expect.any(Uint8Array), expect.any(String), expect.any(ReadableStream)])
})
