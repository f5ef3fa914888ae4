import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { InvalidParamsError } from '../../../src/errors.ts'
import { aSession, images, livenessCheck, standalone } from '../../support/fixtures.ts'
import { loopbackServer, respondWith } from '../../support/loopback-server.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { clientOver, transports } from '../../support/transports.ts'
import { testClient } from '../../support/verification-client.ts'

const noFetch = () => expect.fail('something was sent')
const [pooled] = transports

const cyclic: Record<string, unknown> = {}
cyclic.self = cyclic

const { client } = testClient({ fetch: noFetch })
const license = { license_type: 'RN', license_state: 'CA', license_number: '1' }

it.each<[what: string, call: () => PromiseLike<unknown>]>([
  ['a cycle', () => client.sessions.create({ metadata: cyclic })],
  ['a BigInt', () => client.sessions.create({ metadata: { count: 1n } })],
  ['a BigInt under a key', () => client.checks.credential({ ...license, extra: 1n } as never)],
  ['a cycle in a form', () => client.checks.liveness({ image: images.png, extra: cyclic } as never)],
])('what JSON cannot hold is named, with the reason as its cause: %s', async (_, call) => {
  const error = await Promise.resolve(call()).catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(InvalidParamsError)
  expect(error).toMatchObject({
    issues: [{ path: 'params', message: 'cannot be written as JSON' }],
    cause: expect.any(Error),
  })
})

it('under one key, the order of params and how their objects were made change no byte', async () => {
  const { fetch, requests: given } = scriptedFetch(succeed(standalone(livenessCheck())))
  const keyed = testClient({ fetch }).client
  const bare = Object.assign(Object.create(null), { b: 1, a: [{ d: 1, c: 2 }] })
  const spellings = [
    { image: 'aGVsbG8=', extra: { a: [{ c: 2, d: 1 }], b: 1 } },
    { extra: { b: 1, a: [{ d: 1, c: 2 }] }, image: 'aGVsbG8=' },
    { image: 'aGVsbG8=', extra: bare },
  ]

  for (const params of spellings) {
    await keyed.checks.liveness(params, { encoding: 'json', idempotencyKey: 'order-42' })
  }

  const sent = given.map(({ body }) => Buffer.from(body).toString())
  expect(sent).toEqual(Array(3).fill('{"extra":{"a":[{"c":2,"d":1}],"b":1},"image":"aGVsbG8="}'))
})

it.each([
  [{ state: 'NY' }, 'state', 'differs from license_state, of which it is an alias'],
  [{ license_no: '2' }, 'license_no', 'differs from license_number, of which it is an alias'],
])('an alias that says something else is refused by its name: %j', async (alias, path, message) => {
  const kyc = { front_image: images.png, selfie: images.png }

  for (const call of [
    client.checks.credential({ ...license, ...alias } as never),
    client.checks.kycCredential({ ...license, ...kyc, ...alias } as never),
  ]) {
    await expect(call).rejects.toMatchObject({ name: 'InvalidParamsError', issues: [{ path, message }] })
  }
})

it.each([
  [{ note: 'cut\ud800' }, 'note'],
  [{ 'no\udc00te': 'a' }, 'no\ufffdte'],
  [{ good: 'a', 'b\ud800': '\ud800' }, 'b\ufffd'],
])('a query that cannot be encoded is refused: %j', async (query, path) => {
  const call = client.request({ method: 'GET', path: '/api/v2/usage', query })

  await expect(call).rejects.toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ path, message: 'must not contain lone surrogates' }],
  })
})

const text = JSON.stringify({ success: true, data: aSession() })

it.each([
  ['gzip', gzipSync(text)],
  ['GZIP', gzipSync(text)],
  ['x-gzip', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['br', brotliCompressSync(text)],
  ['identity', text],
  ['Identity', text],
])('an answer may be coded as %s', async (coding, body) => {
  const server = await loopbackServer(respondWith(200, body, { 'content-encoding': coding }))
  const { client } = clientOver(pooled, server.url)

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(aSession())
})

it.each([
  ['compress', text, 'the response has an unknown content-encoding'],
  ['constructor', text, 'the response has an unknown content-encoding'],
  ['gzip, br', text, 'the response has an unknown content-encoding'],
  ['gzip', text, 'the response cannot be decompressed'],
  ['gzip', gzipSync(text).subarray(0, 40), 'the response cannot be decompressed'],
  ['br', text, 'the response cannot be decompressed'],
  ['gzip', '', 'the answer is empty'],
])('the message says what is wrong with an answer coded as %s: %#', async (coding, body, message) => {
  const server = await loopbackServer(respondWith(200, body, { 'content-encoding': coding }))
  const { client } = clientOver(pooled, server.url)

  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({
    name: 'InvalidResponseError',
    message: expect.stringContaining(message),
    status: 200,
  })
})
