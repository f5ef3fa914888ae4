import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { type ImageInput, imageFromFile } from '../../../src/index.ts'
import { combined, images, livenessCheck, standalone } from '../../support/fixtures.ts'
import { loopbackServer, type Responder, reset, respondWith, success } from '../../support/loopback-server.ts'
import { breakConnection, fail, refuseConnection, scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { clientOver, forEachTransport, transports } from '../../support/transports.ts'
import { apiKey, testClient } from '../../support/verification-client.ts'
import { noise, sameBytes } from './uploaded-image.ts'

const folder = temporaryFolder()
const { png, jpeg } = images
const live = standalone(livenessCheck())
const oneShot = () => Readable.from([png])

async function afterMicrotasks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await undefined
}

const imageInFile = (name: string, bytes: Uint8Array) => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  // A later write has another time, also if it follows at once.
  utimesSync(path, 1, 1)
  return imageFromFile(path)
}

it('sends the same bytes from two processes with the same params and idempotency key', async () => {
  const first = scriptedFetch(succeed(combined()))
  const second = scriptedFetch(succeed(combined()))
  const options = { idempotencyKey: 'order-42' }
  const license = { license_state: 'CA', license_number: '1', license_type: 'RN' } as const

  await testClient({ fetch: first.fetch }).client.checks.kycCredential(
    { front_image: png, selfie: Readable.from([jpeg]), ...license },
    options,
  )
  await testClient({ fetch: second.fetch }).client.checks.kycCredential(
    {
      license_type: 'RN',
      selfie: jpeg,
      license_number: '1',
      front_image: imageInFile('front_image.png', png),
      state: 'CA',
    } as never,
    options,
  )

  expect(first.requests[0]?.body.byteLength).toBeGreaterThan(500)
  expect(sameBytes(second.requests[0]?.body, first.requests[0]?.body)).toBe(true)
  expect(second.requests[0]?.headers.get('content-type')).toBe(first.requests[0]?.headers.get('content-type'))
})

forEachTransport('$name: sends the same bytes and the same key with every attempt', async (transport) => {
  const server = await loopbackServer(respondWith(503), reset, success(live))
  const { client } = clientOver(transport, server.url)
  const image = noise(400_000)

  for (const input of [image, imageInFile('again.bin', image), () => Readable.from([image])]) {
    server.requests.length = 0
    await client.checks.liveness({ image: input })

    const [first, ...retries] = server.requests
    expect(retries).toHaveLength(2)
    for (const retry of retries) {
      expect(sameBytes(retry.body, first?.body)).toBe(true)
      expect(retry.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
    }
  }
})

it('sends the same bytes in a retry with a rotated API key', async () => {
  const keys = ['key_1', 'key_2']
  const { fetch, requests } = scriptedFetch(fail(503, 'x'), succeed(live))
  const { client } = testClient({ fetch, apiKey: async () => keys.shift() ?? '' })

  await client.checks.liveness({ image: imageInFile('rotate.png', png) })

  expect(requests.map(({ headers }) => headers.get('x-api-key'))).toEqual(['key_1', 'key_2'])
  expect(sameBytes(requests[1]?.body, requests[0]?.body)).toBe(true)
})

it.each<[what: string, encoding: 'multipart' | 'json', image: (bytes: Uint8Array) => ImageInput]>([
  ['an image in memory', 'multipart', (bytes) => bytes],
  ['an image in memory, sent as JSON', 'json', (bytes) => bytes],
  ['a function that returns an image', 'multipart', () => () => Readable.from([png])],
])('sends the same bytes in a retry if the caller has changed its params: %s', async (_, encoding, input) => {
  const image = Uint8Array.from(png)
  const params = { image: input(image) }
  const extraParams = { note: 'a' }
  const { fetch, requests } = scriptedFetch(fail(503, 'x'), succeed(live))
  const { client } = testClient({
    fetch,
    sleep: async () => {
      image.fill(0)
      extraParams.note = 'b'
    },
  })

  await client.checks.liveness(params, { encoding, extraParams })

  expect(sameBytes(requests[1]?.body, requests[0]?.body)).toBe(true)
})

it.each([
  ['429', fail(429, 'rate_limited'), 'RateLimitError'],
  ['503', fail(503, 'engine_unreachable'), 'ServerError'],
  ['a reset', breakConnection, 'OutcomeUnknownError'],
  ['a refused connection', refuseConnection, 'ConnectionError'],
  ['idempotency_in_progress', fail(409, 'idempotency_in_progress'), 'ConflictError'],
])('sends a stream once, because it can be read only once, also after %s', async (_, step, name) => {
  const { fetch, requests } = scriptedFetch(step)
  const { client } = testClient({ fetch })

  for (const encoding of ['multipart', 'json'] as const) {
    for (const stream of [oneShot, () => new Response(png).body as ReadableStream<Uint8Array>]) {
      requests.length = 0
      const error = await thrownBy(client.checks.liveness({ image: stream() }, { encoding }))

      expect(error).toMatchObject({ name, attempts: 1 })
      expect(requests).toHaveLength(1)
    }
  }
})

it.each(['multipart', 'json'] as const)(
  'sends a call once if one of its images is a stream, with encoding %s',
  async (encoding) => {
    const { fetch, requests } = scriptedFetch(fail(503, 'x'))
    const { client } = testClient({ fetch })

    const error = await thrownBy(
      client.checks.idVerification({ front_image: png, back_image: oneShot() }, { encoding }),
    )

    expect(error).toMatchObject({ name: 'ServerError', attempts: 1 })
    expect(requests).toHaveLength(1)
  },
)

it('retries a call with a stream if the stream was not read yet', async () => {
  const { fetch, requests } = scriptedFetch(succeed(live))
  let calls = 0
  const test = testClient({
    fetch,
    timeoutMs: 100,
    apiKey: () => {
      if (calls++ > 0) return apiKey
      void test.advance(100)
      return new Promise<string>(() => {})
    },
  })

  const { response } = await test.client.checks.liveness({ image: oneShot() }).withResponse()

  expect(response.attempts).toBe(2)
  expect(requests).toHaveLength(1)
})

it('reads a stream in one attempt only, whenever that attempt times out', async () => {
  const results = new Set<string>()
  for (let turns = 0; turns < 40; turns++) {
    const { fetch, requests } = scriptedFetch(succeed(live))
    const timeouts: (() => void)[] = []
    const { client } = testClient({
      fetch,
      timer: (callback) => {
        timeouts.push(callback)
        return () => {}
      },
      apiKey: () => {
        if (timeouts.length === 1) void afterMicrotasks(turns).then(timeouts[0])
        return apiKey
      },
    })
    const call = client.checks.liveness({ image: Readable.from([png, jpeg]) }) as Promise<unknown>
    results.add(
      await call.then(
        () => 'success',
        ({ name, attempts }) => `${name}, attempts: ${attempts}`,
      ),
    )
    for (const { body } of requests) expect(Buffer.from(body).includes(Buffer.concat([png, jpeg]))).toBe(true)
  }

  expect(results).toEqual(new Set(['success', 'TimeoutError, attempts: 1']))
})

const mebibyte = 2 ** 20
const original = noise(mebibyte + 700)
const lastByteChanged = Uint8Array.from(original)
lastByteChanged[original.byteLength - 1] = ~(original.at(-1) ?? 0)
const withByte = (bytes: Uint8Array) => Uint8Array.from([...bytes, 7])

const changes: readonly [what: string, before: Uint8Array, after: Uint8Array][] = [
  ['has another last byte', original, lastByteChanged],
  ['is a byte longer', original, withByte(original)],
  ['is a byte shorter', original, original.subarray(0, -1)],
  ['is a block longer', original.subarray(0, mebibyte), original.subarray(0, mebibyte + 256 * 1024)],
  ['is a block shorter', original.subarray(0, mebibyte), original.subarray(0, mebibyte - 256 * 1024)],
  ['is a byte longer than a block', original.subarray(0, mebibyte), withByte(original.subarray(0, mebibyte))],
  ['is another image', original, Uint8Array.from(original).reverse()],
  ['is a small image instead', original, png],
]

const changing = transports.flatMap((transport) =>
  changes.map(([what, before, after]) => ({ name: transport.name, transport, what, before, after })),
)

it.each(changing)('$name: cuts off a retry with a file that $what now', async (row) => {
  const image = imageInFile('changing.bin', row.before)
  const changeAndReset: Responder = (response, request) => {
    writeFileSync(join(folder, 'changing.bin'), row.after)
    reset(response, request)
  }
  const server = await loopbackServer(changeAndReset, success(live))
  const { client } = clientOver(row.transport, server.url)

  const error = await thrownBy(client.checks.liveness({ image }, { idempotencyKey: 'order-42' }))

  expect(error).toMatchObject({
    name: 'OutcomeUnknownError',
    operation: 'checks.liveness',
    attempts: 2,
    idempotencyKey: 'order-42',
    cause: {
      name: 'InvalidParamsError',
      issues: [{ path: 'image', message: expect.stringContaining('is a file that changed') }],
    },
  })
  expect(server.requests).toHaveLength(1)
})

it.each<[what: string, step: Parameters<typeof scriptedFetch>[0], name: string]>([
  ['a reset', breakConnection, 'OutcomeUnknownError'],
  ['a 503', fail(503, 'engine_unreachable'), 'OutcomeUnknownError'],
  ['a 408', fail(408, 'request_timeout'), 'OutcomeUnknownError'],
  ['a 429', fail(429, 'rate_limited'), 'InvalidParamsError'],
  ['idempotency_in_progress', fail(409, 'idempotency_in_progress'), 'InvalidParamsError'],
])('throws for a file that changed after %s', async (_, step, name) => {
  const image = imageInFile('scripted.bin', original)
  const { fetch, requests } = scriptedFetch(step, succeed(live))
  const { client } = testClient({
    fetch,
    sleep: async () => writeFileSync(join(folder, 'scripted.bin'), lastByteChanged),
  })

  const error = await thrownBy(client.checks.liveness({ image }))

  expect(error).toMatchObject({ name, attempts: 2, idempotencyKey: expect.any(String) })
  expect(requests).toHaveLength(1)
})

it('cuts off a request with a file that is written while it is sent', async () => {
  const image = imageInFile('growing.bin', original)
  const { fetch, requests } = scriptedFetch(succeed(live))
  const { client } = testClient({ fetch, onEvent: () => {} })
  let isWritten = false

  const error = await thrownBy(
    client.checks.liveness(
      { image },
      {
        onUploadProgress: () => {
          if (!isWritten) writeFileSync(join(folder, 'growing.bin'), lastByteChanged)
          isWritten = true
        },
      },
    ),
  )

  expect(isWritten).toBe(true)
  expect(error).toMatchObject({ name: 'InvalidParamsError', issues: [{ path: 'image' }] })
  expect(requests).toHaveLength(0)
})
