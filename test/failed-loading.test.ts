import { afterEach, expect, it, vi } from 'vitest'
import { VerificationClient } from '../src/index.ts'
import { exchange } from './oidc/grants.ts'
import { idToken, issuer } from './oidc/issuer.ts'

const settings = { baseUrl: 'https://id.example.test', apiKey: 'key_test_0123456789', maxRetries: 0 }
const params = { dob: '1990-01-01', bands: [18] }
const aResult = {
  session_id: 'sess_1',
  status: 'passed',
  check: { type: 'age', status: 'passed', data: { age: 36 }, error: null },
}

const listClient = () =>
  new VerificationClient({
    ...settings,
    fetch: async () => Response.json({ success: true, data: [], error: null }),
  })

const breakTransport = () =>
  vi.doMock('../src/http/transport/fetch-transport.ts', () => {
    throw new Error('EMFILE: too many open files')
  })
const restoreTransport = () => vi.doUnmock('../src/http/transport/fetch-transport.ts')

const breakJose = () =>
  vi.doMock('jose', () => {
    throw new Error('EMFILE: too many open files')
  })
const restoreJose = () => vi.doUnmock('jose')

afterEach(() => {
  restoreTransport()
  restoreJose()
})

it('loads a transport again at the next call if it could not be loaded', async () => {
  const client = listClient()
  breakTransport()
  await expect(client.sessions.list()).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringMatching(/^sessions\.list: the code of the client could not be loaded \(Error\)/),
  })

  restoreTransport()
  await expect(client.sessions.list()).resolves.toEqual([])
})

it('closes a client whose transport could not be loaded', async () => {
  const client = listClient()
  breakTransport()
  const call = client.sessions.list()
  const closed = client.close()

  await expect(call).rejects.toMatchObject({ name: 'ConfigurationError' })
  await expect(closed).resolves.toBeUndefined()
})

it('sends nothing if the spend guard could not be loaded, and loads it again at the next call', async () => {
  const fetch = vi.fn(async () => Response.json({ success: true, data: aResult, error: null }))
  const client = new VerificationClient({ ...settings, fetch, spendLimit: { calls: 1, perMs: 60_000 } })
  vi.doMock('../src/http/spend/spend-guard.ts', () => {
    throw new Error('EMFILE: too many open files')
  })
  await expect(client.checks.age(params)).rejects.toMatchObject({ name: 'ConfigurationError' })
  expect(fetch).not.toHaveBeenCalled()

  vi.doUnmock('../src/http/spend/spend-guard.ts')
  await expect(client.checks.age(params)).resolves.toMatchObject({ status: 'passed' })
  await expect(client.checks.age(params)).rejects.toMatchObject({ name: 'SpendLimitError' })
})

it('says that undici could not be loaded, instead of blaming the network', async () => {
  vi.doMock('undici', () => {
    throw Object.assign(new Error("Cannot find module 'undici'"), { code: 'MODULE_NOT_FOUND' })
  })
  const client = new VerificationClient(settings)

  await expect(client.sessions.list()).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringMatching(
      /^sessions\.list: undici could not be loaded \(\w+\), so nothing was sent/,
    ),
  })

  vi.doUnmock('undici')
})

const unverifiable = { name: 'TokenValidationError', reason: 'keys_unavailable' }

it('rejects a token with keys_unavailable if jose could not be loaded, and loads it again in the next call', async () => {
  const { client, token } = issuer()
  const oidc = client()
  breakJose()
  await expect(oidc.validateIdToken(idToken())).rejects.toMatchObject(unverifiable)
  await expect(exchange(oidc)).rejects.toMatchObject(unverifiable)
  expect(token.requests).toHaveLength(1)

  restoreJose()
  await expect(oidc.validateIdToken(idToken())).resolves.toMatchObject({ sub: 'user_1' })
})

it('never sends a refresh token again if jose could not be loaded to verify the new tokens', async () => {
  vi.resetModules()
  const { withExpiredTokens, recordName } = await import('./oidc/managed.ts')
  const { store, manager, token } = await withExpiredTokens()
  breakJose()
  await expect(manager().getAccessToken('user_1')).rejects.toThrow()
  const record = await store.get(recordName)

  restoreJose()
  await manager()
    .getAccessToken('user_1')
    .catch(() => {})

  expect(record).not.toContain('"state":"held"')
  const presented = await Promise.all(token.requests.map((request) => request.json()))
  expect(presented).toMatchObject([{ refresh_token: 'refresh_0' }])
})
