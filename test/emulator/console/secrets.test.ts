import { expect, it } from 'vitest'
import { apiKey, type Service } from '../support/service.ts'
import { callback } from '../support/webhook-receivers.ts'
import { withConsole } from './with-console.ts'

const canary = 'canary4711'

/** Names that a service, an app or a framework gives to secrets. */
const names = [
  ...['access_token', 'refreshToken', 'session_token', 'svc_access_token', 'id_token_hint', 'csrf-token'],
  ...['client_secret', 'clientSecret', 'webhookSecret2', 'code', 'auth_code', 'code_verifier', 'assertion'],
  ...['password', 'userPassword', 'passwd', 'passphrase', 'pwd', 'api_key', 'apiKey', 'x-api-key', 'privateKey'],
  ...['authorization', 'auth', 'bearer', 'jwt', 'cookie', 'otp', 'pin', 'key'],
]

type Act<Params extends unknown[]> = (service: Service, ...params: Params) => Promise<unknown>

/** Ways by which a secret with a name reaches the emulator. */
const named: Readonly<Record<string, Act<[name: string]>>> = {
  'a query': ({ raw }, name) => raw('GET', `/unknown?a=1&${name}=${canary}&b=2`),
  'a header': ({ raw }, name) => raw('GET', '/unknown', { headers: { [name]: canary } }),
  'a form': ({ raw }, name) => raw('POST', '/unknown', { body: new URLSearchParams({ a: '1', [name]: canary }) }),
  JSON: ({ raw }, name) => raw('POST', '/unknown', { json: { a: [{ [name]: { b: canary } }] } }),
  'an address in JSON': ({ raw }, name) =>
    raw('POST', '/unknown', { json: { a: `https://app.example/back?${name}=${canary}` } }),
  'the referring page': ({ raw }, name) =>
    raw('GET', '/unknown', { headers: { referer: `https://app.example/?${name}=${canary}` } }),
  'metadata, redirect URL and callback of a session': ({ session }, name) =>
    session({
      metadata: { [name]: canary },
      redirect_url: `https://app.example/back?${name}=${canary}`,
      callback: `${callback}?${name}=${canary}`,
    }),
  'a workflow': ({ post }, name) => post('/api/v2/workflows', { name: 'New', features: ['age'], [name]: canary }),
}

const others: Readonly<Record<string, Act<[]>>> = {
  'an activation link that is opened': ({ raw }) => raw('GET', `/activate/${canary}`),
  'a form of an activation link': ({ raw }) => raw('POST', `/activate/${canary}`, { body: new URLSearchParams() }),
  'an activation link in JSON': ({ raw }) =>
    raw('POST', '/unknown', { json: { link: `https://identity.example/activate/${canary}` } }),
  'credentials in an address': ({ session }) => session({ callback: `http://user:${canary}@127.0.0.1:9/hook` }),
}

const ways: readonly { readonly way: string; readonly act: Act<[]> }[] = [
  ...Object.entries(named).map(([way, act]) => ({
    way,
    act: async (service: Service) => {
      for (const name of names) await act(service, name)
    },
  })),
  ...Object.entries(others).map(([way, act]) => ({ way, act })),
]

it.each(ways)('no page of the console shows a secret of $way', async ({ act }) => {
  const answer = Object.fromEntries(names.map((name) => [name, canary]))
  const service = withConsole({ webhooks: { deliver: async () => Response.json(answer) } })
  const { emulator, read } = service

  await act(service)

  const { data: sessions } = await service.get<readonly { session_id: string }[]>('/api/v2/session')
  for (const { session_id } of sessions) await emulator.sessions.complete(session_id, 'APPROVED')
  const shown = [
    ...['', '/sessions', '/checks', '/webhooks', '/members', '/tokens', '/requests', '/requests?q=a', '/faults'],
    ...emulator.requests.map(({ requestId }) => `/requests/${requestId}`),
    ...sessions.map(({ session_id }) => `/sessions/${session_id}`),
    ...emulator.webhooks.deliveries.map(({ id }) => `/webhooks/${id}`),
    '/api/requests',
  ]
  for (const path of shown) expect(await read(path), path).not.toContain(canary)
  expect(await read('/api/requests')).not.toContain(apiKey['X-API-Key'])
})

it('names that only look like those of secrets are shown with their values', async () => {
  const { raw, read } = withConsole()
  const shown = {
    token_type: 'v1',
    authenticity: 'v2',
    provider_code: 'v3',
    keys: 'v4',
    author: 'v5',
    code_challenge_method: 'v6',
  }

  await raw('POST', '/unknown', { json: shown, key: 'v7' })
  await raw('GET', '/.well-known/openid-configuration')

  const text = await read('/api/requests')
  for (const value of Object.values(shown)) expect(text).toContain(value)
  expect(text).toContain('v7')
})
