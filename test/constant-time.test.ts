import { beforeEach, expect, it, vi } from 'vitest'
import * as crypto from '../src/runtime/crypto.ts'
import { idToken, issuer, json, tokens } from './oidc/issuer.ts'
import { signInApp } from './support/sign-in-app.ts'
import { browserOf } from './support/sign-in-browser.ts'

vi.mock(import('../src/runtime/crypto.ts'), async (load) => {
  const actual = await load()
  return { ...actual, equalTexts: vi.fn(actual.equalTexts) }
})

beforeEach(() => {
  vi.mocked(crypto.equalTexts).mockClear()
})

it('compares state and nonce in constant time', async () => {
  const { client, token } = issuer()
  token.respondWith(json(tokens({ id_token: idToken({ nonce: 'nonce_1' }) })))

  const started = { state: 'state_1', nonce: 'nonce_1', codeVerifier: 'verifier_1' }

  await client().handleCallback('?code=x&state=state_1', started)

  expect(vi.mocked(crypto.equalTexts).mock.calls).toEqual([
    ['state_1', 'state_1'],
    ['nonce_1', 'nonce_1'],
  ])
})

it('compares the state of the sign-in cookie in constant time', async () => {
  const { startSignIn, approve, visit } = browserOf(await signInApp('fetch'))
  const callback = approve(await startSignIn())
  const state = new URLSearchParams(callback.split('?')[1]).get('state')

  await visit(callback)

  expect(vi.mocked(crypto.equalTexts).mock.calls[0]).toEqual([state, state])
})
