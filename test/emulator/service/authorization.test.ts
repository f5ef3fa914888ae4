import { expect, it } from 'vitest'
import { EmulatorError } from '../../../src/emulator.ts'
import { pressButton } from '../support/press-button.ts'
import { application, overHttp, redirectUri } from '../support/service.ts'
import { challenge, queryOf, sharedSignIn, signInAt } from '../support/sign-in.ts'

// Section 4.7: the authorization endpoint

const users = [
  { sub: 'user_ada', email: 'ada@example.com' },
  { sub: 'user_bob', email: 'bob@example.com' },
]

const service = await sharedSignIn({
  users,
  oidc: { scopes: ['openid', 'profile'], redirectUris: [redirectUri, 'com.example.app:/back'] },
})
const { authorizationUrl, codeFor, emulator, exchange, raw, verified } = service

const choose = (url: string, fields: Record<string, string>) => raw('POST', url, { body: new URLSearchParams(fields) })

it('the buttons of the consent page approve and decline', async () => {
  const approved = queryOf(await pressButton(service, authorizationUrl(), /Agree/))
  const declined = queryOf(await pressButton(service, authorizationUrl(), /Decline/))

  expect(approved).toEqual({ code: expect.stringMatching(/./), state: 'state_1' })
  expect((await exchange(approved.code ?? '')).status).toBe(200)
  expect(declined).toMatchObject({ error: 'access_denied', state: 'state_1' })
})

it('signs in the user whom the person selects', async () => {
  const { headers } = await choose(authorizationUrl(), { choice: 'approve', user: 'user_bob' })

  const { body } = await exchange(queryOf(headers.get('location')).code ?? '')

  expect((await verified(body.id_token)).claims.sub).toBe('user_bob')
})

it.each<[what: string, over: Record<string, string | undefined>, error: string]>([
  ['no response_type', { response_type: undefined }, 'invalid_request'],
  ['a response_type other than code', { response_type: 'token' }, 'unsupported_response_type'],
  ['a response_type with code among others', { response_type: 'code id_token' }, 'unsupported_response_type'],
  ['no scope', { scope: undefined }, 'invalid_scope'],
  ['a scope without openid', { scope: 'profile' }, 'invalid_scope'],
  ['a scope that only resembles openid', { scope: 'openid2 profile' }, 'invalid_scope'],
  ['a scope that is not enabled for the application', { scope: 'openid zkp' }, 'invalid_scope'],
  ['a PKCE challenge without its method', { code_challenge: challenge }, 'invalid_request'],
  ['a plain PKCE challenge', { code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
  ['a PKCE method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
  ['a PKCE challenge that is too short', { code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
])('redirects with the error, without a consent page, if the request has %s', async (_, over, error) => {
  const { status, headers } = await raw('GET', authorizationUrl(over))

  expect(status).toBe(302)
  const location = headers.get('location')
  expect(location?.startsWith(`${redirectUri}?`)).toBe(true)
  const query = queryOf(location)
  expect(query).toMatchObject({ error, state: 'state_1' })
  expect(query).not.toHaveProperty('code')
  expect(emulator.signIn.approve(authorizationUrl(over))).toBe(location)
})

it.each([
  ['no state', authorizationUrl({ state: undefined }), undefined],
  ['an empty state', authorizationUrl({ state: '' }), ''],
  ['two states', `${authorizationUrl()}&state=other`, undefined],
])('redirects with invalid_request if the request has %s', async (_, url, state) => {
  const { status, headers } = await raw('GET', url)

  expect(status).toBe(302)
  const query = queryOf(headers.get('location'))
  expect(query).toMatchObject({ error: 'invalid_request' })
  expect(query).not.toHaveProperty('code')
  expect(query.state).toBe(state)
})

it.each<[what: string, over: Record<string, string | undefined>, status: number, code: string]>([
  ['no client_id', { client_id: undefined }, 400, 'invalid_request'],
  ['an unknown client_id', { client_id: 'app_2' }, 401, 'invalid_client'],
  ['no redirect_uri', { redirect_uri: undefined }, 400, 'invalid_request'],
  ['an unregistered redirect_uri', { redirect_uri: 'https://evil.example/' }, 400, 'invalid_redirect_uri'],
  ['a redirect_uri with a further slash', { redirect_uri: `${redirectUri}/` }, 400, 'invalid_redirect_uri'],
  ['a redirect_uri with a further query', { redirect_uri: `${redirectUri}?a` }, 400, 'invalid_redirect_uri'],
  ['a redirect_uri in capitals', { redirect_uri: redirectUri.toUpperCase() }, 400, 'invalid_redirect_uri'],
  ['a redirect_uri that is not a URL', { redirect_uri: 'back' }, 400, 'invalid_redirect_uri'],
  ['a redirect_uri that is a script', { redirect_uri: 'javascript:alert(1)' }, 400, 'invalid_redirect_uri'],
])('shows an error page and never redirects if the request has %s', async (_, over, expected, code) => {
  const { status, headers, text } = await raw('GET', authorizationUrl(over))

  expect(status).toBe(expected)
  expect(headers.get('location')).toBeNull()
  expect(text).toContain(`<code>${code}</code>`)
  expect(() => emulator.signIn.approve(authorizationUrl(over))).toThrow(EmulatorError)
})

it.each([redirectUri, 'com.example.app:/back'])('accepts each registered redirect URI: %s', (redirect_uri) => {
  expect(emulator.signIn.approve(authorizationUrl({ redirect_uri }))).toContain('code=')
  expect(emulator.options.oidc.redirectUri).toBe(redirectUri)
})

it('accepts every loopback redirect URI if none is registered, and keeps its query and fragment', async () => {
  const open = signInAt(await overHttp({ oidc: { redirectUris: undefined } }))
  const redirect_uri = 'http://127.0.0.1:5555/back?a=%20+x#part'

  const callback = open.emulator.signIn.approve(open.authorizationUrl({ redirect_uri }))

  expect(callback).toMatch(/^http:\/\/127\.0\.0\.1:5555\/back\?a=%20\+x&code=code_\w+&state=state_1#part$/)
})

it.each([
  ['another host', { redirect_uri: 'https://app.example/back' }],
  ['a script', { redirect_uri: 'javascript:alert(1)' }],
])('rejects %s as redirect URI if none is registered', async (_, over) => {
  const open = signInAt(await overHttp({ oidc: { redirectUris: undefined } }))

  const { status, headers } = await open.raw('GET', open.authorizationUrl(over))

  expect([status, headers.get('location')]).toEqual([400, null])
})

it.each([
  ['the first user by default', undefined, 'user_ada'],
  ['a user by sub', 'user_bob', 'user_bob'],
  ['a user by email', 'bob@example.com', 'user_bob'],
])('signIn.approve signs in %s', async (_, user, sub) => {
  const { body } = await exchange(codeFor({}, user))

  expect((await verified(body.id_token)).claims.sub).toBe(sub)
})

it('signIn.approve throws EmulatorError for an unknown user', () => {
  expect(() => emulator.signIn.approve(authorizationUrl(), { user: 'unknown' })).toThrow(EmulatorError)
})

it.each(['', '/api/auth/oidc/authorize', `https://identity.example/elsewhere?client_id=${application.client_id}`])(
  'signIn.approve and signIn.deny throw EmulatorError for an address that is not an authorization URL: %j',
  (address) => {
    expect(() => emulator.signIn.approve(address)).toThrow(EmulatorError)
    expect(() => emulator.signIn.deny(address)).toThrow(EmulatorError)
  },
)
