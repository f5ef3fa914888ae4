import { expect, it } from 'vitest'
import { listening, redirectUri } from './over-http.ts'
import { challenge, signInService } from './signing-in.ts'

const { authorizeUrl, emulator, exchange, press, raw } = await signInService()

const queryOf = (location: string | null) => Object.fromEntries(new URL(location ?? '').searchParams)

// Section 4.7: the authorization endpoint

it('a valid request is answered with the consent screen', async () => {
  const { status, headers } = await raw('GET', authorizeUrl({ nonce: 'n', scope: 'openid profile' }))

  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^text\/html/)
  expect(headers.get('location')).toBeNull()
})

it.each(['state_1', 'a b+c&d=e#f?g/%41', 'ü→😀', '"><script>'])(
  'the consent screen sends back to the redirect_uri with a code and the state unchanged: %s',
  (state) => {
    const callback = emulator.signIn.approve(authorizeUrl({ state }))

    expect(callback.startsWith(`${redirectUri}?`)).toBe(true)
    expect(queryOf(callback)).toEqual({ code: expect.stringMatching(/./), state })
  },
)

it('the buttons of the consent screen send the browser back', async () => {
  const agreed = queryOf(await press(authorizeUrl(), /Agree/))
  const declined = queryOf(await press(authorizeUrl(), /Decline/))

  expect(agreed).toEqual({ code: expect.stringMatching(/./), state: 'state_1' })
  expect((await exchange(agreed.code ?? '')).status).toBe(200)
  expect(declined).toMatchObject({ error: 'access_denied', state: 'state_1' })
})

it('who declines is sent back with error=access_denied, the state and no code', () => {
  const query = queryOf(emulator.signIn.deny(authorizeUrl()))

  expect(query).toMatchObject({ error: 'access_denied', state: 'state_1' })
  expect(query).not.toHaveProperty('code')
})

it.each<[what: string, over: Record<string, string | undefined>, error: string]>([
  ['no response_type', { response_type: undefined }, 'invalid_request'],
  ['a response_type other than code', { response_type: 'token' }, 'unsupported_response_type'],
  ['a response_type with code among others', { response_type: 'code id_token' }, 'unsupported_response_type'],
  ['no scope', { scope: undefined }, 'invalid_scope'],
  ['a scope without openid', { scope: 'profile' }, 'invalid_scope'],
  ['a scope that only resembles openid', { scope: 'openid2 profile' }, 'invalid_scope'],
  ['a scope that the application has not enabled', { scope: 'openid zkp' }, 'invalid_scope'],
  [
    'a plain PKCE challenge',
    { code_challenge: challenge, code_challenge_method: 'plain' },
    'invalid_request',
  ],
])('%s sends back with the error, without asking the person', async (_, over, error) => {
  const { status, headers } = await raw('GET', authorizeUrl(over))

  expect(status).toBe(302)
  expect(headers.get('location')?.startsWith(`${redirectUri}?`)).toBe(true)
  const query = queryOf(headers.get('location'))
  expect(query).toMatchObject({ error, state: 'state_1' })
  expect(query).not.toHaveProperty('code')
})

it.each([undefined, ''])('a request without a state is invalid_request: %s', async (state) => {
  const { status, headers } = await raw('GET', authorizeUrl({ state }))

  expect(status).toBe(302)
  expect(queryOf(headers.get('location'))).toMatchObject({ error: 'invalid_request' })
})

it.each<[what: string, over: Record<string, string | undefined>, status: number, code: string]>([
  ['no client_id', { client_id: undefined }, 400, 'invalid_request'],
  ['an unknown client_id', { client_id: 'app_2' }, 401, 'invalid_client'],
  ['no redirect_uri', { redirect_uri: undefined }, 400, 'invalid_request'],
  ['an unregistered redirect_uri', { redirect_uri: 'https://evil.example/' }, 400, 'invalid_redirect_uri'],
  ['a redirect_uri with a slash more', { redirect_uri: `${redirectUri}/` }, 400, 'invalid_redirect_uri'],
  ['a redirect_uri with a query more', { redirect_uri: `${redirectUri}?a=1` }, 400, 'invalid_redirect_uri'],
  ['a redirect_uri in capitals', { redirect_uri: redirectUri.toUpperCase() }, 400, 'invalid_redirect_uri'],
])('%s sends the browser nowhere', async (_, over, expected, code) => {
  const { status, headers, text } = await raw('GET', authorizeUrl(over))

  expect(status).toBe(expected)
  expect(headers.get('location')).toBeNull()
  expect(text).toContain(code)
})

it('an application that is not active is 403 unauthorized_client at the authorization endpoint', async () => {
  const inactive = await listening({ oidc: { active: false } })

  const { status, text } = await inactive.raw(
    'GET',
    new URL(authorizeUrl()).pathname + new URL(authorizeUrl()).search,
  )

  expect(status).toBe(403)
  expect(text).toContain('unauthorized_client')
})
