import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { maxImageBytes } from '../../../src/contract/service.ts'
import { InvalidParamsError } from '../../../src/errors.ts'
import { type ImageInput, imageFromFile, type UploadProgress } from '../../../src/verification.ts'
import { images, livenessCheck, standalone } from '../../support/fixtures.ts'
import {
  loopbackServer,
  type ReceivedRequest,
  reset,
  respondWith,
  success,
} from '../../support/loopback-server.ts'
import {
  breakConnection,
  fail,
  refuseConnection,
  scriptedFetch,
  succeed,
} from '../../support/scripted-fetch.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { clientOver, forEachTransport } from '../../support/transports.ts'
import { apiKey, testClient } from '../../support/verification-client.ts'

const folder = temporaryFolder()

const inFile = (name: string, bytes: Uint8Array | string) => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return imageFromFile(path)
}

const { png, jpeg } = images
const live = standalone(livenessCheck())
const noFetch = () => expect.fail('something was sent')
const unread = () => Readable.from([png])

/** Bytes of which no chunk is like another. */
function noise(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  for (let i = 0; i < size; i++) bytes[i] = (i * 2654435761) >>> 24
  return bytes
}

/** Quicker than a deep comparison, byte by byte. */
const same = (a: Uint8Array | undefined, b: Uint8Array | undefined) =>
  a !== undefined && b !== undefined && Buffer.compare(a, b) === 0

const part = async (seen: Pick<ReceivedRequest, 'headers' | 'body'>, field = 'image') => {
  const headers = { 'content-type': String(seen.headers['content-type']) }
  const form = await new Response(new Uint8Array(seen.body), { headers }).formData()
  const file = form.get(field) as File
  return { filename: file.name, type: file.type, bytes: new Uint8Array(await file.arrayBuffer()) }
}

forEachTransport('$name: an image in memory is one buffer, with its exact length', async (transport) => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(transport, server.url)
  const image = noise(700_000)

  await client.checks.liveness({ image })

  const [seen] = server.requests as [ReceivedRequest]
  expect(seen.headers['content-length']).toBe(String(seen.body.byteLength))
  expect(seen.headers['transfer-encoding']).toBeUndefined()
  expect(same((await part(seen)).bytes, image)).toBe(true)
})

forEachTransport('$name: a file is streamed with its exact length', async (transport) => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(transport, server.url)
  const image = noise(700_000)

  await client.checks.liveness({ image: inFile('large.jpg', image) })

  const [seen] = server.requests as [ReceivedRequest]
  expect(seen.headers['content-length']).toBe(String(seen.body.byteLength))
  const { bytes, ...named } = await part(seen)
  expect(named).toEqual({ filename: 'large.jpg', type: 'application/octet-stream' })
  expect(same(bytes, image)).toBe(true)
})

forEachTransport('$name: a stream of unknown length is sent in chunks', async (transport) => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(transport, server.url)
  const image = noise(700_000)
  const pieces = [image.subarray(0, 5), image.subarray(5, 300_000), image.subarray(300_000)]

  await client.checks.liveness({ image: Readable.from(pieces) })

  const [seen] = server.requests as [ReceivedRequest]
  expect(seen.headers['transfer-encoding']).toBe('chunked')
  expect(same((await part(seen)).bytes, image)).toBe(true)
})

forEachTransport('$name: streams and buffers go together in one form', async (transport) => {
  const server = await loopbackServer(success({}))
  const { client } = clientOver(transport, server.url)
  const [front, back, selfie] = [noise(3_000_000), noise(2_500_000), noise(400_000)]

  await client.checks.kycCredential({
    front_image: inFile('front.jpg', front),
    back_image: new Response(back).body as ReadableStream<Uint8Array>,
    selfie,
    license_state: 'CA',
    license_type: 'RN',
    license_number: 'ü-1\r\n--x',
  })

  const [seen] = server.requests as [ReceivedRequest]
  expect(same((await part(seen, 'front_image')).bytes, front)).toBe(true)
  expect(same((await part(seen, 'back_image')).bytes, back)).toBe(true)
  expect(same((await part(seen, 'selfie')).bytes, selfie)).toBe(true)
  const form = await new Response(new Uint8Array(seen.body), {
    headers: { 'content-type': String(seen.headers['content-type']) },
  }).formData()
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

it.each([0, 1, 3, 11, 12, 13])(
  'an image of %s bytes is the service’s to judge, in memory or not',
  async (size) => {
    const server = await loopbackServer(success(live))
    const { client } = testClient({ baseUrl: server.url, fetch: undefined })
    const image = png.subarray(0, size)

    for (const input of [image, inFile(`${size}.png`, image), Readable.from([image]), new Blob([image])]) {
      await client.checks.liveness({ image: input })
    }

    const parts = await Promise.all(server.requests.map((seen) => part(seen)))
    expect(parts.map(({ bytes }) => bytes)).toEqual(Array(4).fill(image))
    expect(server.requests.every(({ headers }) => headers['content-length'] !== undefined || size > 11)).toBe(
      true,
    )
  },
)

const cut = (bytes: Uint8Array, sizes: readonly number[]) => {
  let start = 0
  const pieces = sizes.map((size) => {
    start += size
    return bytes.subarray(start - size, start)
  })
  return [...pieces, bytes.subarray(start)]
}

it.each([
  ['png', 'image/png', '.png'],
  ['jpeg', 'image/jpeg', '.jpg'],
  ['webp', 'image/webp', '.webp'],
  ['heic', 'image/heic', '.heic'],
  ['unknown', 'application/octet-stream', ''],
] as const)('tells the type of %s wherever a source cuts its chunks', async (kind, type, ending) => {
  const { fetch, requests: given } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })
  const bytes = images[kind]

  for (const sizes of [[], [0], [1], [4, 4], [0, 0, 7, 0], [11], [12], Array(12).fill(1)]) {
    await client.checks.liveness({ image: Readable.from(cut(bytes, sizes), { objectMode: true }) })
  }

  for (const { headers, body } of given) {
    const seen = { headers: Object.fromEntries(headers), body: Buffer.from(body) }
    expect(await part(seen)).toEqual({ filename: `image${ending}`, type, bytes: new Uint8Array(bytes) })
  }
})

it.each([
  ['RIFF....WAVE', 'no WebP'],
  ['....ftypavif', 'no HEIC'],
  ['\x89PNG', 'too short'],
  ['', 'empty'],
])('%j is of no known type: %s', async (text) => {
  const { fetch, requests: given } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })

  await client.checks.liveness({ image: Buffer.from(text, 'latin1') })

  const [{ headers, body }] = given as [(typeof given)[0]]
  const sent = await part({ headers: Object.fromEntries(headers), body: Buffer.from(body) })
  expect(sent).toMatchObject({ filename: 'image', type: 'application/octet-stream' })
})

it.each<[what: string, image: unknown]>([
  ['a filename with a line break', { data: png, filename: 'a"\r\nContent-Type: text/html\r\n\r\n<script>' }],
  ['a filename with NUL', { data: png, filename: 'a\0.png' }],
  ['a filename with a folder', { data: png, filename: '../../etc/passwd' }],
  ['a filename with a Windows folder', { data: png, filename: 'C:\\me.png' }],
  ['an empty filename', { data: png, filename: '' }],
  ['a filename that is no text', { data: png, filename: 7 }],
  ['a content type with a line break', { data: png, contentType: 'image/png\r\nX-Evil: 1' }],
  ['a content type that is none', { data: png, contentType: 'png' }],
  ['an empty content type', { data: png, contentType: '' }],
  ['nothing', null],
  ['a number', 7],
  ['an empty string', ''],
  ['an object of something else', { image: png }],
  ['a list', [png]],
])('refuses %s before anything is sent', async (_, image) => {
  const { client } = testClient({ fetch: noFetch })

  const error = await thrownBy(client.checks.liveness({ image: image as ImageInput }))

  expect(error).toBeInstanceOf(InvalidParamsError)
  expect(error).toMatchObject({ attempts: 0, issues: [{ path: 'image' }] })
})

it('no name of a file ends its header early', async () => {
  const { fetch, requests: given } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })
  const hostile = 'a"; name="role"\r\nContent-Type: text/html\r\n\r\n'

  await client.checks.liveness({ image: { data: png, filename: 'a"; name="role' } })
  await client.checks.liveness({ image: new File([png], hostile) })
  await client.checks.liveness({ image: inFile('line\nbreak".png', png) })

  const sent = []
  for (const { headers, body } of given) {
    expect(
      Buffer.from(body)
        .toString('latin1')
        .match(/Content-Type/g),
    ).toHaveLength(1)
    sent.push((await part({ headers: Object.fromEntries(headers), body: Buffer.from(body) })).filename)
  }
  expect(sent).toEqual(['a"; name="role', 'image.png', 'image.png'])
})

it('no name of a field ends its header early', async () => {
  const { fetch, requests: given } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })

  await client.checks.liveness({ image: png, 'a"\r\nX-Evil: 1\r\n\r\n': 'x' } as never)

  expect(Buffer.from(given[0]?.body ?? []).toString('latin1')).not.toContain('\r\nX-Evil')
})

it('a field that is an object goes as JSON', async () => {
  const { fetch, requests: given } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })

  await client.checks.liveness({
    image: png,
    extra: { b: 1, a: [true] },
    flag: false,
    no: undefined,
  } as never)

  const [{ headers, body }] = given as [(typeof given)[0]]
  const form = await new Response(new Uint8Array(body), { headers }).formData()
  expect(form.get('extra')).toBe('{"a":[true],"b":1}')
  expect(form.get('flag')).toBe('false')
  expect(form.has('no')).toBe(false)
})

const atTheLimit = new Uint8Array(maxImageBytes)

it.each<[what: string, image: () => unknown]>([
  ['bytes', () => atTheLimit],
  ['an ArrayBuffer', () => atTheLimit.buffer],
  ['a Blob', () => new Blob([atTheLimit])],
  ['base64', () => 'A'.repeat((maxImageBytes / 3) * 4 + 4)],
  ['a data URL', () => `data:image/png;base64,${'A'.repeat((maxImageBytes / 3) * 4 + 4)}`],
  ['a file', () => inFile('limit.png', atTheLimit)],
  ['a function', () => () => atTheLimit],
  ['described bytes', () => ({ data: atTheLimit, filename: 'a.png' })],
])('refuses %s of 20 MiB before sending', async (_, image) => {
  const { client } = testClient({ fetch: noFetch })

  const error = await thrownBy(client.checks.liveness({ image: image() as ImageInput }))

  expect(error).toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ message: 'must be smaller than 20 MiB' }],
  })
})

it('one byte less than 20 MiB is sent', async () => {
  const { fetch, requests: given } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })

  await client.checks.liveness({ image: atTheLimit.subarray(1) })

  expect(given[0]?.body.byteLength).toBeGreaterThan(maxImageBytes)
})

forEachTransport('$name: a stream is cut off at 20 MiB, and not tried again', async (transport) => {
  let whole = 0
  const server = await loopbackServer(() => whole++)
  const { client } = clientOver(transport, server.url)
  const mebibyte = new Uint8Array(2 ** 20)
  const endless = async function* () {
    for (;;) yield mebibyte
  }

  const error = await thrownBy(client.checks.liveness({ image: () => endless() }))

  expect(error).toBeInstanceOf(InvalidParamsError)
  expect(error).toMatchObject({
    issues: [{ path: 'image', message: 'must be smaller than 20 MiB' }],
    attempts: 1,
  })
  expect(error).toHaveProperty('idempotencyKey')
  expect(whole).toBe(0)
})

forEachTransport(
  '$name: a stream that breaks is the caller’s fault, and not the network’s',
  async (transport) => {
    const server = await loopbackServer()
    const { client } = clientOver(transport, server.url)
    const broken = new Error('disk on fire')
    const breaking = async function* () {
      yield noise(300_000)
      throw broken
    }

    const error = await thrownBy(client.checks.liveness({ image: () => breaking() }))

    expect(error).toBeInstanceOf(InvalidParamsError)
    expect(error).toMatchObject({
      issues: [{ path: 'image', message: 'could not be read' }],
      attempts: 1,
      cause: broken,
    })
    expect(server.requests).toEqual([])
  },
)

it.each<[what: string, image: ImageInput, message: string]>([
  [
    'a stream that breaks at once',
    new Readable({
      read() {
        this.destroy(new Error('no'))
      },
    }),
    'could not be read',
  ],
  ['a stream of something else', Readable.from([{ no: 'bytes' }]), 'could not be read'],
  ['a file that is not there', imageFromFile(join(folder, 'missing.png')), 'could not be opened'],
  ['a folder', imageFromFile(folder), 'could not be read'],
  [
    'a function that throws',
    () => {
      throw new Error('no')
    },
    'could not be opened',
  ],
  ['a function that gives nothing', () => undefined as never, 'is not an image'],
  ['a function that gives a function', () => (() => png) as never, 'is not an image'],
  [
    'a function that gives no base64',
    () => 'no_base64',
    'must be bytes, a stream, base64 or a data URL. To read a file, pass imageFromFile(path)',
  ],
])('%s is an InvalidParamsError, and nothing is sent', async (_, image, message) => {
  const { client } = testClient({ fetch: noFetch })

  const error = await thrownBy(client.checks.liveness({ image }))

  expect(error).toMatchObject({ name: 'InvalidParamsError', issues: [{ path: 'image', message }] })
})

const text = 'all of the bytes'
const plain = Buffer.from(text).toString('base64')

it.each([
  [plain, true],
  [plain.replace(/=+$/, ''), true],
  [`${plain.slice(0, 9)}\r\n${plain.slice(9)}\n`, true],
  [`data:image/png;base64,${plain}`, true],
  [`DATA:image/PNG;charset=utf-8;BASE64,${plain}`, true],
  [`data:;base64,${plain}`, true],
  [`data:image/png;base64,${plain.slice(0, -1)}`, false],
  [`${plain}=`, false],
  [`${plain}A`, false],
  ['A', false],
  ['AAAAA', false],
  ['AA=A', false],
  ['====', false],
  ['-_-_', false],
  ['passport jpg ', false],
  ['passport.jpg', false],
  ['/home/me/passport.jpg', false],
  ['https://example.test/me.png', false],
  [`data:image/png,${plain}`, false],
  [`data:image/png;base64,`, false],
  [`data:image/png;base64;${plain}`, false],
  [`data:image png;base64,${plain}`, false],
])('as base64 or a data URL, %j is taken: %s', async (image, taken) => {
  const { fetch, requests: given } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })

  const outcome = await client.checks.liveness({ image }).then(
    () => true,
    (error) => error instanceof InvalidParamsError && 'refused',
  )

  expect(outcome).toBe(taken || 'refused')
  if (!taken) return expect(given).toEqual([])
  const [{ headers, body }] = given as [(typeof given)[0]]
  const sent = await part({ headers: Object.fromEntries(headers), body: Buffer.from(body) })
  expect(Buffer.from(sent.bytes).toString()).toBe(text)
})

it('the type of a data URL is the type of the file', async () => {
  const { fetch, requests: given } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })

  await client.checks.liveness({ image: `data:image/WebP;base64,${plain}` })

  const [{ headers, body }] = given as [(typeof given)[0]]
  const sent = await part({ headers: Object.fromEntries(headers), body: Buffer.from(body) })
  expect(sent).toMatchObject({ type: 'image/webp', filename: 'image.webp' })
})

forEachTransport('$name: tells how far an upload has come, and keeps its length', async (transport) => {
  const server = await loopbackServer(success(live))
  const { client } = clientOver(transport, server.url)
  const image = noise(300_000)
  const inputs: ImageInput[] = [image, inFile('progress.bin', image), Readable.from([image]), plain]

  for (const input of inputs) {
    const steps: UploadProgress[] = []
    await client.checks.liveness({ image: input }, { onUploadProgress: (step) => void steps.push(step) })

    const seen = server.requests.at(-1) as ReceivedRequest
    const total = seen.body.byteLength
    const isSized = !(input instanceof Readable)
    expect(steps.at(-1)).toStrictEqual(isSized ? { loaded: total, total } : { loaded: total })
    expect(steps.map(({ loaded }) => loaded)).toEqual(
      steps.map(({ loaded }) => loaded).toSorted((a, b) => a - b),
    )
    expect(steps.every((step) => step.total === (isSized ? total : undefined))).toBe(true)
    expect(seen.headers['content-length']).toBe(isSized ? String(total) : undefined)
  }
})

forEachTransport('$name: tells the progress of JSON as well', async (transport) => {
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

it.each(['multipart', 'json'] as const)('progress in memory is told every 64 KiB: %s', async (encoding) => {
  const { fetch, requests: given } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })
  const step = 64 * 1024
  const loaded: number[] = []
  const send = async (note: string) => {
    loaded.length = 0
    const onUploadProgress = (progress: UploadProgress) => void loaded.push(progress.loaded)
    await client.checks.liveness({ image: plain, note } as never, { encoding, onUploadProgress })
    return given.at(-1)?.body.byteLength ?? 0
  }
  const unpadded = await send('.')

  const total = await send('.'.repeat(2 * step - unpadded + 1))
  expect(total).toBe(2 * step)
  expect(loaded).toEqual([step, 2 * step])

  await send('.'.repeat(2 * step - unpadded + 2))
  expect(loaded).toEqual([step, 2 * step, 2 * step + 1])
})

it('progress starts at zero again with each attempt', async () => {
  const { fetch } = scriptedFetch(fail(503, 'x'), succeed(live))
  const { client } = testClient({ fetch })
  const steps: number[] = []

  await client.checks.liveness({ image: png }, { onUploadProgress: ({ loaded }) => void steps.push(loaded) })

  expect(steps).toHaveLength(2)
  expect(steps[0]).toBe(steps[1])
})

it('in JSON text goes as it is, and bytes as base64', async () => {
  const { fetch, requests: given } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })
  const dataUrl = `data:image/png;base64,${plain}`

  for (const image of [dataUrl, png, Readable.from(cut(png, [1, 1, 5])), { data: png, filename: 'x.png' }]) {
    await client.checks.liveness({ image }, { encoding: 'json' })
  }

  const sent = given.map(({ body }) => JSON.parse(Buffer.from(body).toString()).image)
  const base64 = Buffer.from(png).toString('base64')
  expect(sent).toEqual([dataUrl, base64, base64, base64])
  expect(given[0]?.headers.get('content-type')).toBe('application/json')
})

it('the boundary is HMAC-SHA256 over the idempotency key, keyed with the API key', async () => {
  const { fetch, requests: given } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch })

  await client.checks.liveness({ image: png }, { idempotencyKey: 'order-42' })

  const boundary = createHmac('sha256', apiKey).update('order-42').digest('hex')
  expect(given[0]?.headers.get('content-type')).toBe(`multipart/form-data; boundary=${boundary}`)
})

it('two processes that send the same params under the same key send the same bytes', async () => {
  const first = scriptedFetch(succeed({}))
  const second = scriptedFetch(succeed({}))
  const options = { idempotencyKey: 'order-42' }
  const licence = { license_state: 'CA', license_number: '1', license_type: 'RN' } as const

  await testClient(first).client.checks.kycCredential(
    { front_image: png, selfie: Readable.from([jpeg]), ...licence },
    options,
  )
  await testClient(second).client.checks.kycCredential(
    {
      license_type: 'RN',
      selfie: jpeg,
      license_number: '1',
      front_image: inFile('front_image.png', png),
      state: 'CA',
    } as never,
    options,
  )

  expect(first.requests[0]?.body.byteLength).toBeGreaterThan(500)
  expect(same(second.requests[0]?.body, first.requests[0]?.body)).toBe(true)
  expect(second.requests[0]?.headers.get('content-type')).toBe(first.requests[0]?.headers.get('content-type'))
})

forEachTransport('$name: every attempt sends the same bytes', async (transport) => {
  const server = await loopbackServer(respondWith(503), reset, success(live))
  const { client } = clientOver(transport, server.url)
  const image = noise(400_000)

  for (const input of [image, inFile('again.bin', image), () => Readable.from([image])]) {
    server.requests.length = 0
    await client.checks.liveness({ image: input })

    const [first, ...repeats] = server.requests
    expect(repeats).toHaveLength(2)
    for (const repeat of repeats) {
      expect(same(repeat.body, first?.body)).toBe(true)
      expect(repeat.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
    }
  }
})

it('a rotated API key changes no byte of a repeat', async () => {
  const keys = ['key_1', 'key_2']
  const { fetch, requests: given } = scriptedFetch(fail(503, 'x'), succeed(live))
  const { client } = testClient({ fetch, apiKey: () => keys.shift() ?? '' })

  await client.checks.liveness({ image: inFile('rotate.png', png) })

  expect(given.map(({ headers }) => headers.get('x-api-key'))).toEqual(['key_1', 'key_2'])
  expect(same(given[1]?.body, given[0]?.body)).toBe(true)
})

it.each<[what: string, encoding: 'multipart' | 'json', image: (bytes: Uint8Array) => ImageInput]>([
  ['in memory', 'multipart', (bytes) => bytes],
  ['in memory, in JSON', 'json', (bytes) => bytes],
  ['asked for again', 'multipart', () => () => Readable.from([png])],
])('params that the caller uses again change no byte of a repeat: an image %s', async (_, encoding, make) => {
  const image = Uint8Array.from(png)
  const params = { image: make(image), note: 'a' }
  const { fetch, requests: given } = scriptedFetch(fail(503, 'x'), succeed(live))
  const { client } = testClient({
    fetch,
    sleep: async () => {
      image.fill(0)
      params.note = 'b'
    },
  })

  await client.checks.liveness(params, { encoding })

  expect(same(given[1]?.body, given[0]?.body)).toBe(true)
})

it.each([
  ['429', fail(429, 'rate_limited'), 'RateLimitError'],
  ['503', fail(503, 'engine_unreachable'), 'ServerError'],
  ['a reset', breakConnection, 'OutcomeUnknownError'],
  ['a refused connection', refuseConnection, 'ConnectionError'],
  ['a request still at work', fail(409, 'idempotency_in_progress'), 'ConflictError'],
])('a stream that can be read once is sent once, whatever the answer: %s', async (_, step, name) => {
  const { fetch, requests: given } = scriptedFetch(step)
  const { client } = testClient({ fetch })

  for (const encoding of ['multipart', 'json'] as const) {
    for (const make of [unread, () => new Response(png).body as ReadableStream<Uint8Array>]) {
      given.length = 0
      const error = await thrownBy(client.checks.liveness({ image: make() }, { encoding }))

      expect(error).toMatchObject({ name, attempts: 1 })
      expect(given).toHaveLength(1)
    }
  }
})

it.each(['multipart', 'json'] as const)(
  'one stream among images is enough: sent once, in %s',
  async (encoding) => {
    const { fetch, requests: given } = scriptedFetch(fail(503, 'x'))
    const { client } = testClient({ fetch })

    const error = await thrownBy(
      client.checks.idVerification({ front_image: png, back_image: unread() }, { encoding }),
    )

    expect(error).toMatchObject({ name: 'ServerError', attempts: 1 })
    expect(given).toHaveLength(1)
  },
)

const words = 'words within the image'
const wordy = Buffer.concat([Buffer.from(`\xff\xd8\xff\0${words}\0`, 'latin1'), noise(700_000)])

it.each<[what: string, image: () => ImageInput]>([
  ['in memory', () => wordy],
  ['in a stream', () => Readable.from(cut(wordy, [3, 400_000]))],
  ['in a file', () => inFile('words.jpg', wordy)],
  ['asked for', () => () => Readable.from([wordy])],
])('what can be read in an image is not echoed by an error: %s', async (_, image) => {
  for (const encoding of ['multipart', 'json'] as const) {
    for (const before of [[], [respondWith(503)]]) {
      const echo = respondWith(400, { error: { code: 'x', message: `we saw ${words} in it` } })
      const server = await loopbackServer(...before, echo)
      const { client } = testClient({ baseUrl: server.url, fetch: undefined })

      const error = await thrownBy(client.checks.liveness({ image: image() }, { encoding }))

      expect(String(error)).not.toContain(words)
    }
  }
})

it('a stream that was not begun is still there for another attempt', async () => {
  const { fetch, requests: given } = scriptedFetch(succeed(live))
  let asked = 0
  const { client } = testClient({
    fetch,
    timeoutMs: 100,
    apiKey: () => (asked++ === 0 ? new Promise<string>(() => {}) : apiKey),
  })

  await client.checks.liveness({ image: unread() })

  expect(given).toHaveLength(1)
})
