import { expect, it } from 'vitest'
import { createEmulator, EmulatorError, type EmulatorOptions } from '../../src/emulator.ts'
import { ConfigurationError, isSdkError } from '../../src/errors.ts'
import { emulated, origin } from './emulated.ts'
import { challenge, redirectUri, signedIn, state } from './signed-in.ts'

const choose = (
  emulator: ReturnType<typeof signedIn>['emulator'],
  url: string,
  form: Record<string, string>,
) => emulator.fetch(new Request(url, { method: 'POST', body: new URLSearchParams(form) }))

const queryOf = (location: string | null) => Object.fromEntries(new URL(location ?? '').searchParams)

it('shows a consent page that says what it is', async () => {
  const { emulator, authorizationUrl } = signedIn()

  const response = await emulator.fetch(new Request(authorizationUrl()))

  const page = await response.text()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(response.headers.get('x-emulator')).toBe('1')
  expect(page).toContain('<html lang="en">')
  expect(page).toMatch(/role="note".*Local emulator/)
  expect(page).toContain('<h1>Sign in to emulator_client_id</h1>')
  expect(page).toContain('(<code>openid</code>)')
  expect(page).toContain('See your name and email address (<code>profile</code>)')
  expect(page).toContain(redirectUri)
  expect(page).toContain('<legend>Sign in as</legend>')
  expect(page).toMatch(
    /<label><input type="radio" name="user" value="user_sample" checked> Alex Sample<\/label>/,
  )
})

it('sends the person back with a code and the state as it was, and nothing else', async () => {
  const { emulator, authorizationUrl } = signedIn()

  const response = await choose(emulator, authorizationUrl({ state: 'a b+c&=/ü' }), { choice: 'approve' })

  const location = response.headers.get('location')
  expect(response.status).toBe(303)
  expect(location?.startsWith(`${redirectUri}?code=`)).toBe(true)
  expect(queryOf(location)).toEqual({ code: expect.stringMatching(/^code_[\da-f]{24}$/), state: 'a b+c&=/ü' })
})

it('sends the person back with access_denied where they decline', async () => {
  const { emulator, authorizationUrl } = signedIn()

  const response = await choose(emulator, authorizationUrl(), { choice: 'deny' })

  expect(response.status).toBe(303)
  expect(queryOf(response.headers.get('location'))).toMatchObject({ error: 'access_denied', state })
  expect(emulator.signIn.deny(authorizationUrl())).toBe(response.headers.get('location'))
})

it('takes no choice that it does not offer', async () => {
  const { emulator, authorizationUrl } = signedIn()

  const response = await choose(emulator, authorizationUrl(), { choice: 'yes' })

  expect(response.status).toBe(400)
  expect(await response.text()).toContain('<form method="post">')
})

it('keeps the query of the redirect URI as it is', () => {
  const { emulator, authorizationUrl } = signedIn()

  const callback = emulator.signIn.approve(authorizationUrl({ redirect_uri: `${redirectUri}?a=%20+x#part` }))

  expect(callback).toMatch(/^http:\/\/127\.0\.0\.1:5555\/back\?a=%20\+x&code=code_\w+&state=state_1#part$/)
})

it.each<[what: string, over: Record<string, string | undefined>, status: number, code: string]>([
  ['no client', { client_id: undefined }, 400, 'invalid_request'],
  ['an unknown client', { client_id: 'other' }, 401, 'invalid_client'],
  ['no redirect URI', { redirect_uri: undefined }, 400, 'invalid_request'],
  ['a redirect URI elsewhere', { redirect_uri: 'https://evil.example/back' }, 400, 'invalid_redirect_uri'],
  ['a redirect URI that is no URL', { redirect_uri: 'back' }, 400, 'invalid_redirect_uri'],
  ['a script as redirect URI', { redirect_uri: 'javascript:alert(1)' }, 400, 'invalid_redirect_uri'],
])('sends nobody anywhere for %s', async (_, over, status, code) => {
  const { emulator, authorizationUrl } = signedIn()

  const response = await emulator.fetch(new Request(authorizationUrl(over)))

  expect(response.status).toBe(status)
  expect(response.headers.get('location')).toBeNull()
  expect(await response.text()).toContain(`<code>${code}</code>`)
  expect(() => emulator.signIn.approve(authorizationUrl(over))).toThrow(EmulatorError)
})

it('takes registered redirect URIs by the letter', () => {
  const { emulator, authorizationUrl } = signedIn({ oidc: { redirectUris: [redirectUri, 'app://back'] } })

  expect(emulator.options.oidc.redirectUri).toBe(redirectUri)
  for (const redirect_uri of [redirectUri, 'app://back'])
    expect(emulator.signIn.approve(authorizationUrl({ redirect_uri }))).toContain('code=')
  for (const redirect_uri of [`${redirectUri}/`, `${redirectUri}?a`, redirectUri.toUpperCase()])
    expect(() => emulator.signIn.approve(authorizationUrl({ redirect_uri }))).toThrow('invalid_redirect_uri')
})

it('answers 403 for an application that is not active', async () => {
  const { emulator, authorizationUrl } = signedIn({ oidc: { active: false } })

  const response = await emulator.fetch(new Request(authorizationUrl()))

  expect(response.status).toBe(403)
  expect(await response.text()).toContain('unauthorized_client')
})

it.each<[what: string, over: Record<string, string | undefined>, error: string]>([
  ['no response_type', { response_type: undefined }, 'invalid_request'],
  ['another response_type', { response_type: 'token' }, 'unsupported_response_type'],
  ['no scope', { scope: undefined }, 'invalid_scope'],
  ['a scope without openid', { scope: 'profile' }, 'invalid_scope'],
  ['a scope that is not enabled', { scope: 'openid admin' }, 'invalid_scope'],
  ['a challenge without its method', { code_challenge: challenge }, 'invalid_request'],
  ['a plain challenge', { code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
  ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
  ['a challenge of no form', { code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
])('sends the browser back with the error for %s, without asking', async (_, over, error) => {
  const { emulator, authorizationUrl } = signedIn()

  const response = await emulator.fetch(new Request(authorizationUrl(over)))

  expect(response.status).toBe(302)
  expect(queryOf(response.headers.get('location'))).toMatchObject({ error, state })
  expect(emulator.signIn.approve(authorizationUrl(over))).toBe(response.headers.get('location'))
})

it('sends the browser back without a state where it has none, or several', () => {
  const { emulator, authorizationUrl } = signedIn()

  const missing = queryOf(emulator.signIn.approve(authorizationUrl({ state: undefined })))
  const repeated = queryOf(emulator.signIn.approve(`${authorizationUrl()}&state=other`))

  for (const query of [missing, repeated]) {
    expect(query.error).toBe('invalid_request')
    expect(query).not.toHaveProperty('state')
  }
})

it('escapes whatever it shows', async () => {
  const hostile = `"><script>alert('x')</script><img src=x onerror=alert(1)>`
  const { emulator, authorizationUrl } = signedIn({
    oidc: { scopes: ['openid', hostile.replaceAll(' ', '')], clientId: hostile },
    users: [{ sub: hostile, name: hostile }],
  })
  const url = authorizationUrl({
    client_id: hostile,
    scope: `openid ${hostile.replaceAll(' ', '')}`,
    redirect_uri: `${redirectUri}?${hostile}`,
  })

  const page = await (await emulator.fetch(new Request(url))).text()
  const refusal = await (
    await emulator.fetch(new Request(authorizationUrl({ client_id: hostile + 1 })))
  ).text()

  for (const text of [page, refusal]) {
    expect(text).not.toContain('<script')
    expect(text).not.toContain('<img')
  }
  expect(page.split('&lt;script&gt;').length).toBeGreaterThan(4)
})

it('lets the person choose who they are', async () => {
  const users = [{ sub: 'u1', email: 'one@example.test' }, { sub: 'u2' }, { sub: 'u3', name: 'Three' }]
  const { emulator, authorizationUrl, exchange, verified } = signedIn({ users })
  const page = await (await emulator.fetch(new Request(authorizationUrl()))).text()
  const chosen = await choose(emulator, authorizationUrl(), { choice: 'approve', user: 'u3' })

  const { body } = await exchange(queryOf(chosen.headers.get('location')).code ?? '')

  expect(page).toMatch(/one@example\.test[\s\S]*u2[\s\S]*Three/)
  expect((await verified(body.id_token)).payload.sub).toBe('u3')
})

it.each([
  [undefined, 'u1'],
  ['u2', 'u2'],
  ['two@example.test', 'u2'],
])('approves as the user %s', async (user, sub) => {
  const users = [{ sub: 'u1' }, { sub: 'u2', email: 'two@example.test' }]
  const { codeFor, exchange, verified } = signedIn({ users })

  const { body } = await exchange(codeFor({}, user))

  expect((await verified(body.id_token)).payload.sub).toBe(sub)
})

it('does not know a user, an authorization or an address that is none', () => {
  const { emulator, authorizationUrl } = signedIn()

  expect(() => emulator.signIn.approve(authorizationUrl(), { user: 'nobody' })).toThrow(EmulatorError)
  for (const address of ['', '/api/auth/oidc/authorize', `${origin}/elsewhere`])
    expect(() => emulator.signIn.approve(address)).toThrow(EmulatorError)
})

it.each(['POST token', 'GET userinfo', 'GET licenses', 'GET verifications', 'POST refresh'])(
  'answers 410 endpoint_removed at the legacy endpoint %s',
  async (line) => {
    const [method = '', name] = line.split(' ')
    const { status, success, error } = await emulated().call(method, `/api/auth/tpsso/${name}`)

    expect({ status, success, error }).toMatchObject({
      status: 410,
      success: false,
      error: { code: 'endpoint_removed' },
    })
  },
)

it('names what arrived, and strikes it with faults', async () => {
  const { emulator, authorizationUrl, codeFor, exchange, keySet } = signedIn()
  emulator.faults.add({ match: 'oidc.exchangeCode', status: 503 })
  emulator.faults.add({ match: 'oidc.jwks', status: 500 })

  const struck = await exchange(codeFor())
  const keys: unknown = await keySet()
  await emulator.fetch(new Request(authorizationUrl()))

  expect(struck.status).toBe(503)
  expect(struck.body.error).toEqual(expect.any(String))
  expect(keys).not.toHaveProperty('keys')
  expect(emulator.requests.map(({ operation }) => operation)).toEqual([
    'oidc.exchangeCode',
    'oidc.jwks',
    'oidc.authorize',
  ])
})

it.each<[what: string, options: EmulatorOptions]>([
  ['a blank clientId', { oidc: { clientId: ' ' } }],
  ['no redirect URI in the list', { oidc: { redirectUris: [] } }],
  ['a relative redirect URI', { oidc: { redirectUris: ['/back'] } }],
  ['scopes without openid', { oidc: { scopes: ['profile'] } }],
  ['no user', { users: [] }],
  ['two users of one sub', { users: [{ sub: 'u' }, { sub: 'u' }] }],
])('refuses to be made with %s', (_, options) => {
  expect(() => createEmulator(options)).toThrow(ConfigurationError)
})

it('tells its own errors as those of this package', () => {
  const { emulator } = signedIn()
  let thrown: unknown
  try {
    emulator.signIn.deny('nowhere')
  } catch (error) {
    thrown = error
  }

  expect(isSdkError(thrown)).toBe(true)
})
