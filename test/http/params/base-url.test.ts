import { expect, it, vi } from 'vitest'
import { ConfigurationError, OidcClient, OrgClient, VerificationClient } from '../../../src/index.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { apiKey, testClient } from '../../support/verification-client.ts'

it.each([
  ['https://id.example.test', 'https://id.example.test/api/v2/session/s'],
  ['https://id.example.test/', 'https://id.example.test/api/v2/session/s'],
  ['https://id.example.test/gate/way', 'https://id.example.test/gate/way/api/v2/session/s'],
  ['https://id.example.test/gate/way//', 'https://id.example.test/gate/way/api/v2/session/s'],
  ['https://id.example.test:8443/x/', 'https://id.example.test:8443/x/api/v2/session/s'],
  ['https://id.example.test:443', 'https://id.example.test/api/v2/session/s'],
  ['HTTPS://ID.example.test', 'https://id.example.test/api/v2/session/s'],
  ['http://localhost:3000', 'http://localhost:3000/api/v2/session/s'],
  ['http://127.0.0.1:3000/', 'http://127.0.0.1:3000/api/v2/session/s'],
  ['http://127.8.9.1', 'http://127.8.9.1/api/v2/session/s'],
  ['http://[::1]:3000', 'http://[::1]:3000/api/v2/session/s'],
])('resolves paths against the base URL %s: %s', async (baseUrl, url) => {
  const { fetch, requests } = scriptedFetch(succeed())
  const { client } = testClient({ fetch, baseUrl })

  await client.sessions.retrieve('s')

  expect(requests[0]?.url).toBe(url)
})

it('accepts http for the one host that SVC_EMULATOR_HOST names', async () => {
  vi.stubEnv('SVC_EMULATOR_HOST', 'Emulator')
  const { fetch, requests } = scriptedFetch(succeed())
  const { client } = testClient({ fetch, baseUrl: 'http://emulator:4010' })

  await client.sessions.retrieve('s')

  expect(requests[0]?.url).toBe('http://emulator:4010/api/v2/session/s')
  for (const baseUrl of ['http://emulator.example.test', 'http://other', 'http://0.0.0.0', 'ftp://emulator'])
    expect(() => new VerificationClient({ baseUrl, apiKey })).toThrow(ConfigurationError)
})

it('accepts the base URL as a URL object', async () => {
  const { fetch, requests } = scriptedFetch(succeed())
  const { client } = testClient({ fetch, baseUrl: new URL('https://id.example.test/x/') })

  await client.sessions.retrieve('s')

  expect(requests[0]?.url).toBe('https://id.example.test/x/api/v2/session/s')
})

it.each([
  'http://id.example.test',
  'http://localhost.example.test',
  'http://anything.localhost',
  'http://127.0.0.1.example.test',
  'http://10.0.0.1',
  'http://0.0.0.0',
  'http://[::2]',
  'ftp://localhost',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'id.example.test',
  '/api',
  'https://',
  'https://user:pass@id.example.test',
  'https://user@id.example.test',
  'https://:pass@id.example.test',
  'https://id.example.test/?a=1',
  'https://id.example.test/#a',
])('rejects the base URL %s', (baseUrl) => {
  const create = () => new VerificationClient({ baseUrl, apiKey })

  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(/^VerificationClient: baseUrl must (?:be|not) /)
})

it.each([
  ['https://id.example.test/api/v2', '/api/v2', 'https://id.example.test'],
  ['https://gateway.example.test/id/api/v2/', '/api/v2', 'https://gateway.example.test/id'],
  ['https://id.example.test/api/auth/oidc', '/api/auth/oidc', 'https://id.example.test'],
  ['https://org.example.test/api/sdk', '/api/sdk', 'https://org.example.test'],
])('rejects the base URL %s, which ends with a path that the client adds', (baseUrl, path, wanted) => {
  const message = ` must not end with ${path}, because the client adds this path: use ${wanted}`
  const org = { clientId: 'client_1', clientSecret: 'secret_1' }
  vi.stubEnv('SVC_BASE_URL', baseUrl)

  for (const [owner, create] of [
    ['VerificationClient', () => new VerificationClient({ baseUrl, apiKey })],
    ['OrgClient', () => new OrgClient({ baseUrl, ...org })],
    ['OidcClient', () => new OidcClient({ baseUrl, ...org })],
  ] as const)
    expect(create).toThrow(new ConfigurationError({ message: `${owner}: baseUrl${message}` }))
  expect(() => new VerificationClient({ apiKey })).toThrow(
    new ConfigurationError({ message: `VerificationClient: SVC_BASE_URL${message}` }),
  )
})

it('does not quote the credentials of a base URL that it rejects', () => {
  const create = () => new VerificationClient({ baseUrl: 'https://user:canary-pass@id.example.test', apiKey })

  expect(create).toThrow(/^(?!.*canary).*$/s)
})

it('defaults the base URL to SVC_BASE_URL', async () => {
  vi.stubEnv('SVC_BASE_URL', 'https://env.example.test/x')
  const { fetch, requests } = scriptedFetch(succeed())
  const client = new VerificationClient({ fetch, apiKey })

  await client.sessions.retrieve('s')

  expect(requests[0]?.url).toBe('https://env.example.test/x/api/v2/session/s')
})

it('prefers options to environment variables', async () => {
  vi.stubEnv('SVC_BASE_URL', 'https://env.example.test')
  vi.stubEnv('SVC_API_KEY', 'key_from_the_environment')
  const { fetch, requests } = scriptedFetch(succeed())
  const client = new VerificationClient({ fetch, apiKey, baseUrl: 'https://id.example.test' })

  await client.sessions.retrieve('s')

  expect(requests[0]?.url).toMatch(/^https:\/\/id\./)
  expect(requests[0]?.headers.get('x-api-key')).toBe(apiKey)
})

it('names the option and the environment variable if the base URL is missing', () => {
  vi.stubEnv('SVC_BASE_URL', '')

  expect(() => new VerificationClient({ apiKey })).toThrow(
    /^VerificationClient: baseUrl is missing: pass it, or set SVC_BASE_URL$/,
  )
})

it('names the environment variable if its value is not a base URL', () => {
  vi.stubEnv('SVC_BASE_URL', 'id.example.test')

  expect(() => new VerificationClient({ apiKey })).toThrow(
    'VerificationClient: SVC_BASE_URL must be an absolute URL, such as https://id.example.com',
  )
})

it.each(['"', "'"])('names the quotation marks that docker run --env-file keeps: %s', (mark) => {
  vi.stubEnv('SVC_BASE_URL', `${mark}https://id.example.test${mark}`)

  expect(() => new VerificationClient({ apiKey })).toThrow(
    'VerificationClient: SVC_BASE_URL must be an absolute URL, such as https://id.example.com, without quotation marks around it',
  )
})
