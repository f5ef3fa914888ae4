import { expect, it, vi } from 'vitest'
import { ConfigurationError, InvalidParamsError } from '../../../src/errors.ts'
import { VerificationClient } from '../../../src/verification.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { apiKey, testClient } from '../../support/verification-client.ts'

const noFetch = () => expect.fail('something was sent')

it.each([
  ['https://id.example.test', 'https://id.example.test/api/v2/session/s'],
  ['https://id.example.test/', 'https://id.example.test/api/v2/session/s'],
  ['https://id.example.test/gate/way', 'https://id.example.test/gate/way/api/v2/session/s'],
  ['https://id.example.test/gate/way//', 'https://id.example.test/gate/way/api/v2/session/s'],
  ['https://id.example.test:8443/x/', 'https://id.example.test:8443/x/api/v2/session/s'],
  ['https://id.example.test:443', 'https://id.example.test/api/v2/session/s'],
  ['HTTPS://ID.example.test', 'https://id.example.test/api/v2/session/s'],
  ['http://localhost:3000', 'http://localhost:3000/api/v2/session/s'],
  ['http://svc.localhost', 'http://svc.localhost/api/v2/session/s'],
  ['http://127.0.0.1:3000/', 'http://127.0.0.1:3000/api/v2/session/s'],
  ['http://127.8.9.1', 'http://127.8.9.1/api/v2/session/s'],
  ['http://[::1]:3000', 'http://[::1]:3000/api/v2/session/s'],
])('with the base URL %s a request goes to %s', async (baseUrl, url) => {
  const { fetch, requests: given } = scriptedFetch(succeed())
  const { client } = testClient({ fetch, baseUrl })

  await client.sessions.retrieve('s')

  expect(given[0]?.url).toBe(url)
})

it('takes the base URL as a URL', async () => {
  const { fetch, requests: given } = scriptedFetch(succeed())
  const { client } = testClient({ fetch, baseUrl: new URL('https://id.example.test/x/') })

  await client.sessions.retrieve('s')

  expect(given[0]?.url).toBe('https://id.example.test/x/api/v2/session/s')
})

it.each([
  'http://id.example.test',
  'http://localhost.example.test',
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
])('refuses the base URL %s', (baseUrl) => {
  const make = () => new VerificationClient({ baseUrl, apiKey })

  expect(make).toThrow(ConfigurationError)
  expect(make).toThrow(/^baseUrl must (?:be|not) /)
})

it('does not repeat the credentials of a base URL that it refuses', () => {
  const make = () => new VerificationClient({ baseUrl: 'https://user:canary-pass@id.example.test', apiKey })

  expect(make).toThrow(/^(?!.*canary).*$/s)
})

it('takes the base URL from SVC_BASE_URL', async () => {
  vi.stubEnv('SVC_BASE_URL', 'https://env.example.test/x')
  const { fetch, requests: given } = scriptedFetch(succeed())
  const client = new VerificationClient({ fetch, apiKey })

  await client.sessions.retrieve('s')

  expect(given[0]?.url).toBe('https://env.example.test/x/api/v2/session/s')
})

it('an option wins over the environment', async () => {
  vi.stubEnv('SVC_BASE_URL', 'https://env.example.test')
  vi.stubEnv('SVC_API_KEY', 'key_of_the_environment')
  const { fetch, requests: given } = scriptedFetch(succeed())
  const client = new VerificationClient({ fetch, apiKey, baseUrl: 'https://id.example.test' })

  await client.sessions.retrieve('s')

  expect(given[0]?.url).toMatch(/^https:\/\/id\./)
  expect(given[0]?.headers.get('x-api-key')).toBe(apiKey)
})

it('names the option and the variable of a missing base URL', () => {
  vi.stubEnv('SVC_BASE_URL', '')

  expect(() => new VerificationClient({ apiKey })).toThrow(/baseUrl is missing.*SVC_BASE_URL/)
})

it.each([
  ['a/b', 'a%2Fb'],
  ['a?b=c#d', 'a%3Fb%3Dc%23d'],
  ['ada+tag@example.test', 'ada%2Btag%40example.test'],
  ['ünï/çødé', '%C3%BCn%C3%AF%2F%C3%A7%C3%B8d%C3%A9'],
  ['😀', '%F0%9F%98%80'],
  ['100%', '100%25'],
  ['%2e%2e%2f', '%252e%252e%252f'],
  ['..;', '..%3B'],
  ['a\\b', 'a%5Cb'],
  ['a\r\nb', 'a%0D%0Ab'],
  ['...', '...'],
])('the id %j is one segment of the path: %s', async (id, segment) => {
  const { fetch, requests: given } = scriptedFetch(succeed())
  const { client } = testClient({ fetch })

  await client.sessions.retrieve(id)

  expect(given[0]?.url).toBe(`https://id.example.test/api/v2/session/${segment}`)
})

it.each(['', '.', '..', '%2e', '%2E%2e', '.%2e', '\ud800', 'a\udc00b', undefined, null, 7, ['a']])(
  'refuses the id %j',
  async (id) => {
    const { client } = testClient({ fetch: noFetch })

    const error: unknown = await client.sessions.retrieve(id as string).catch((thrown: unknown) => thrown)

    expect(error).toBeInstanceOf(InvalidParamsError)
    const message = expect.stringMatching(/^must (?:be|not) /)
    expect(error).toMatchObject({ attempts: 0, issues: [{ path: 'id', message }] })
  },
)
