import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import type { Fault } from '../../src/emulator.ts'
import { noise } from '../http/body/uploaded-image.ts'
import { documentedCode } from '../support/documented-code.ts'
import { unusedUrl } from '../support/loopback-server.ts'

const guide = documentedCode('docs/guides/images.md')
const { emulator } = guide
const picture = new Uint8Array(100_000).fill(1)
const MiB = 2 ** 20

interface Failures {
  uploadFailure(error: unknown): { status: number }
}

/** The errors for which the servers have chosen a status. */
const errors: unknown[] = []
let modules: Readonly<Record<string, Readonly<Record<string, unknown>>>>

beforeAll(async () => {
  for (const name of ['id-front.jpg', 'selfie.jpg']) await writeFile(join(guide.installed.project, name), picture)
  const failures = await guide.load<Failures>('Respond to the browser')
  const uploadFailure = (error: unknown) => {
    errors.push(error)
    return failures.uploadFailure(error)
  }
  const keys = await guide.load<Readonly<Record<string, unknown>>>('Bill each photo once')
  modules = { './photo-key.ts': keys, './upload-failure.ts': { ...failures, uploadFailure } }
})

beforeEach(() => {
  errors.length = 0
  emulator.reset()
})

it('each form of image is sent completely', async () => {
  const printed = await guide.run('Forms of an image')

  expect(printed).toBe('passed\n'.repeat(11))
  expect(emulator.requests).toHaveLength(11)
  for (const { bytes } of emulator.requests) {
    expect(bytes).toBeGreaterThan(picture.byteLength)
    expect(bytes).toBeLessThan(picture.byteLength + 1000)
  }
})

it('progress is reported up to the last byte, and JSON is a third larger', async () => {
  const printed = await guide.run('Choose the encoding and report progress')

  const steps = printed
    .trim()
    .split('\n')
    .map((line) => line.match(/\d+/g)?.map(Number) ?? [])
  const [loaded = 0, total = 0] = steps.at(-1) ?? []
  expect(loaded).toBe(total)
  expect(total).toBeGreaterThan(picture.byteLength)
  expect(emulator.requests.map(({ bytes }) => Math.round((bytes / picture.byteLength) * 100))).toEqual([100, 133])
})

const servers = [
  ['busboy', '/selfie/id-of-photo'],
  ['multer', '/selfie'],
] as const

const handler = 'Hono, Next.js and other handlers of requests'

interface Route {
  POST(request: Request): Promise<Response>
}

/** What a browser sends if no photo was chosen. */
const notChosen = 'not chosen'

type Photo = Uint8Array<ArrayBuffer> | typeof notChosen | undefined

function formOf(photo: Photo, field = 'image'): FormData {
  const form = new FormData()
  if (photo === notChosen) form.set(field, new Blob([]), '')
  else if (photo)
    form.set(field, new Blob([photo]), `${randomUUID()}.jpg`) // as a camera names each picture
  else form.set('other', 'field')
  return form
}

/** Uploads a photo as a browser does, which sends everything before it reads. @returns the status of the response */
async function upload(url: string, photo: Photo, { field = 'image', cut = 0 } = {}): Promise<number | undefined> {
  const form = new Response(formOf(photo, field))
  const contentType = String(form.headers.get('content-type'))
  const request = httpRequest(url, { method: 'POST', headers: { 'content-type': contentType } })
  const body = Buffer.from(await form.arrayBuffer())
  request.end(body.subarray(0, body.length - cut))
  const [[response]] = (await Promise.all([once(request, 'response'), once(request, 'finish')])) as [
    [IncomingMessage],
    unknown,
  ]
  await once(response.resume(), 'end')
  return response.statusCode
}

/** The sizes of the requests that the service has received completely. */
const executed = () => emulator.requests.filter(({ status }) => status !== undefined).map(({ bytes }) => bytes)

it.each(servers)('%s %s passes a photo on completely', async (name, path) => {
  const photo = noise(5 * MiB)

  await guide.whileServing(
    name,
    async (port) => {
      const url = `http://127.0.0.1:${port}${path}`
      expect(await upload(url, photo)).toBe(200)
      for (const photo of [notChosen, undefined] as const) expect(await upload(url, photo)).toBe(400)
      expect(errors).toEqual([])
    },
    { modules },
  )

  const sizes = executed()
  expect(sizes).toHaveLength(1)
  expect(sizes[0]).toBeGreaterThan(photo.byteLength)
  expect(sizes[0]).toBeLessThan(photo.byteLength + 1000)
})

/** The service executes each call, and its response never reaches the app. */
const lostResponses: Fault = { status: 503, headers: { 'retry-after': '0' }, when: 'after', times: Infinity }

it.each(servers)('%s %s bills a photo once, also if its outcome was unknown at first', async (name, path) => {
  emulator.faults.add(lostResponses)

  await guide.whileServing(
    name,
    async (port) => {
      const url = `http://127.0.0.1:${port}${path}`
      expect(await upload(url, noise(100))).toBe(503)
      emulator.faults.clear()
      expect(await upload(url, noise(100))).toBe(200)
      expect(emulator.ledger).toHaveLength(1)

      expect(await upload(name === 'busboy' ? `${url}-2` : url, noise(101))).toBe(200)
      expect(emulator.ledger).toHaveLength(2)
    },
    { modules },
  )
})

it.each(servers)('%s %s responds with 400 to an upload that is cut short, and bills nothing', async (name, path) => {
  await guide.whileServing(
    name,
    async (port) => {
      const url = `http://127.0.0.1:${port}${path}`
      for (const cut of [60, 150]) expect(await upload(url, noise(100), { cut })).toBe(400)
      expect(emulator.ledger).toEqual([])
    },
    { modules },
  )
})

it('multer responds with 400 to a photo in another field', async () => {
  await guide.whileServing(
    'multer',
    async (port) => {
      expect(await upload(`http://127.0.0.1:${port}/selfie`, noise(100), { field: 'photo' })).toBe(400)
    },
    { modules },
  )
})

it('a photo has another key for another person and for another check', async () => {
  const { photoKey } = await guide.load<{ photoKey(...about: unknown[]): Promise<string> }>('Bill each photo once')
  const photos = [
    ['liveness', 'ada', [noise(100)]],
    ['liveness', 'ada', [noise(40), noise(100).subarray(40)]],
    ['liveness', 'bo', [noise(100)]],
    ['idVerification', 'ada', [noise(100)]],
    ['liveness', 'ada', [noise(101)]],
  ]

  const keys = await Promise.all(photos.map((photo) => photoKey(...photo)))

  expect(keys[1]).toBe(keys[0])
  expect(new Set(keys).size).toBe(4)
  expect(keys.every((key) => /^[0-9a-f]{64}$/.test(key))).toBe(true)
})

it.each(servers)('%s %s rejects a photo that is too large, and bills nothing', async (name, path) => {
  // multer has a limit of its own.
  const status = name === 'multer' ? 413 : 422
  await guide.whileServing(
    name,
    async (port) => {
      const url = `http://127.0.0.1:${port}${path}`
      for (const size of [20 * MiB, 20 * MiB + 1, 26 * MiB]) expect(await upload(url, noise(size))).toBe(status)
      expect(executed()).toEqual([])
      expect(await upload(url, noise(100))).toBe(200)
    },
    { modules },
  )
})

/** Starts an upload, and leaves as soon as `received` resolves. */
async function leave(port: number, path: string, received: () => Promise<unknown>): Promise<void> {
  const browser = connect(port, '127.0.0.1')
  await once(browser, 'connect')
  const part = 'content-disposition: form-data; name="image"; filename="me.jpg"\r\n\r\n'
  const head = `host: app\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: ${9 * MiB}`
  browser.write(`POST ${path} HTTP/1.1\r\n${head}\r\n\r\n--x\r\n${part}`)
  await new Promise((resolve) => browser.write(noise(300_000), resolve))
  await received()
  browser.resetAndDestroy()
}

const requestArrives = () => expect.poll(() => emulator.requests.length).toBe(1)

it.each([
  ['busboy', '/selfie/id-of-photo', requestArrives, ['ImageReadError']],
  ['multer', '/selfie', async () => {}, ['Error']],
] as const)('%s %s goes on if a browser leaves, and bills nothing', async (name, path, received, failures) => {
  await guide.whileServing(
    name,
    async (port) => {
      await leave(port, path, received)
      await expect.poll(() => errors.map((error) => (error as Error).name)).toEqual(failures)
      expect(executed()).toEqual([])

      expect(await upload(`http://127.0.0.1:${port}${path}`, noise(100))).toBe(200)
    },
    { modules },
  )
})

it('busboy responds to a browser although the service cannot be reached', async () => {
  await guide.whileServing(
    'busboy',
    async (port) => {
      const url = `http://127.0.0.1:${port}/selfie/id-of-photo`
      for (let i = 0; i < 3; i++) expect(await upload(url, noise(9 * MiB))).toBe(503)
    },
    { modules, env: { SVC_BASE_URL: unusedUrl } },
  )
})

const url = 'https://app.example/selfie'

it('a handler of requests passes a photo on, and rejects what is too large or missing', async () => {
  const { POST } = await guide.load<Route>(handler, { modules })
  const statuses: number[] = []
  for (const photo of [noise(100), noise(20 * MiB), notChosen, undefined] as const) {
    const { status } = await POST(new Request(url, { method: 'POST', body: formOf(photo) }))
    statuses.push(status)
  }

  expect(statuses).toEqual([200, 422, 400, 400])
  expect(executed()).toHaveLength(1)
})

it('a handler of requests bills a photo once, also if its outcome was unknown at first', async () => {
  const { POST } = await guide.load<Route>(handler, { modules })
  const visit = () => POST(new Request(url, { method: 'POST', body: formOf(noise(100)) }))
  emulator.faults.add(lostResponses)

  expect((await visit()).status).toBe(503)
  emulator.faults.clear()
  expect((await visit()).status).toBe(200)
  expect(emulator.ledger).toHaveLength(1)
})

it('a handler of requests sends nothing if the browser leaves', async () => {
  const { POST } = await guide.load<Route>(handler, { modules })
  const { headers, body } = new Request(url, { method: 'POST', body: formOf(noise(MiB)) })
  const first = await (body as ReadableStream<Uint8Array>).getReader().read()
  const broken = new ReadableStream({
    start: (controller) => controller.enqueue(first.value),
    pull: (controller) => controller.error(new Error('aborted')),
  })
  const request = { method: 'POST', headers, body: broken, duplex: 'half' } as RequestInit

  expect((await POST(new Request(url, request))).status).toBe(400)
  expect(emulator.requests).toEqual([])
})
