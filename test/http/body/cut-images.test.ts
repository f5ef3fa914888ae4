import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import type { ImageInput } from '../../../src/index.ts'
import { images, livenessCheck, standalone } from '../../support/fixtures.ts'
import { loopbackServer, success } from '../../support/loopback-server.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { clientOver, forEachTransport, transports } from '../../support/transports.ts'
import { noise, sameBytes, uploadedImage } from './uploaded-image.ts'

const photo = Buffer.concat([images.jpeg, noise(300_000)])
const chunks = (bytes: Uint8Array) =>
  Readable.from([bytes.subarray(0, 5), bytes.subarray(5, 70_000), bytes.subarray(70_000)])

/** A request as a host passes it on, whose body may have been cut. */
function uploadOf(bytes: Uint8Array, headers: Record<string, string> = {}): Request {
  const body = Readable.toWeb(chunks(bytes)) as ReadableStream<Uint8Array>
  const init = {
    method: 'POST',
    body,
    duplex: 'half' as const,
    headers: { 'content-length': String(photo.byteLength), ...headers },
  }
  return new Request('https://app.example.test/photo', init)
}

const cut = photo.subarray(0, -1)

const wrong: [what: string, image: () => ImageInput, message: string][] = [
  [
    'a stream that ends early',
    () => ({ data: chunks(cut), size: photo.byteLength }),
    `has ${cut.byteLength} of ${photo.byteLength} bytes`,
  ],
  [
    'a stream that ends late',
    () => ({ data: chunks(photo), size: cut.byteLength }),
    `has more than ${cut.byteLength} bytes`,
  ],
  ['a stream without bytes', () => ({ data: Readable.from([]), size: 9 }), 'has 0 of 9 bytes'],
  [
    'bytes of another size',
    () => ({ data: cut, size: photo.byteLength }),
    `has ${cut.byteLength} of ${photo.byteLength} bytes`,
  ],
  ['a Request whose body was cut', () => uploadOf(cut), `has ${cut.byteLength} of ${photo.byteLength} bytes`],
  ['a Request of a given size', () => ({ data: uploadOf(photo), size: 7 }), 'has more than 7 bytes'],
  [
    'a Request with a form',
    () => uploadOf(photo, { 'content-type': 'multipart/form-data; boundary=x' }),
    'request.formData()',
  ],
  ['a Request without a body', () => new Request('https://app.example.test/'), 'must be bytes'],
  ['a size that is none', () => ({ data: photo, size: 0.5 }), 'invalid size'],
]

for (const [what, image, message] of wrong) {
  forEachTransport(`$name: never sends the end of ${what}`, async (transport) => {
    const server = await loopbackServer(success(standalone(livenessCheck())))
    const { client } = clientOver(transport, server.url)

    const error = await thrownBy(client.checks.liveness({ image: image() }))

    expect(error).toMatchObject({ name: 'InvalidParamsError', message: expect.stringContaining(message) })
    // The server lists a request when it has read all of it.
    expect(server.requests).toEqual([])
  })
}

it.each<[what: string, image: () => ImageInput]>([
  ['a stream of the given size', () => ({ data: chunks(photo), size: photo.byteLength })],
  ['a Request', () => uploadOf(photo)],
  ['a Request with a name', () => ({ data: uploadOf(photo), filename: 'image.jpg' })],
  [
    'a compressed Request, whose host has decompressed it',
    () => uploadOf(photo, { 'content-encoding': 'gzip', 'content-length': '9' }),
  ],
])('sends %s', async (_, image) => {
  const server = await loopbackServer(success(standalone(livenessCheck())))
  const { client } = clientOver(transports[0], server.url)

  await client.checks.liveness({ image: image() })

  const { bytes, ...named } = await uploadedImage(server.requests[0])
  expect(named).toEqual({ filename: 'image.jpg', type: 'image/jpeg' })
  expect(sameBytes(bytes, photo)).toBe(true)
})
