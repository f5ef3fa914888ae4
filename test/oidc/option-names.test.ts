import { expect, it, vi } from 'vitest'
import {
  ConfigurationError,
  createTokenManager,
  loginMarkers,
  memoryStore,
  OidcClient,
  validateIdToken,
} from '../../src/index.ts'
import { baseUrl, clientId, clientSecret, idToken, issuer, key } from './issuer.ts'

const client = { baseUrl, clientId, clientSecret }
const managed = { oidc: new OidcClient(client), store: memoryStore() }
const marked = { secret: 'x', store: memoryStore() }

it.each<[message: string, construct: () => unknown]>([
  ['OidcClient: baseURL is not an option. Did you mean baseUrl?', () => made({ baseURL: baseUrl })],
  ['OidcClient: timeout is not an option. Did you mean timeoutMs?', () => made({ timeout: 1 })],
  [
    'OidcClient: redirectURI is not an option. Did you mean redirectUri?',
    () => made({ redirectURI: baseUrl }),
  ],
  ['OidcClient: scopes is not an option. Did you mean scope?', () => made({ scopes: ['openid'] })],
  ['jwks.cache is not an option. Did you mean cacheMs?', () => made({ jwks: { cache: 1 } })],
  [
    'createTokenManager: encryptionkey is not an option. Did you mean encryptionKey?',
    () => createTokenManager({ ...managed, encryptionkey: 'x' } as never),
  ],
  [
    'createTokenManager: lockTtl is not an option. Did you mean lockTtlMs?',
    () => createTokenManager({ ...managed, lockTtl: 1 } as never),
  ],
  [
    'loginMarkers: secrets is not an option. Did you mean secret?',
    () => loginMarkers({ ...marked, secrets: 'x' } as never),
  ],
])('throws a ConfigurationError: %s', (message, construct) => {
  expect(construct).toThrow(ConfigurationError)
  expect(construct).toThrow(message)
})

const made = (options: object) => new OidcClient({ ...client, ...options } as never)

it('rejects an unknown option of validateIdToken with the nearest name', async () => {
  const options = { jwks: { keys: [key.jwk] }, issuer: baseUrl, audience: clientId, clockTolerance: 5 }

  const validated = validateIdToken(idToken(), options as never)

  await expect(validated).rejects.toBeInstanceOf(ConfigurationError)
  await expect(validated).rejects.toThrow(
    'validateIdToken: clockTolerance is not an option. Did you mean clockToleranceSeconds?',
  )
})

it.each([
  ['OidcClient', () => new OidcClient('client_secret_1' as never)],
  ['createTokenManager', () => createTokenManager(undefined as never)],
  ['loginMarkers', () => loginMarkers('client_secret_1' as never)],
])('%s rejects options that are not an object, without quoting them', (name, construct) => {
  expect(construct).toThrow(ConfigurationError)
  expect(construct).toThrow(new RegExp(`^${name}: the options must be an object`))
  expect(construct).not.toThrow(/client_secret_1/)
})

it('loginMarkers requires a store at construction', () => {
  expect(() => loginMarkers({ secret: 'x' } as never)).toThrow(
    /^loginMarkers: store is missing: pass a Store/,
  )
})

it('accepts every documented option of OidcClient', () => {
  const construct = () =>
    issuer().client({
      scope: ['openid'],
      issuer: baseUrl,
      clockToleranceSeconds: 1,
      jwks: { cacheMs: 1, maxStaleMs: 1, timeoutMs: 1 },
      timeoutMs: 1,
      maxRetries: 0,
    })

  expect(construct).not.toThrow()
})

it('names the environment variable of a blank credential, if it comes from there', () => {
  vi.stubEnv('SVC_CLIENT_SECRET', ' ')

  expect(() => made({ clientSecret: undefined })).toThrow(/not blank: check SVC_CLIENT_SECRET$/)
  expect(() => made({ clientSecret: ' ' })).toThrow(
    /^OidcClient: clientSecret must be a string that is not blank$/,
  )
})
