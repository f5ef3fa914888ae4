import { expect, it, vi } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import { ConfigurationError, OrgClient, VerificationClient } from '../../src/index.ts'
import { type MswHandlersOptions, mswHandlers } from '../../src/msw.ts'
import { loopbackServer, respondWith } from '../support/loopback-server.ts'
import { baseUrl, intercepted, orgBaseUrl } from './intercepted.ts'

const { emulator, unhandled, serve, settings } = intercepted()

it('serves each client at its own host, with the base URLs from the environment', async () => {
  vi.stubEnv('SVC_BASE_URL', baseUrl)
  vi.stubEnv('SVC_ORG_BASE_URL', orgBaseUrl)
  vi.stubEnv('SVC_API_KEY', settings.verification.apiKey)
  const { clientId, clientSecret } = settings.org

  const session = await new VerificationClient().sessions.create({ workflow_id: 'wf_identity' })
  const added = await new OrgClient({ clientId, clientSecret }).members.add({
    members: [{ email: 'ada@example.test' }],
    notify: false,
  })

  expect(session.url).toMatch(/^https:\/\/id\.example\.test\/identity\/s\/\w+$/)
  const link = String(added.created[0]?.activation_link)
  expect(link).toMatch(/^https:\/\/console\.example\.test\/activate\/\w+$/)
  expect((await fetch(link)).headers.get('x-emulator')).toBe('1')
  expect(emulator.requests.map(({ operation }) => operation)).toEqual(['sessions.create', 'members.add', undefined])
})

it.each([
  ['only a host', 'https://one.example.test', 'https://one.example.test'],
  ['a trailing slash', 'https://two.example.test/', 'https://two.example.test'],
  ['a path with a trailing slash', 'https://three.example.test/a/b/', 'https://three.example.test/a/b'],
  ['a URL', new URL('https://four.example.test/a'), 'https://four.example.test/a'],
  ['capital letters and the default port', 'HTTPS://Five.Example.test:443/A', 'https://five.example.test/A'],
  ['a port', 'http://127.0.0.1:8099/', 'http://127.0.0.1:8099'],
  [
    'characters with a meaning in patterns',
    'https://six.example.test/(a)*:b.c+/$',
    'https://six.example.test/(a)*:b.c+/$',
  ],
] as const)('serves the whole service at one base URL: %s', async (_, address, base) => {
  serve({ baseUrl: address })
  const client = new VerificationClient({ ...settings.verification, baseUrl: address })
  const org = new OrgClient({ ...settings.org, baseUrl: address })

  const session = await client.sessions.create({ workflow_id: 'wf_identity' })
  const page = await fetch(session.url)

  expect(session.url.startsWith(`${base}/s/`)).toBe(true)
  expect([page.status, page.headers.get('x-emulator')]).toEqual([200, '1'])
  expect((await client.sessions.retrieve(session.session_id)).status).toBe('IN_PROGRESS')
  expect((await org.billing.retrieve()).seats).toBe(0)
})

it.each([
  'https://id.example.test/identity',
  'https://id.example.test/identity/',
  'https://id.example.test/identity/health',
  'https://id.example.test/identity/s',
  'https://id.example.test/identity/session/1',
  'https://id.example.test/identity/api/v1/session',
  'https://id.example.test/identity/api/v20/session',
  'https://id.example.test/identity/api/auth/login',
  'https://id.example.test/api/v2/session',
  'https://id.example.test/other/identity/api/v2/session',
  'https://id.example.test:8443/identity/api/v2/session',
  'http://id.example.test/identity/api/v2/session',
  'https://id-example.test/identity/api/v2/session',
  'https://other.example.test/?next=https://id.example.test/identity/api/v2/session',
  'https://proxy.example.test/https://id.example.test/identity/api/v2/session',
  // Each host serves only its own interfaces.
  'https://id.example.test/identity/api/sdk/members',
  'https://console.example.test/api/v2/session',
  'https://console.example.test/s/abc',
  'https://id.example.test/identity/activate/abc',
])('passes %s to other handlers', async (url) => {
  await fetch(url).catch(() => {})

  expect(unhandled).toEqual([url])
  expect(emulator.requests).toEqual([])
})

it.each([
  ['POST', 'https://id.example.test/identity/api/v2/sesion'],
  ['PUT', 'https://id.example.test/identity/api/v2/session/sess_1'],
  ['GET', 'https://id.example.test/identity/api/auth/oidc/userinfo'],
  ['GET', 'https://console.example.test/api/sdk/seats?page=2'],
])('responds to %s %s as the service does, with 404 endpoint_not_found', async (method, url) => {
  const response = await fetch(url, { method })

  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ error: { code: 'endpoint_not_found' } })
  expect(unhandled).toEqual([])
})

it('lets requests that are not for the service reach a server at the same address', async () => {
  const { url, requests: seen } = await loopbackServer(respondWith(200, 'a real server'))
  serve({ baseUrl: url })
  const client = new VerificationClient({ ...settings.verification, baseUrl: url })

  const health = await fetch(`${url}/health`)
  await client.sessions.list()

  expect(await health.text()).toBe('a real server')
  expect(seen.map(({ target }) => target)).toEqual(['/health'])
})

it.each<[MswHandlersOptions, string]>([
  [{ baseUrl: '' }, 'baseUrl'],
  [{ baseUrl: '/identity' }, 'baseUrl'],
  [{ baseUrl: 'https://id.example.test?env=test' }, 'baseUrl'],
  [{ baseUrl, orgBaseUrl: 'console.example.test' }, 'orgBaseUrl'],
  // An environment variable that is not set.
  [{ baseUrl: undefined as unknown as string }, 'baseUrl'],
])('rejects %j and names the invalid option', (addresses, name) => {
  const create = () => mswHandlers(emulator, addresses)

  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(new RegExp(`^mswHandlers: ${name} must be`))
})

it('serves several emulators in one test, each at its own base URL', async () => {
  const staging = createEmulator()
  const stagingUrl = 'https://staging.example.test'
  serve({ baseUrl: stagingUrl }, staging)
  const client = new VerificationClient({ ...settings.verification, baseUrl: stagingUrl })

  await client.sessions.list()

  expect(staging.requests).toHaveLength(1)
  expect(emulator.requests).toHaveLength(0)
})
