import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { OidcClient } from '../../src/index.ts'

/** An OpenID provider that nobody here wrote, asked by our client. */

const clientId = 'client_1'
const clientSecret = 'secret_1_0123456789abcdef'
const redirectUri = 'https://app.example.test/callback'

/** Our paths, and those of the provider. */
const paths = new Map([
  ['/api/auth/oidc/authorize', '/auth'],
  ['/api/auth/oidc/token', '/token'],
  ['/api/auth/oidc/jwks.json', '/jwks'],
])

const server = createServer()
let issuer = ''

beforeAll(async () => {
  // It tells on the console that it is set up for development.
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

const mapped = (address: string | URL): URL => {
  const url = new URL(address)
  url.pathname = paths.get(url.pathname) ?? url.pathname
  return url
}

/** Maps our paths, and turns our JSON into the form that RFC 6749 asks for. */
const shim: typeof globalThis.fetch = async (input, init) => {
  const request = new Request(input, init)
  if (request.method !== 'POST') return fetch(mapped(request.url), { redirect: 'manual' })
  const form = new URLSearchParams((await request.json()) as Record<string, string>)
  return fetch(mapped(request.url), { method: 'POST', body: form, redirect: 'manual' })
}

const aClient = () => new OidcClient({ baseUrl: issuer, clientId, clientSecret, redirectUri, fetch: shim })

/** A browser and the person before it: they log in, agree, and come back to the app. */
async function signIn(authorizationUrl: string, account: string): Promise<string> {
  const cookies = new Map<string, string>()
  const visit = async (address: URL, form?: Record<string, string>) => {
    const response = await fetch(address, {
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
  let address = mapped(authorizationUrl)
  let form: Record<string, string> | undefined
  for (let steps = 0; steps < 10; steps++) {
    const response = await visit(address, form)
    form = undefined
    const location = response.headers.get('location')
    if (location === null) {
      const page = await response.text()
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? ''
      form = prompt === 'login' ? { prompt, login: account, password: 'any' } : { prompt }
      continue
    }
    address = new URL(location, address)
    if (address.href.startsWith(redirectUri)) return address.href
  }
  throw new Error('the provider does not come to an end')
}

it('signs a person in at another provider, and renews with rotation', async () => {
  const oidc = aClient()
  const login = await oidc.createAuthorization({ scope: ['profile'] })

  const callback = await signIn(login.url, 'ada')
  const tokens = await oidc.handleCallback(callback, login)

  expect(new URL(callback).searchParams.get('iss')).toBe(issuer)
  expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'openid profile' })
  expect(tokens.claims).toMatchObject({ iss: issuer, sub: 'ada', aud: clientId, nonce: login.nonce })
  const expected = { sub: 'ada', iss: issuer }
  const renewed = await oidc.refresh(String(tokens.refresh_token), { expected })
  expect(renewed.refresh_token).not.toBe(tokens.refresh_token)
  expect(renewed.claims).toMatchObject(expected)
})

it('hears that a refresh token was used twice, after which none holds', async () => {
  const oidc = aClient()
  const login = await oidc.createAuthorization()
  const first = await oidc.handleCallback(await signIn(login.url, 'bob'), login)
  const second = await oidc.refresh(String(first.refresh_token))

  for (const spent of [first.refresh_token, second.refresh_token]) {
    await expect(oidc.refresh(String(spent))).rejects.toMatchObject({ status: 400, code: 'invalid_grant' })
  }
})

it('hears that a code was used twice, and that a verifier does not fit', async () => {
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

it('hears that its secret is wrong', async () => {
  const oidc = new OidcClient({ baseUrl: issuer, clientId, clientSecret: 'wrong', redirectUri, fetch: shim })

  await expect(oidc.refresh('any')).rejects.toMatchObject({ status: 401, code: 'invalid_client' })
})
