import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { CallbackError, type CallbackReason, InvalidParamsError, type StartedSignIn } from '../../../src/index.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { code, codeVerifier, nonce } from '../grants.ts'
import { baseUrl, clientId, clientSecret, idToken, issuer, json, redirectUri, tokens } from '../issuer.ts'

const state = 'state_1_0123456789abcdef'
const started = { state, nonce, codeVerifier, redirectUri }
const query = `code=${code}&state=${state}`

/** An issuer that returns the tokens of the sign-in above. */
function ready() {
  const service = issuer()
  service.token.respondWith(json(tokens({ id_token: idToken({ nonce }) })))
  return service
}

it.each<[what: string, callback: string | URL | URLSearchParams | Request]>([
  ['a URL string', `${redirectUri}?${query}`],
  ['a relative URL', `/callback?${query}`],
  ['a query', `?${query}`],
  ['a URL with a fragment', `/callback?${query}#code=other&state=other`],
  ['a URL object', new URL(`${redirectUri}?${query}`)],
  ['URLSearchParams', new URLSearchParams(query)],
  ['a Request', new Request(`${redirectUri}?${query}`)],
  ['a URL with the issuer', `/callback?${query}&iss=${encodeURIComponent(baseUrl)}`],
  ['a URL with other parameters', `/callback?session_state=a&${query}&session_state=b`],
  ['a URL with a question mark in a value', `/callback?from=a?b&${query}`],
])('finishes a sign-in with %s', async (_, callback) => {
  const { client, token } = ready()

  const { claims } = await client().handleCallback(callback, started)

  expect(claims).toMatchObject({ sub: 'user_1', nonce })
  expect(await token.requests[0]?.json()).toEqual({
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: clientSecret,
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  })
})

it('finishes a sign-in that createAuthorization started', async () => {
  const { client, token } = issuer()
  const oidc = client()
  const login = await oidc.createAuthorization({ redirectUri: 'https://other.example/back' })
  token.respondWith(json(tokens({ id_token: idToken({ nonce: login.nonce }) })))

  await oidc.handleCallback(`/back?code=${code}&state=${login.state}`, login)

  const { codeVerifier: code_verifier, redirectUri: redirect_uri } = login
  expect(redirect_uri).toBe('https://other.example/back')
  expect(await token.requests[0]?.json()).toMatchObject({ code_verifier, redirect_uri })
})

const messages: Record<CallbackReason, RegExp> = {
  repeated_parameter: /^oidc\.handleCallback: the callback has (?:code|state|error|iss) more than once$/,
  authorization_error:
    /^oidc\.handleCallback: the sign-in was not granted \((?:access_denied|unreadable)\)\. Let the person sign in again\.$/,
  missing_code:
    /^oidc\.handleCallback: the callback has no code: check that it is the whole URL of the request, with its query$/,
  state_mismatch: /^oidc\.handleCallback: state mismatch\. The /,
  issuer_mismatch: /^oidc\.handleCallback: the callback is from another issuer: check the option issuer /,
}

it.each<[what: string, callback: string, reason: CallbackReason, error?: string]>([
  ['code twice', `?${query}&code=${code}`, 'repeated_parameter'],
  ['state twice', `?${query}&state=${state}`, 'repeated_parameter'],
  ['error twice, which is checked first', '?error=a&error=b', 'repeated_parameter'],
  ['iss twice', `?${query}&iss=a&iss=b`, 'repeated_parameter'],
  ['a parameter twice, once with an escaped name', `?${query}&c%6fde=x`, 'repeated_parameter'],
  ['an error', `?error=access_denied&state=${state}`, 'authorization_error', 'access_denied'],
  ['an error and a code', `?error=access_denied&${query}`, 'authorization_error', 'access_denied'],
  ['an error and another state', '?error=access_denied&state=x', 'authorization_error', 'access_denied'],
  ['an empty error', `?error=&${query}`, 'authorization_error', 'unreadable'],
  ['an error that is HTML', '?error=<script>alert(1)</script>', 'authorization_error', 'unreadable'],
  ['an error that is a sentence', '?error=call+0800+now', 'authorization_error', 'unreadable'],
  ['no parameters', '/callback', 'missing_code'],
  ['an empty code', `?code=&state=${state}`, 'missing_code'],
  ['a code in the fragment', `/callback#${query}`, 'missing_code'],
  ['a code in the path', `/code=${code}&state=${state}`, 'missing_code'],
  ['an error that only starts like a code', '?error=access_denied!', 'authorization_error', 'unreadable'],
  ['an error that only ends like a code', '?error=!access_denied', 'authorization_error', 'unreadable'],
  ['no code and another state', '?state=x', 'missing_code'],
  ['no state', `?code=${code}`, 'state_mismatch'],
  ['an empty state', `?code=${code}&state=`, 'state_mismatch'],
  ['another state', `?code=${code}&state=${state}x`, 'state_mismatch'],
  ['half the state', `?code=${code}&state=${state.slice(0, -1)}`, 'state_mismatch'],
  ['another state and another issuer', `?code=${code}&state=x&iss=y`, 'state_mismatch'],
  ['another issuer', `?${query}&iss=https://evil.example`, 'issuer_mismatch'],
  ['an empty issuer', `?${query}&iss=`, 'issuer_mismatch'],
])('rejects a callback with %s, and sends nothing', async (_, callback, reason, error) => {
  const { client, token } = ready()

  const thrown = await thrownBy(client().handleCallback(callback, started))

  expect(thrown).toBeInstanceOf(CallbackError)
  expect(thrown).toMatchObject({ code: 'callback_refused', reason, status: 400 })
  expect((thrown as CallbackError).error).toBe(error)
  expect((thrown as CallbackError).message).toMatch(messages[reason])
  expect(token.requests).toHaveLength(0)
})

it.each([
  ['invalid_scope', 'Enable the scopes'],
  ['unauthorized_client', 'Activate the application'],
  ['invalid_client', 'Check clientId and clientSecret'],
  ['unsupported_response_type', 'Check baseUrl'],
])('reports %s as the configuration of the app, with what was sent', async (code, advice) => {
  const oidc = issuer().client({ scope: ['openid', 'payments'] })

  const error = await thrownBy(oidc.handleCallback(`?error=${code}&state=${state}`, started))

  const sent = `Sent: client_id ${clientId}, redirect_uri ${redirectUri}, response_type code, scope of the client openid payments. ${advice}`
  expect(error).toMatchObject({
    reason: 'authorization_error',
    error: code,
    hint: expect.stringContaining(sent),
    message: expect.stringMatching(
      new RegExp(`^oidc\\.handleCallback: the service rejected the configuration of the app \\(${code}\\)\\. Sent: `),
    ),
  })
  expect((error as Error).message).not.toContain('Let the person sign in again')
})

it.each<[what: string, started: unknown, callback: string]>([
  ['undefined', undefined, `?${query}`],
  ['null', null, `?${query}`],
  ['an empty object', {}, `?code=${code}`],
  ['an empty object, with the state "undefined" in the callback', {}, `?code=${code}&state=undefined`],
  ['an empty state', { ...started, state: '' }, `?code=${code}&state=`],
  ['a state of null', { ...started, state: null }, `?code=${code}&state=null`],
])('rejects every callback if the stored sign-in is %s', async (_, lost, callback) => {
  const { client, token } = ready()
  const finished = client().handleCallback(callback, lost as StartedSignIn)

  await expect(finished).rejects.toMatchObject({ reason: 'state_mismatch' })
  expect(token.requests).toHaveLength(0)
})

it('rejects a stored sign-in without a nonce, and sends nothing', async () => {
  const { client, token } = ready()
  const finished = client().handleCallback(`?${query}`, { state } as StartedSignIn)

  await expect(finished).rejects.toBeInstanceOf(InvalidParamsError)
  await expect(finished).rejects.toMatchObject({
    issues: [{ path: 'nonce', message: expect.stringContaining('createAuthorization') }],
    operation: 'oidc.handleCallback',
  })
  expect(token.requests).toHaveLength(0)
})

it.each([
  ['of another sign-in', { nonce: 'nonce_2' }],
  ['without a nonce', {}],
])('rejects an id_token %s', async (_, claims) => {
  const { client, token } = ready()
  token.respondWith(json(tokens({ id_token: idToken(claims) })))
  const finished = client().handleCallback(`?${query}`, started)

  await expect(finished).rejects.toMatchObject({ reason: 'nonce_mismatch' })
})

it('quotes nothing of a callback in its error except a plain code', async () => {
  const { client } = ready()
  const canary = 'canary 0123456789'
  const callbacks = [
    `?error=${canary}&error_description=${canary}&state=${canary}`,
    `?code=${canary}&state=${canary}`,
    `?code=${canary}&code=${canary}`,
    `?code=${canary}&state=${state}&iss=${canary}`,
  ]

  for (const callback of callbacks) {
    const error = await thrownBy(client().handleCallback(callback, started))
    expect(error).toBeInstanceOf(CallbackError)
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toMatch(/canary|state_1/)
  }
})

it('names localhost as the likely cause if the sign-in of a development machine was lost', async () => {
  const oidc = issuer().client({ redirectUri: 'http://127.0.0.1:3000/callback' })
  const callback = '/callback?code=code_1&state=state_1'

  const lost: unknown = await oidc.handleCallback(callback, undefined as never).catch((thrown) => thrown)
  const other: unknown = await oidc
    .handleCallback(callback, { state: 'state_2', nonce: 'n', codeVerifier: 'v' })
    .catch((thrown) => thrown)

  expect(lost).toMatchObject({ hint: expect.stringContaining('localhost') })
  expect(other).toMatchObject({ hint: expect.not.stringContaining('localhost') })
})

it('names handleCallback if it has no redirect URI, or one that is not valid', async () => {
  const withoutUri = issuer().client({ redirectUri: undefined })
  const { redirectUri: _, ...incomplete } = started

  await expect(withoutUri.handleCallback(`?${query}`, incomplete)).rejects.toThrow(
    /^oidc\.handleCallback: redirectUri is missing/,
  )
  await expect(
    withoutUri.handleCallback(`?${query}`, { ...started, redirectUri: 'http://evil.example' }),
  ).rejects.toThrow(/^oidc\.handleCallback: redirectUri must be a valid URL without spaces and fragment: https/)
})
