import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { maxImageBytes } from '../../../src/contract/service.ts'
import { type ImageInput, InvalidParamsError, imageFromFile } from '../../../src/index.ts'
import { livenessCheck, standalone } from '../../support/fixtures.ts'
import { loopbackServer, success } from '../../support/loopback-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { clientOver, forEachTransport, transports } from '../../support/transports.ts'
import { testClient } from '../../support/verification-client.ts'

const folder = temporaryFolder()
const [undici] = transports
const live = standalone(livenessCheck())
const atTheLimit = new Uint8Array(maxImageBytes)
const underTheLimit = Buffer.alloc(maxImageBytes - 1)
const inBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const tooLarge = [{ path: 'image', message: 'must be smaller than 20 MiB' }]

it.each<[what: string, image: () => unknown]>([
  ['bytes', () => atTheLimit],
  ['an ArrayBuffer', () => atTheLimit.buffer],
  ['a Blob', () => new Blob([atTheLimit])],
  ['base64', () => ({ base64: 'A'.repeat((maxImageBytes / 3) * 4 + 4) })],
  ['a data URL', () => `data:image/png;base64,${'A'.repeat((maxImageBytes / 3) * 4 + 4)}`],
  [
    'a file',
    () => {
      const path = join(folder, 'limit.png')
      writeFileSync(path, atTheLimit)
      return imageFromFile(path)
    },
  ],
  ['a function', () => () => atTheLimit],
  ['bytes with a filename', () => ({ data: atTheLimit, filename: 'a.png' })],
])('rejects %s of 20 MiB before anything is sent', async (_, image) => {
  const { client } = testClient({ fetch: () => expect.fail('something was sent') })

  const error = await thrownBy(client.checks.liveness({ image: image() as ImageInput }))

  expect(error).toMatchObject({ name: 'InvalidParamsError', issues: tooLarge })
})

it.each<[what: string, image: () => ImageInput]>([
  ['bytes', () => underTheLimit],
  ['base64', () => ({ base64: inBase64(underTheLimit) })],
  ['a data URL', () => `data:image/png;base64,${inBase64(underTheLimit)}`],
  ['a Blob', () => new Blob([underTheLimit])],
  ['a stream', () => Readable.from([underTheLimit])],
])('sends %s of one byte less than 20 MiB', async (_, image) => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(undici, server.url)

  await client.checks.liveness({ image: image() })

  expect(server.requests[0]?.body.includes(underTheLimit)).toBe(true)
})

it.each(['multipart', 'json'] as const)('rejects a stream of 20 MiB with encoding %s', async (encoding) => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(undici, server.url)
  const image = Readable.from([underTheLimit, Buffer.alloc(1)])

  await expect(client.checks.liveness({ image }, { encoding })).rejects.toMatchObject({
    name: 'InvalidParamsError',
    issues: tooLarge,
  })

  expect(image.destroyed).toBe(true)
  expect(server.requests).toEqual([])
})

forEachTransport('$name: stops an endless stream at 20 MiB, without a retry', async (transport) => {
  let received = 0
  const server = await loopbackServer(() => received++)
  const { client } = clientOver(transport, server.url)
  const mebibyte = new Uint8Array(2 ** 20)
  const endless = async function* () {
    for (;;) yield mebibyte
  }

  const error = await thrownBy(client.checks.liveness({ image: () => endless() }))

  expect(error).toBeInstanceOf(InvalidParamsError)
  expect(error).toMatchObject({ issues: tooLarge, attempts: 1 })
  expect(error).toHaveProperty('idempotencyKey')
  expect(received).toBe(0)
})
