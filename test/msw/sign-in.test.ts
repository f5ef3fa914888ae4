import * as openid from 'openid-client'
import { expect, it } from 'vitest'
import { OidcClient } from '../../src/index.ts'
import { baseUrl, intercepted } from './intercepted.ts'

const { emulator, settings } = intercepted()

it('signs a person in, with the base URL and its path as the issuer', async () => {
  const oidc = new OidcClient(settings.oidc)
  const login = await oidc.createAuthorization()

  const tokens = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
  const renewed = await oidc.refresh(String(tokens.refresh_token), { expected: { iss: baseUrl } })

  expect(login.url).toMatch(`${baseUrl}/api/auth/oidc/authorize?`)
  expect(tokens.claims.iss).toBe(baseUrl)
  await expect(oidc.validateAccessToken(renewed.access_token)).resolves.toMatchObject({ iss: baseUrl })
  expect(emulator.requests.map(({ operation }) => operation)).toEqual([
    'oidc.exchangeCode',
    'oidc.jwks',
    'oidc.refresh',
  ])
})

it('serves the consent page below the base URL and redirects to the app', async () => {
  const oidc = new OidcClient(settings.oidc)
  const login = await oidc.createAuthorization()

  const page = await fetch(login.url)
  const body = new URLSearchParams({ choice: 'deny' })
  const response = await fetch(login.url, { method: 'POST', body, redirect: 'manual' })
  const result = oidc.handleCallback(String(response.headers.get('location')), login)

  expect(await page.text()).toContain('<form method="post">')
  expect(response.status).toBe(303)
  await expect(result).rejects.toMatchObject({ reason: 'authorization_error', error: 'access_denied' })
})

it('signs a person in with an independent relying party (openid-client)', async () => {
  const { clientId, clientSecret, redirectUri } = settings.oidc
  const oidcUrl = `${baseUrl}/api/auth/oidc`
  const config = new openid.Configuration(
    {
      issuer: baseUrl,
      authorization_endpoint: `${oidcUrl}/authorize`,
      token_endpoint: `${oidcUrl}/token`,
      jwks_uri: `${oidcUrl}/jwks.json`,
    },
    clientId,
    undefined,
    openid.ClientSecretPost(clientSecret),
  )
  openid.enableNonRepudiationChecks(config)
  const state = openid.randomState()
  const nonce = openid.randomNonce()
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid',
    state,
    nonce,
  })

  const callback = new URL(emulator.signIn.approve(url))
  const checks = { expectedState: state, expectedNonce: nonce }
  const tokens = await openid.authorizationCodeGrant(config, callback, checks)

  expect(tokens.claims()).toMatchObject({ iss: baseUrl, aud: clientId, nonce })
})
