import { expect, it, vi } from 'vitest'
import { ConfigurationError } from '../../src/errors.ts'
import { VerificationClient, type VerificationClientOptions } from '../../src/verification.ts'
import { aSession } from '../support/fixtures.ts'
import { operations } from '../support/operations.ts'
import { errorResponse, ok, scriptedService } from '../support/scripted-service.ts'
import { apiKey, baseUrl, testClient } from '../support/verification-client.ts'

const service = scriptedService()

const read = 'GET /api/v2/session/sess_1'
const sentHeader = (name: string) => service.requests.map(({ headers }) => headers.get(name))

it('sends the key as X-API-Key by default', async () => {
  service.respondTo(read, ok(aSession()))
  const { client } = testClient()

  await client.sessions.retrieve('sess_1')

  expect(sentHeader('x-api-key')).toEqual([apiKey])
  expect(sentHeader('authorization')).toEqual([null])
})

it.each(['api-key', 'bearer'] as const)(
  'calls the apiKey function before each attempt, so that keys can rotate (%s)',
  async (auth) => {
    service.respondTo(read, errorResponse(503, 'engine_unreachable'), ok(aSession()))
    let calls = 0
    const { client } = testClient({ auth, apiKey: async () => `rotating-key-${++calls}` })

    await client.sessions.retrieve('sess_1')

    const expected =
      auth === 'bearer'
        ? ['Bearer rotating-key-1', 'Bearer rotating-key-2']
        : ['rotating-key-1', 'rotating-key-2']
    expect(sentHeader(auth === 'bearer' ? 'authorization' : 'x-api-key')).toEqual(expected)
  },
)

it('throws ConfigurationError with the cause if the apiKey function fails', async () => {
  const { client } = testClient({ apiKey: () => Promise.reject(new Error('vault is sealed')) })

  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({
    name: 'ConfigurationError',
    cause: { message: 'vault is sealed' },
  })
})

it('headers of the caller cannot replace the key', async () => {
  service.respondTo(read, ok(aSession()))
  const { client } = testClient({ headers: { 'X-Api-Key': 'other', 'x-note': 'client' } })

  await client.sessions.retrieve('sess_1', { headers: { 'x-api-key': 'another', 'X-Note': 'call' } })

  expect(sentHeader('x-api-key')).toEqual([apiKey])
  expect(sentHeader('x-note')).toEqual(['call'])
})

it('base URL, key and transport default to environment variables', async () => {
  vi.stubEnv('SVC_BASE_URL', 'https://id.example.test/from-env')
  vi.stubEnv('SVC_API_KEY', 'key-from-env')
  vi.stubEnv('SVC_TRANSPORT', 'fetch')
  service.respondTo('GET /from-env/api/v2/session/sess_1', ok(aSession()))

  await new VerificationClient().sessions.retrieve('sess_1')

  expect(sentHeader('x-api-key')).toEqual(['key-from-env'])
})

it('options take precedence over environment variables', async () => {
  vi.stubEnv('SVC_BASE_URL', 'https://other.example.test')
  vi.stubEnv('SVC_API_KEY', 'key-from-env')
  service.respondTo(read, ok(aSession()))
  const { client } = testClient()

  await client.sessions.retrieve('sess_1')

  expect(sentHeader('x-api-key')).toEqual([apiKey])
})

it.each([
  ['a missing key', { apiKey: undefined }],
  ['an empty key', { apiKey: '' }],
  ['a key with a line break', { apiKey: 'key\nx-evil: 1' }],
  ['a key with spaces around it', { apiKey: ' key ' }],
  ['an unknown auth value', { auth: 'basic' }],
  ['a missing base URL', { baseUrl: undefined }],
  ['a base URL without TLS', { baseUrl: 'http://id.example.test' }],
])('the constructor rejects %s', (_, options) => {
  vi.stubEnv('SVC_BASE_URL', '')
  vi.stubEnv('SVC_API_KEY', '')
  const settings = { baseUrl, apiKey, ...options } as VerificationClientOptions

  expect(() => new VerificationClient(settings)).toThrow(ConfigurationError)
})

const lookups = ['checks.credential', 'checks.kycCredential']

const timeouts = operations.map((operation) => ({
  name: operation.name,
  operation,
  expected: lookups.includes(operation.name) ? 90_000 : 30_000,
}))

it.each(timeouts)('$name has a timeout of $expected ms per attempt', async ({ operation, expected }) => {
  service.respondTo(`${operation.method} ${operation.path}`, ok(operation.data))
  const { client, timers } = testClient()

  await operation.call(client)

  expect(timers).toEqual([expected])
})

it.each(lookups)('%s honors a timeout of the call or the client', async (name) => {
  const operation = operations.find((one) => one.name === name)
  if (!operation) throw new Error(`no operation ${name}`)
  service.respondTo(`POST ${operation.path}`, ok(operation.data), ok(operation.data))
  const { client, timers } = testClient({ timeoutMs: 40_000 })

  await operation.call(client)
  await operation.call(client, { timeoutMs: 50_000 })

  expect(timers).toEqual([40_000, 50_000])
})

it('rejects calls after it was closed', async () => {
  const { client } = testClient()

  await client.close()

  await expect(client.sessions.retrieve('sess_1')).rejects.toBeInstanceOf(ConfigurationError)
})
