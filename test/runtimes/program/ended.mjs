import { env } from 'cloudflare:workers'
import {
  createTokenManager,
  createVerificationManager,
  memoryStore,
  OidcClient,
  VerificationClient,
} from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'

const { baseUrl, clientId, idToken } = env.SETTINGS
const store = memoryStore()
const redirectUri = 'https://app.example.test/callback'
const oidc = new OidcClient({ baseUrl, clientId, clientSecret: 'secret', redirectUri, jwks: { timeoutMs: 1000 } })
const manager = createTokenManager({ oidc, store, lockTtlMs: 1000 })
/** @type {ReturnType<typeof createEmulator> | undefined} */
let emulator
/** @type {ReturnType<typeof createVerificationManager> | undefined} */
let verifications
/** @type {string[]} */
const changes = []
let calls = 0

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** What a request does, by path. @type {Record<string, () => Promise<unknown>>} */
const work = {
  '/keys': async () => (await oidc.validateIdToken(idToken, { nonce: 'nonce_1' })).sub,
  '/refresh': async () => {
    const tokens = { access_token: 'access_0', refresh_token: 'refresh_0', token_type: 'Bearer', expires_in: 900 }
    if (calls++ === 0) await manager.save('user_1', { ...tokens, scope: 'openid', expiresAtSeconds: 0 })
    return manager.getAccessToken('user_1')
  },
  '/delivery': async () => {
    emulator ??= createEmulator()
    verifications ??= createVerificationManager({
      client: new VerificationClient(emulator.options.verification),
      store,
      session: { workflow_id: 'wf_identity' },
      startLeaseMs: 500,
      onChange: async ({ to }) => {
        changes.push(to)
        if (changes.length === 1) await sleep(60_000)
      },
    })
    await verifications.start('user_1')
    await verifications.refresh('user_1')
    return changes
  },
}

export default {
  /** @param {Request} request */
  async fetch(request) {
    const { pathname, search } = new URL(request.url)
    if (pathname === '/ready') return new Response(null, { status: 204 })
    const result = work[pathname]?.().catch((error) => `${error.name}: ${error.reason}`)
    const ended = search === '?ends' ? [sleep(200).then(() => 'ended')] : []
    return Response.json(await Promise.race([result, ...ended]))
  },
}
