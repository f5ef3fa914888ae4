import { afterEach, expect, it, vi } from 'vitest'
import { VerificationClient } from '../src/index.ts'
import { exchange } from './oidc/grants.ts'
import { idToken, issuer } from './oidc/issuer.ts'

const settings = { baseUrl: 'https://id.example.test', apiKey: 'key_test_0123456789', maxRetries: 0 }
const breakJose = () =>
  vi.doMock('jose', () => {
    throw new Error('EMFILE: too many open files')
  })
const restoreJose = () => vi.doUnmock('jose')

afterEach(restoreJose)

it('says that undici could not be loaded, instead of blaming the network', async () => {
  vi.doMock('undici', () => {
    throw Object.assign(new Error("Cannot find module 'undici'"), { code: 'MODULE_NOT_FOUND' })
  })
  const client = new VerificationClient(settings)

  await expect(client.sessions.list()).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringMatching(
      /^sessions\.list: a module .* could not be loaded \(MODULE_NOT_FOUND\), so nothing was sent/,
    ),
  })

  vi.doUnmock('undici')
})

const unverifiable = { name: 'TokenValidationError', reason: 'keys_unavailable' }

it('rejects a token with keys_unavailable if jose could not be loaded, and loads it again in the next call', async () => {
  const { client, token } = issuer()
  const oidc = client()
  breakJose()
  vi.stubEnv('SVC_ERROR_DETAIL', 'safe')
  await expect(oidc.validateIdToken(idToken())).rejects.toMatchObject({
    ...unverifiable,
    original: { cause: { message: 'EMFILE: too many open files' } },
  })
  await expect(exchange(oidc)).rejects.toMatchObject(unverifiable)
  expect(token.requests).toHaveLength(1)

  restoreJose()
  await expect(oidc.validateIdToken(idToken())).resolves.toMatchObject({ sub: 'user_1' })
})

it('presents the new refresh token if jose could not be loaded to verify the new tokens', async () => {
  vi.resetModules()
  const { withExpiredTokens } = await import('./oidc/managed.ts')
  const { manager, token } = await withExpiredTokens()
  breakJose()
  await expect(manager().getAccessToken('user_1')).rejects.toMatchObject({ reason: 'keys_unavailable' })

  restoreJose()
  await manager()
    .getAccessToken('user_1')
    .catch(() => {})

  const presented = await Promise.all(token.requests.map((request) => request.json()))
  expect(presented).toMatchObject([{ refresh_token: 'refresh_0' }, { refresh_token: 'refresh_1' }])
})
