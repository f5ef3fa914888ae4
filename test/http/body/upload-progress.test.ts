import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { type ImageInput, imageFromFile, type UploadProgress } from '../../../src/index.ts'
import { images, livenessCheck, standalone } from '../../support/fixtures.ts'
import { loopbackServer, success } from '../../support/loopback-server.ts'
import { fail, scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { clientOver, forEachTransport } from '../../support/transports.ts'
import { testClient } from '../../support/verification-client.ts'
import { noise } from './uploaded-image.ts'

const folder = temporaryFolder()
const live = standalone(livenessCheck())
const base64 = Buffer.from('all of the bytes').toString('base64')

forEachTransport('$name: reports the bytes sent and the total, and keeps the length', async (transport) => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(transport, server.url)
  const image = noise(300_000)
  const path = join(folder, 'progress.bin')
  writeFileSync(path, image)
  const inputs: ImageInput[] = [image, imageFromFile(path), Readable.from([image]), { base64 }]

  for (const input of inputs) {
    const steps: UploadProgress[] = []
    await client.checks.liveness({ image: input }, { onUploadProgress: (step) => void steps.push(step) })

    const request = server.requests.at(-1)
    const total = request?.body.byteLength
    const isSized = !(input instanceof Readable)
    const loaded = steps.map((step) => step.loaded)
    expect(steps.at(-1)).toStrictEqual(isSized ? { loaded: total, total } : { loaded: total })
    expect(loaded).toEqual(loaded.toSorted((a, b) => a - b))
    expect(steps.every((step) => step.total === (isSized ? total : undefined))).toBe(true)
    expect(request?.headers['content-length']).toBe(isSized ? String(total) : undefined)
  }
})

forEachTransport('$name: reports the progress of a JSON body', async (transport) => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(transport, server.url)
  const steps: UploadProgress[] = []

  await client.checks.liveness(
    { image: noise(100_000) },
    { encoding: 'json', onUploadProgress: (step) => void steps.push(step) },
  )

  const total = server.requests[0]?.body.byteLength
  expect(steps.length).toBeGreaterThan(1)
  expect(steps.at(-1)).toEqual({ loaded: total, total })
})

it.each(['multipart', 'json'] as const)(
  'reports the progress of a body in memory every 64 KiB, with encoding %s',
  async (encoding) => {
    const { fetch, requests } = scriptedFetch(succeed(live))
    const { client } = testClient({ fetch })
    const step = 64 * 1024
    const loaded: number[] = []
    const send = async (note: string) => {
      loaded.length = 0
      const onUploadProgress = (progress: UploadProgress) => void loaded.push(progress.loaded)
      await client.checks.liveness({ image: { base64 } }, { encoding, onUploadProgress, extraParams: { note } })
      return requests.at(-1)?.body.byteLength ?? 0
    }
    const unpadded = await send('.')

    const total = await send('.'.repeat(2 * step - unpadded + 1))
    expect(total).toBe(2 * step)
    expect(loaded).toEqual([step, 2 * step])

    await send('.'.repeat(2 * step - unpadded + 2))
    expect(loaded).toEqual([step, 2 * step, 2 * step + 1])
  },
)

it('starts the progress at zero again with each attempt', async () => {
  const { fetch } = scriptedFetch(fail(503, 'x'), succeed(live))
  const { client } = testClient({ fetch })
  const steps: number[] = []

  await client.checks.liveness({ image: images.png }, { onUploadProgress: ({ loaded }) => void steps.push(loaded) })

  expect(steps).toHaveLength(2)
  expect(steps[0]).toBe(steps[1])
})
