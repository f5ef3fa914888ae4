import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { OidcClient } from '../../src/index.ts'

/** Our client with an independent OpenID provider. */

const clientId = 'client_1'
const clientSecret = 'secret_1_0123456789abcdef'
const redirectUri = 'https://app.example.test/callback'

/** Maps the service's paths to those of the provider. */
const paths = new Map([
  ['/api/auth/oidc/authorize', '/auth'],
  ['/api/auth/oidc/token', '/token'],
  ['/api/auth/oidc/jwks.json', '/jwks'],
])

const server = createServer()
let issuer = ''

beforeAll(async () => {
  // It prints warnings about its development settings.
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const settings = {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'provider' }] },
    cookies: { keys: ['a key'] },
    scopes: ['openid', 'profile'],
    pkce: { required: () => true },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    ttl: {
      AccessToken: 900,
      AuthorizationCode: 120,
      IdToken: 900,
      RefreshToken: 3600,
      Session: 900,
      Grant: 900,
      Interaction: 900,
    },
  }
  server.on('request', new Provider(issuer, settings).callback())
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const mapped = (original: string | URL): URL => {
  const url = new URL(original)
  url.pathname = paths.get(url.pathname) ?? url.pathname
  return url
}

/** Maps the paths, and converts the service's JSON bodies to the forms of RFC 6749. */
const shim: typeof globalThis.fetch = async (input, init) => {
  const request = new Request(input, init)
  if (request.method !== 'POST') return fetch(mapped(request.url), { redirect: 'manual' })
  const form = new URLSearchParams((await request.json()) as Record<string, string>)
  return fetch(mapped(request.url), { method: 'POST', body: form, redirect: 'manual' })
}

const aClient = () => new OidcClient({ baseUrl: issuer, clientId, clientSecret, redirectUri, fetch: shim })

/** Logs in and consents as a person with a browser does. @returns the callback URL */
async function signIn(authorizationUrl: string, account: string): Promise<string> {
  const cookies = new Map<string, string>()
  const visit = async (url: URL, form?: Record<string, string>) => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return response
  }
  let url = mapped(authorizationUrl)
  let form: Record<string, string> | undefined
  for (let steps = 0; steps < 10; steps++) {
    const response = await visit(url, form)
    form = undefined
    const location = response.headers.get('location')
    if (location === null) {
      const page = await response.text()
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? ''
      form = prompt === 'login' ? { prompt, login: account, password: 'any' } : { prompt }
      continue
    }
    url = new URL(location, url)
    if (url.href.startsWith(redirectUri)) return url.href
  }
  throw new Error('the provider did not redirect to the app within 10 steps')
}

it('signs a person in at another provider, and refreshes with rotation', async () => {
  const oidc = aClient()
  const login = await oidc.createAuthorization({ scope: ['profile'] })

  const callback = await signIn(login.url, 'ada')
  const tokens = await oidc.handleCallback(callback, login)

  expect(new URL(callback).searchParams.get('iss')).toBe(issuer)
  expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'openid profile' })
  expect(tokens.claims).toMatchObject({ iss: issuer, sub: 'ada', aud: clientId, nonce: login.nonce })
  const expected = { sub: 'ada', iss: issuer }
  const refreshed = await oidc.refresh(String(tokens.refresh_token), { expected })
  expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
  expect(refreshed.claims).toMatchObject(expected)
})

it('rejects with invalid_grant if a refresh token is used twice, and for all later tokens', async () => {
  const oidc = aClient()
  const login = await oidc.createAuthorization()
  const first = await oidc.handleCallback(await signIn(login.url, 'bob'), login)
  const second = await oidc.refresh(String(first.refresh_token))

  for (const used of [first.refresh_token, second.refresh_token]) {
    await expect(oidc.refresh(String(used))).rejects.toMatchObject({ status: 400, code: 'invalid_grant' })
  }
})

it('rejects with invalid_grant if a code is used twice, or with another verifier', async () => {
  const oidc = aClient()
  const [login, other] = [await oidc.createAuthorization(), await oidc.createAuthorization()]
  const callback = await signIn(login.url, 'eve')
  await oidc.handleCallback(callback, login)

  await expect(oidc.handleCallback(callback, login)).rejects.toMatchObject({ code: 'invalid_grant' })
  const mixed = { ...other, codeVerifier: String(login.codeVerifier) }
  await expect(oidc.handleCallback(await signIn(other.url, 'eve'), mixed)).rejects.toMatchObject({
    code: 'invalid_grant',
  })
})

it('rejects with invalid_client if the secret is wrong', async () => {
  const oidc = new OidcClient({ baseUrl: issuer, clientId, clientSecret: 'wrong', redirectUri, fetch: shim })

  await expect(oidc.refresh('any')).rejects.toMatchObject({ status: 401, code: 'invalid_client' })
})
