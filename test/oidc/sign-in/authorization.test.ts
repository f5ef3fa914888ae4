import { createHash } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import {
  type AuthorizationParams,
  ConfigurationError,
  InvalidParamsError,
  OidcClient,
  type OidcClientOptions,
  type Scope,
} from '../../../src/index.ts'
import { baseUrl, clientId, clientSecret, issuer, redirectUri } from '../issuer.ts'

const authorize = async (params?: AuthorizationParams, options?: OidcClientOptions) => {
  const login = await issuer().client(options).createAuthorization(params)
  const url = new URL(login.url)
  return { login, url, query: Object.fromEntries(url.searchParams) }
}

it('creates a new state, nonce and verifier of 256 bits each for every sign-in', async () => {
  const { client } = issuer()
  const oidc = client()
  const logins = await Promise.all(Array.from({ length: 100 }, () => oidc.createAuthorization()))
  const values = logins.flatMap(({ state, nonce, codeVerifier }) => [state, nonce, codeVerifier])

  for (const value of values) expect(value).toMatch(/^[\w-]{43}$/)
  expect(new Set(values).size).toBe(300)
})

it('sends the documented parameters to the authorization endpoint, with the S256 challenge of the verifier', async () => {
  const { login, query, url } = await authorize({ scope: ['profile'] })

  expect(url.origin + url.pathname).toBe(`${baseUrl}/api/auth/oidc/authorize`)
  expect(query).toEqual({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile',
    state: login.state,
    nonce: login.nonce,
    code_challenge: createHash('sha256')
      .update(login.codeVerifier ?? '')
      .digest('base64url'),
    code_challenge_method: 'S256',
  })
})

it.each<[scope: readonly Scope[] | undefined, options: OidcClientOptions, sent: string]>([
  [undefined, {}, 'openid'],
  [[], {}, 'openid'],
  [['openid'], {}, 'openid'],
  [['profile', 'openid', 'profile'], {}, 'openid profile'],
  [undefined, { scope: ['profile'] }, 'openid profile'],
  [['zkp'], { scope: ['profile'] }, 'openid zkp'],
])('always requests openid: %j', async (scope, options, sent) => {
  const { query } = await authorize({ scope }, options)

  expect(query.scope).toBe(sent)
})

it('uses no PKCE if pkce is false, and then returns no verifier', async () => {
  const { login, query } = await authorize({ pkce: false })

  expect(query).not.toHaveProperty('code_challenge')
  expect(query).not.toHaveProperty('code_challenge_method')
  expect(login).not.toHaveProperty('codeVerifier')
})

it('keeps the path of the base URL', async () => {
  const { url } = await authorize({}, { baseUrl: 'https://host.example/identity/' })

  expect(url.pathname).toBe('/identity/api/auth/oidc/authorize')
})

it.each<[what: string, params: AuthorizationParams, options: OidcClientOptions, path: string]>([
  ['no redirect URI in params and options', {}, { redirectUri: undefined }, 'redirectUri'],
  ['scopes in one string', { scope: 'openid profile' as never }, {}, 'scope'],
  ['a scope with a space', { scope: ['openid profile' as never] }, {}, 'scope'],
  ['an empty scope', { scope: ['' as never] }, {}, 'scope'],
])('rejects params with %s', async (_, params, options, path) => {
  const started = issuer().client(options).createAuthorization(params)

  await expect(started).rejects.toBeInstanceOf(InvalidParamsError)
  await expect(started).rejects.toMatchObject({
    issues: [{ path, message: expect.stringMatching(/^(?:must be|is missing)/) }],
    operation: 'oidc.createAuthorization',
    attempts: 0,
  })
})

it.each<[what: string, options: OidcClientOptions]>([
  ['no clientId', { clientId: undefined }],
  ['a blank clientId', { clientId: ' ' }],
  ['no clientSecret', { clientSecret: undefined }],
  ['a clientSecret that is a number', { clientSecret: 7 as never }],
  ['scopes in one string', { scope: 'openid profile' as never }],
  ['a scope that is not a string', { scope: [7 as never] }],
  ['an empty list of issuers', { issuer: [] }],
  ['an empty issuer', { issuer: '' }],
  ['an issuer that is a URL object', { issuer: new URL(baseUrl) as never }],
  ['a base URL that is not https', { baseUrl: 'http://id.example.test' }],
])('throws a ConfigurationError for %s that names the option', (_, options) => {
  const [name] = Object.keys(options)

  expect(() => issuer().client(options)).toThrow(ConfigurationError)
  expect(() => issuer().client(options)).toThrow(
    new RegExp(`^OidcClient: ${name} (?:must|is missing: pass it, or set SVC_CLIENT_(?:ID|SECRET)$)`),
  )
})

it('reads missing options from the environment', async () => {
  vi.stubEnv('SVC_BASE_URL', 'https://env.example')
  vi.stubEnv('SVC_CLIENT_ID', 'client_env')
  vi.stubEnv('SVC_CLIENT_SECRET', 'secret_env')

  const { url } = await new OidcClient().createAuthorization({ redirectUri })

  expect(url).toContain('https://env.example/api/auth/oidc/authorize?client_id=client_env')
})

it('ignores changes to the options after the constructor', async () => {
  const scope: Scope[] = ['profile']
  const options = { scope, baseUrl, clientId, clientSecret, redirectUri }
  const oidc = new OidcClient(options)
  scope.push('zkp')
  options.redirectUri = 'https://evil.example'

  const { searchParams } = new URL((await oidc.createAuthorization()).url)

  expect(searchParams.get('scope')).toBe('openid profile')
  expect(searchParams.get('redirect_uri')).toBe(redirectUri)
})
