import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator.ts'
import { ConfigurationError, InvalidParamsError } from '../../../src/index.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { code, codeVerifier, nonce } from '../grants.ts'
import { issuer } from '../issuer.ts'

const accepted = [
  'https://app.example.test/callback',
  'http://localhost:3000/callback',
  'http://127.0.0.1/callback',
  'http://127.8.9.1:3000/callback',
  'http://[::1]:3000/callback',
  'com.example.app:/callback',
  'com.example.app-1://callback',
]

const rejected = [
  'javascript:alert(document.domain)',
  'JavaScript://app.example.test/%0aalert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///callback',
  'blob:https://app.example.test/x',
  'app://callback',
  'http://app.example.test/callback',
  'http://anything.localhost/callback',
  'http://localhost.example.test/callback',
  'http://127.0.0.1.example.test/callback',
  'http://0.0.0.0/callback',
  'ftp://localhost/callback',
  'https://app.example.test/callback#done',
  ' https://app.example.test/callback',
  'https://app.example.test/call back',
  '/callback',
]

it.each(accepted)('signs in with the redirect URI %s', async (redirectUri) => {
  const { client } = issuer()

  const [byClient, bySignIn] = await Promise.all([
    client({ redirectUri }).createAuthorization(),
    client().createAuthorization({ redirectUri }),
  ])

  for (const { url } of [byClient, bySignIn]) expect(new URL(url).searchParams.get('redirect_uri')).toBe(redirectUri)
})

it.each(rejected)('rejects the redirect URI %j in options, with what is allowed', (redirectUri) => {
  const { client } = issuer()

  expect(() => client({ redirectUri })).toThrow(ConfigurationError)
  expect(() => client({ redirectUri })).toThrow(
    'redirectUri must be a valid URL without spaces and fragment: https, http to localhost, 127.0.0.1 or [::1], or a private-use scheme with a dot, such as com.example.app:/callback',
  )
})

it.each(rejected)('rejects the redirect URI %j of a sign-in or an exchange, and sends nothing', async (redirectUri) => {
  const { client, token, others } = issuer()
  const oidc = client()
  const started = { state: 'state', nonce, codeVerifier, redirectUri }
  const errors = await Promise.all([
    thrownBy(oidc.createAuthorization({ redirectUri })),
    thrownBy(oidc.exchangeCode({ code, redirectUri })),
    thrownBy(oidc.handleCallback(`/callback?code=${code}&state=state`, started)),
    thrownBy(oidc.legacy.exchangeCode({ code, redirectUri })),
  ])

  for (const error of errors) {
    expect(error).toBeInstanceOf(InvalidParamsError)
    expect(error).toMatchObject({ issues: [{ path: 'redirectUri' }] })
  }
  expect([token.requests, others.requests]).toEqual([[], []])
})

it.each(rejected)('the emulator registers no redirect URI %j', (redirectUri) => {
  expect(() => createEmulator({ oidc: { redirectUris: [redirectUri] } })).toThrow(ConfigurationError)
})

it.each(accepted)('the emulator registers the redirect URI %s', (redirectUri) => {
  const emulator = createEmulator({ oidc: { redirectUris: [redirectUri] } })

  expect(emulator.options.oidc.redirectUri).toBe(redirectUri)
})
