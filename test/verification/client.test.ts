import { expect, it, vi } from 'vitest'
import { ConfigurationError } from '../../src/errors.ts'
import { VerificationClient, type VerificationClientOptions } from '../../src/verification.ts'
import { aSession } from '../support/fixtures.ts'
import { named, operations } from '../support/operations.ts'
import { ok, refused, scriptedService } from '../support/service.ts'
import { apiKey, baseUrl, testClient } from '../support/verification-client.ts'

const service = scriptedService()

const read = 'GET /api/v2/session/sess_1'
const sentHeader = (name: string) => service.requests.map(({ headers }) => headers.get(name))

it('carries the key as X-API-Key unless told otherwise', async () => {
  service.answers(read, ok(aSession()))
  const { client } = testClient()

  await client.sessions.retrieve('sess_1')

  expect(sentHeader('x-api-key')).toEqual([apiKey])
  expect(sentHeader('authorization')).toEqual([null])
})

it('carries the key as a bearer token on request, and then in no other header', async () => {
  service.answers(read, ok(aSession()))
  const { client } = testClient({ auth: 'bearer' })

  await client.sessions.retrieve('sess_1')

  expect(sentHeader('authorization')).toEqual([`Bearer ${apiKey}`])
  expect(sentHeader('x-api-key')).toEqual([null])
})

it.each(['api-key', 'bearer'] as const)(
  'asks a key function before each attempt, so that keys rotate (%s)',
  async (auth) => {
    service.answers(read, refused(503, 'engine_unreachable'), ok(aSession()))
    let asked = 0
    const { client } = testClient({ auth, apiKey: async () => `rotating-key-${++asked}` })

    await client.sessions.retrieve('sess_1')

    const expected =
      auth === 'bearer'
        ? ['Bearer rotating-key-1', 'Bearer rotating-key-2']
        : ['rotating-key-1', 'rotating-key-2']
    expect(sentHeader(auth === 'bearer' ? 'authorization' : 'x-api-key')).toEqual(expected)
  },
)

it('fails the call with a ConfigurationError when the key function fails, and sends nothing', async () => {
  const { client } = testClient({ apiKey: () => Promise.reject(new Error('vault is sealed')) })

  const error: unknown = await client.sessions.retrieve('sess_1').catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(ConfigurationError)
  expect(error).toMatchObject({ cause: { message: 'vault is sealed' } })
})

it.each(['', ' ', 'key\r\nx-evil: 1', ' key', undefined])(
  'refuses %j from a key function and sends nothing',
  async (key) => {
    const { client } = testClient({ apiKey: () => key as string })

    await expect(client.sessions.retrieve('sess_1')).rejects.toBeInstanceOf(ConfigurationError)
  },
)

it('lets no header of the caller replace the key', async () => {
  service.answers(read, ok(aSession()))
  const { client } = testClient({ headers: { 'X-Api-Key': 'other', 'x-note': 'client' } })

  await client.sessions.retrieve('sess_1', { headers: { 'x-api-key': 'another', 'X-Note': 'call' } })

  expect(sentHeader('x-api-key')).toEqual([apiKey])
  expect(sentHeader('x-note')).toEqual(['call'])
})

it('takes base URL, key and transport from the environment', async () => {
  vi.stubEnv('SVC_BASE_URL', 'https://id.example.test/from-env')
  vi.stubEnv('SVC_API_KEY', 'key-from-env')
  vi.stubEnv('SVC_TRANSPORT', 'fetch')
  service.answers('GET /from-env/api/v2/session/sess_1', ok(aSession()))

  await new VerificationClient().sessions.retrieve('sess_1')

  expect(sentHeader('x-api-key')).toEqual(['key-from-env'])
})

it('prefers its options to the environment', async () => {
  vi.stubEnv('SVC_BASE_URL', 'https://other.example.test')
  vi.stubEnv('SVC_API_KEY', 'key-from-env')
  service.answers(read, ok(aSession()))
  const { client } = testClient()

  await client.sessions.retrieve('sess_1')

  expect(sentHeader('x-api-key')).toEqual([apiKey])
})

it.each([
  ['no key', { apiKey: undefined }],
  ['an empty key', { apiKey: '' }],
  ['a key with a line break', { apiKey: 'key\nx-evil: 1' }],
  ['a key with spaces around it', { apiKey: ' key ' }],
  ['a way to carry the key that does not exist', { auth: 'basic' }],
  ['no base URL', { baseUrl: undefined }],
  ['a base URL without TLS', { baseUrl: 'http://id.example.test' }],
])('refuses %s when it is made', (_, options) => {
  vi.stubEnv('SVC_BASE_URL', '')
  vi.stubEnv('SVC_API_KEY', '')
  const settings = { baseUrl, apiKey, ...options } as VerificationClientOptions

  expect(() => new VerificationClient(settings)).toThrow(ConfigurationError)
})

it.each(['https://id.example.test', 'https://id.example.test/', 'https://id.example.test//'])(
  'puts /api/v2 behind the base URL %s',
  async (url) => {
    service.answers(read, ok(aSession()))
    const { client } = testClient({ baseUrl: url })

    await client.sessions.retrieve('sess_1')

    expect(service.requests[0]?.url).toBe('https://id.example.test/api/v2/session/sess_1')
  },
)

it.each(['https://id.example.test/base', 'https://id.example.test/base/'])(
  'puts /api/v2 behind the path of the base URL %s',
  async (url) => {
    service.answers('GET /base/api/v2/session/sess_1', ok(aSession()))
    const { client } = testClient({ baseUrl: new URL(url) })

    await client.sessions.retrieve('sess_1')

    expect(service.requests[0]?.url).toBe('https://id.example.test/base/api/v2/session/sess_1')
  },
)

/** The allowance of an attempt, as the timer that ends it shows. */
async function timeoutOf(call: () => PromiseLike<unknown>): Promise<number[]> {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  await call()
  const delays = timers.mock.calls.map(([, ms]) => ms ?? 0)
  timers.mockRestore()
  return delays.filter((ms) => ms >= 1000)
}

const lookups = ['checks.credential', 'checks.kycCredential']

it.each(named(operations))(
  '%s has 30 seconds an attempt, or 90 where a board is asked live',
  async (name, operation) => {
    service.answers(`${operation.method} ${operation.path}`, ok(operation.data))
    const { client } = testClient()

    const delays = await timeoutOf(() => operation.call(client))

    expect(delays).toEqual([lookups.includes(name) ? 90_000 : 30_000])
  },
)

it.each(lookups)('%s keeps to a timeout of the caller or the client', async (name) => {
  const operation = operations.find((one) => one.name === name)
  if (!operation) throw new Error(`no operation ${name}`)
  service.answers(`POST ${operation.path}`, ok(operation.data), ok(operation.data))
  const { client } = testClient({ timeoutMs: 40_000 })

  const delays = [
    await timeoutOf(() => operation.call(client)),
    await timeoutOf(() => operation.call(client, { timeoutMs: 50_000 })),
  ]

  expect(delays).toEqual([[40_000], [50_000]])
})

it('refuses calls once it was closed', async () => {
  const { client } = testClient()

  await client.close()

  await expect(client.sessions.retrieve('sess_1')).rejects.toBeInstanceOf(ConfigurationError)
})
