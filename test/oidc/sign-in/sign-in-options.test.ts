// Misspelled on purpose: cspell:ignore calback

import { expect, it } from 'vitest'
import { expressSignIn } from '../../../src/express.ts'
import { ConfigurationError, createSignInHandler, memoryStore, OidcClient } from '../../../src/index.ts'
import { cookieSecret } from '../../support/sign-in-app.ts'

const client = { baseUrl: 'https://id.example.test', clientId: 'client', clientSecret: 'secret' }
const withoutRedirect = new OidcClient(client)
const oidc = new OidcClient({ ...client, redirectUri: 'https://app.example.test/callback' })
const valid = { oidc, store: memoryStore(), cookieSecret, onSignIn: () => undefined }

it.each<[what: string, options: Record<string, unknown>, message: RegExp]>([
  [
    'no store',
    { store: undefined },
    /^store is missing: pass a Store, such as memoryStore\(\) or redisStore\(client\)$/,
  ],
  ['null as store', { store: null }, /^store is missing/],
  ['a store without take', { store: { ...memoryStore(), take: undefined } }, /^store .* no method take$/],
  ['a Map as store', { store: new Map() }, /^store must be a Store.*: it has no method compareAndSet$/],
  ['no client', { oidc: undefined }, /^oidc is missing: pass an OidcClient$/],
  ['a client of another kind', { oidc: {} }, /^oidc must be an OidcClient: it has no method createAuth/],
  [
    'a client without handleCallback',
    { oidc: { createAuthorization: async () => ({}) } },
    /^oidc must be an OidcClient: it has no method handleCallback$/,
  ],
  ['a client without a redirect URI', { oidc: withoutRedirect }, /^the client has no redirectUri.*pass redirectUri/],
  ['no onSignIn', { onSignIn: undefined }, /^onSignIn is missing/],
  ['onError as text', { onError: 'log' }, /^onError must be a function$/],
  ['a path without a slash', { paths: { login: 'login' } }, /^paths\.login must start with \/$/],
  ['one path for both', { paths: { login: '/x', callback: '/x' } }, /^paths\.login and paths\.callback must be/],
  ['an unknown path', { paths: { calback: '/x' } }, /^paths\.calback is not an option\. Did you mean callback\?$/],
])('throws a ConfigurationError at construction for %s', (_, options, message) => {
  for (const create of [createSignInHandler, expressSignIn]) {
    const construct = () => create({ ...valid, ...options } as never)
    expect(construct).toThrow(ConfigurationError)
    expect(construct).toThrow(new RegExp(`^${create.name}: ${message.source.replace('^', '')}`))
  }
})

it('responds with 500 to a login if a client without the property has no redirect URI', async () => {
  const oidc = {
    createAuthorization: () => withoutRedirect.createAuthorization(),
    handleCallback: withoutRedirect.handleCallback.bind(withoutRedirect),
  }
  const failures: unknown[] = []
  const handler = createSignInHandler({ ...valid, oidc, onError: (error) => void failures.push(error) })

  const response = await handler.fetch(new Request('http://localhost:3000/login'))

  expect(response.status).toBe(500)
  expect(failures).toMatchObject([{ code: 'invalid_params', message: expect.stringContaining('redirectUri') }])
})
