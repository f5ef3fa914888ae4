import { expect, it } from 'vitest'
import { loginMarkerMs } from '../../src/contract/sign-in/legacy.ts'
import { createEmulator } from '../../src/emulator.ts'
import {
  createSignInHandler,
  createTokenManager,
  createVerificationManager,
  createWebhookHandler,
  loginMarkers,
  memoryStore,
  OidcClient,
  type Store,
  signWebhook,
  VerificationClient,
} from '../../src/index.ts'
import { anEvent } from '../support/webhook.ts'
import { columnOf } from './reading.ts'

const page = 'docs/guides/data-protection.md'
const emulator = createEmulator()

it('the table of stored keys lists every prefix, with the time that it is kept', async () => {
  const kept = new Map<string, number | undefined>()
  const store = memoryStore()
  const watched: Store = {
    ...store,
    set(key, value, options) {
      kept.set(key.slice(0, key.indexOf(':') + 1), options?.ttlMs)
      return store.set(key, value, options)
    },
    compareAndSet(key, expected, value, options) {
      kept.set(key.slice(0, key.indexOf(':') + 1), options?.ttlMs)
      return store.compareAndSet(key, expected, value, options)
    },
    lists: {
      ...store.lists,
      replace(key, ...rest) {
        kept.set(key.slice(0, key.indexOf(':') + 1), undefined)
        return store.lists.replace(key, ...rest)
      },
    },
  }
  const secret = 'a secret of thirty-two characters'
  const redirectUri = 'http://127.0.0.1:3000/callback'
  const oidc = new OidcClient({ ...emulator.options.oidc, redirectUri })
  const client = new VerificationClient(emulator.options.verification)

  const webhooks = createWebhookHandler({ secret, store: watched, onTestEvent: () => undefined })
  await webhooks.handle(await signWebhook({ event: anEvent({ test: true }), secret }))
  const signIn = createSignInHandler({
    oidc,
    store: watched,
    cookieSecret: secret,
    onSignIn: () => undefined,
  })
  const started = await signIn.fetch(new Request('http://127.0.0.1:3000/login'))
  const [cookie = ''] = String(started.headers.get('set-cookie')).split(';')
  const callback = emulator.signIn.approve(String(started.headers.get('location')))
  await signIn.fetch(new Request(callback, { headers: { cookie } }))
  const login = await oidc.createAuthorization()
  const tokens = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
  const manager = createTokenManager({ oidc, store: watched })
  await manager.save('ada', { ...tokens, expiresAtSeconds: 0 })
  await manager.getAccessToken('ada')
  const markers = loginMarkers({ secret, store: watched })
  await markers.spend(await markers.create())

  const verifications = createVerificationManager({
    client,
    store: watched,
    session: { workflow_id: 'wf_identity' },
    onChange: () => undefined,
  })
  await verifications.start('ada')

  const minute = 60_000
  expect(columnOf(page, 'What a store contains').sort()).toEqual([...kept.keys()].sort())
  expect(Object.fromEntries(kept)).toEqual({
    'verification:': undefined,
    'verification-run:': minute / 2,
    'webhook:': 7 * 24 * 60 * minute,
    'sign-in:': 11 * minute,
    'tokens:': undefined,
    'tokens-lock:': minute,
    'login-marker:': loginMarkerMs + minute,
  })
})
