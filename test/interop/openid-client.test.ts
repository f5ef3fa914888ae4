import * as openid from 'openid-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmulator, type EmulatorServer } from '../../src/emulator.ts'

/** Our emulator over HTTP, with an independent relying party. */

const redirectUri = 'http://127.0.0.1:5555/callback'
const users = [{ sub: 'user_1' }, { sub: 'user_2', email: 'ada@example.test' }]
const emulator = createEmulator({ users, members: [{ email: 'ada@example.test' }] })
const { clientId, clientSecret } = emulator.options.oidc
let server: EmulatorServer

beforeAll(async () => {
  server = await emulator.listen()
})
afterAll(() => server.close())

function aRelyingParty(secret = clientSecret): openid.Configuration {
  const under = `${server.url}/api/auth/oidc`
  // The service has no discovery document.
  const metadata: openid.ServerMetadata = {
    issuer: server.url,
    authorization_endpoint: `${under}/authorize`,
    token_endpoint: `${under}/token`,
    jwks_uri: `${under}/jwks.json`,
  }
  const config = new openid.Configuration(metadata, clientId, undefined, openid.ClientSecretPost(secret))
  openid.allowInsecureRequests(config)
  // By default it does not verify the signatures of id_tokens.
  openid.enableNonRepudiationChecks(config)
  return config
}

async function startSignIn(config: openid.Configuration, over: Record<string, string> = {}) {
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const checks = {
    pkceCodeVerifier,
    expectedState: openid.randomState(),
    expectedNonce: openid.randomNonce(),
  }
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid profile',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...over,
  })
  return { url, checks }
}

/** Submits the form of the consent page, as a browser does. */
async function choose(url: URL, form: Record<string, string>): Promise<URL> {
  const page = await (await fetch(url)).text()
  expect(page).toContain('<form method="post">')
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  return new URL(response.headers.get('location') ?? '')
}

it('signs a person in with the consent page', async () => {
  const config = aRelyingParty()
  const { url, checks } = await startSignIn(config)

  const callback = await choose(url, { choice: 'approve', user: 'user_2' })
  const tokens = await openid.authorizationCodeGrant(config, callback, checks)

  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 900, scope: 'openid profile' })
  expect(tokens.claims()).toMatchObject({
    iss: server.url,
    sub: 'user_2',
    aud: clientId,
    nonce: checks.expectedNonce,
    svc_org_member_id: expect.stringMatching(/^vmem_/),
  })
})

it('refreshes with rotation, and detects a refresh token that is used twice', async () => {
  const config = aRelyingParty()
  const { url, checks } = await startSignIn(config)
  const first = await openid.authorizationCodeGrant(config, await choose(url, { choice: 'approve' }), checks)

  const second = await openid.refreshTokenGrant(config, String(first.refresh_token))

  expect(second.claims()).toMatchObject({ iss: server.url, sub: 'user_1' })
  for (const used of [first.refresh_token, second.refresh_token]) {
    const refreshed = openid.refreshTokenGrant(config, String(used))
    await expect(refreshed).rejects.toMatchObject({ status: 400, error: 'invalid_grant' })
  }
})

it('signs people in after the keys were rotated', async () => {
  const config = aRelyingParty()
  const signIn = async () => {
    const { url, checks } = await startSignIn(config)
    return openid.authorizationCodeGrant(config, await choose(url, { choice: 'approve' }), checks)
  }
  await signIn()
  await emulator.signIn.rotateKeys()

  // This relying party caches a key set for at least a minute. A new one fetches it again.
  const { url, checks } = await startSignIn(config)
  const callback = await choose(url, { choice: 'approve' })
  const tokens = await openid.authorizationCodeGrant(aRelyingParty(), callback, checks)

  expect(tokens.claims()?.sub).toBe('user_1')
})

it('returns access_denied if the person declined', async () => {
  const config = aRelyingParty()
  const { url, checks } = await startSignIn(config)
  const callback = await choose(url, { choice: 'deny' })

  const finished = openid.authorizationCodeGrant(config, callback, checks)

  await expect(finished).rejects.toMatchObject({
    code: 'OAUTH_AUTHORIZATION_RESPONSE_ERROR',
    error: 'access_denied',
  })
})

it.each<[what: string, over: Record<string, string>, error: string]>([
  ['a scope that is not enabled', { scope: 'openid admin' }, 'invalid_scope'],
  ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
])('returns the error of %s at the callback', async (_, over, error) => {
  const config = aRelyingParty()
  const { url, checks } = await startSignIn(config, over)
  const response = await fetch(url, { redirect: 'manual' })
  const callback = new URL(response.headers.get('location') ?? '')

  await expect(openid.authorizationCodeGrant(config, callback, checks)).rejects.toMatchObject({ error })
})

it('returns invalid_grant for another verifier, and invalid_client for a wrong secret', async () => {
  const config = aRelyingParty()
  const { url, checks } = await startSignIn(config)
  const callback = await choose(url, { choice: 'approve' })
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()

  const mismatch = openid.authorizationCodeGrant(config, callback, { ...checks, pkceCodeVerifier })
  await expect(mismatch).rejects.toMatchObject({ status: 400, error: 'invalid_grant' })
  const stranger = openid.refreshTokenGrant(aRelyingParty('wrong'), 'rt_0')
  await expect(stranger).rejects.toMatchObject({ status: 401, error: 'invalid_client' })
})
