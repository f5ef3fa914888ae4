import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { isSdkError, memoryStore, VerificationClient } from '../../src/index.ts'
import { noise } from '../http/body/uploaded-image.ts'
import { documentedCode } from '../support/documented-code.ts'
import { unusedUrl } from '../support/loopback-server.ts'

const guide = documentedCode('docs/guides/photos-from-browsers.md')
const { emulator } = guide
const MiB = 2 ** 20

interface Failures {
  uploadFailure(error: unknown): { status: number }
}

/** The errors for which the servers have chosen a status. */
const errors: unknown[] = []
let modules: Readonly<Record<string, Readonly<Record<string, unknown>>>>

beforeAll(async () => {
  const failures = await guide.load<Failures>('Respond to the browser')
  const uploadFailure = (error: unknown) => {
    errors.push(error)
    return failures.uploadFailure(error)
  }
  modules = { './upload-failure.ts': { ...failures, uploadFailure } }
})

beforeEach(() => {
  errors.length = 0
  emulator.reset()
})

it('an empty wallet, a spend limit and a bug have statuses of their own', async () => {
  const { uploadFailure } = await guide.load<Failures>('Respond to the browser')
  const spendLimit = { calls: 1, perMs: 60_000, store: memoryStore() }
  const { verification } = emulator.options
  const limited = new VerificationClient({ ...verification, spendLimit })
  const check = (client: VerificationClient) => client.checks.liveness({ image: noise(100) })
  await check(limited)
  const stopped = await check(limited).catch((error: unknown) => error)
  emulator.faults.add({ match: 'checks.liveness', status: 402 })
  const unpaid = await check(new VerificationClient(verification)).catch((error: unknown) => error)
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => log.mockRestore())

  const failures = [stopped, unpaid, new TypeError('a bug')]
  expect(failures.map((error) => uploadFailure(error).status)).toEqual([429, 503, 500])
  expect(log.mock.calls).toEqual(failures.map((error) => [error]))
})

const servers = [
  ['busboy', '/selfie'],
  ['multer', '/selfie'],
  ['multer', '/document'],
  ['Fastify', '/selfie'],
] as const

const handler = 'Hono, Next.js and other handlers of requests'

interface Route {
  POST(request: Request): Promise<Response>
}

/** What a browser sends if no photo was chosen. */
const notChosen = 'not chosen'

type Photo = Uint8Array<ArrayBuffer> | typeof notChosen | undefined

function formOf(photo: Photo): FormData {
  const form = new FormData()
  if (photo === notChosen) form.set('image', new Blob([]), '')
  else if (photo) form.set('image', new Blob([photo]), 'me.jpg')
  else form.set('other', 'field')
  return form
}

/** Uploads a photo as a browser does, which sends everything before it reads. @returns the status of the response */
async function upload(url: string, photo: Photo): Promise<number | undefined> {
  const form = new Response(formOf(photo))
  const contentType = String(form.headers.get('content-type'))
  const request = httpRequest(url, { method: 'POST', headers: { 'content-type': contentType } })
  request.end(Buffer.from(await form.arrayBuffer()))
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
      for (const bytes of [photo, noise(5)]) expect(await upload(url, bytes)).toBe(200)
      for (const photo of [notChosen, undefined] as const) expect(await upload(url, photo)).toBe(400)
      expect(errors).toEqual([])
    },
    { modules },
  )

  const sizes = executed()
  expect(sizes).toHaveLength(2)
  expect(sizes[0]).toBeGreaterThan(photo.byteLength)
  expect(sizes[0]).toBeLessThan(photo.byteLength + 1000)
})

it.each(servers)('%s %s responds with 413 to a photo that is too large, and bills nothing', async (name, path) => {
  await guide.whileServing(
    name,
    async (port) => {
      const url = `http://127.0.0.1:${port}${path}`
      for (const size of [20 * MiB, 20 * MiB + 1, 26 * MiB]) expect(await upload(url, noise(size))).toBe(413)
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
  ['busboy', '/selfie', requestArrives],
  ['Fastify', '/selfie', requestArrives],
  ['multer', '/selfie', async () => {}],
  ['multer', '/document', async () => {}],
] as const)('%s %s goes on if a browser leaves, and bills nothing', async (name, path, received) => {
  await guide.whileServing(
    name,
    async (port) => {
      await leave(port, path, received)
      await expect.poll(() => errors.length).toBe(1)
      const names = errors.map((error) => isSdkError(error) && error.name)
      expect(names).toEqual([received === requestArrives && 'ImageReadError'])
      expect(executed()).toEqual([])

      expect(await upload(`http://127.0.0.1:${port}${path}`, noise(100))).toBe(200)
    },
    { modules },
  )
})

it.each(['busboy', 'Fastify'])('%s responds to a browser whose upload is not read', async (name) => {
  const env = { SVC_BASE_URL: await unusedUrl() }

  await guide.whileServing(
    name,
    async (port) => {
      for (let i = 0; i < 3; i++) expect(await upload(`http://127.0.0.1:${port}/selfie`, noise(9 * MiB))).toBe(502)
    },
    { modules, env },
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

  expect(statuses).toEqual([200, 413, 400, 400])
  expect(executed()).toHaveLength(1)
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
