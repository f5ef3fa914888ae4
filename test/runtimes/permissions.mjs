// A program for Node's permission model. Prints what each part of the package returns or throws.
import { createWebhookHandler, imageFromFile, OidcClient, VerificationClient } from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'
import { signWebhook } from 'identity-service-sdk/webhooks'

const [baseUrl = '', apiKey = '', image = ''] = process.argv.slice(2)
const client = new VerificationClient({ baseUrl, apiKey })
const overFetch = new VerificationClient({ baseUrl, apiKey, fetch: globalThis.fetch })

/** @type {Record<string, () => Promise<unknown>>} */
const steps = {
  call: async () => (await client.sessions.list()).length,
  fetch: async () => (await overFetch.sessions.list()).length,
  image: async () => (await client.checks.liveness({ image: imageFromFile(image) })).status,
  async keys() {
    const signIn = new OidcClient({ baseUrl, clientId: 'app', clientSecret: 'secret', redirectUri: baseUrl })
    // The key set is fetched, and has no key of this token.
    const token = ['{"alg":"RS256","kid":"other"}', '{}', 'abc'].map((part) => btoa(part).replace(/=+$/, '')).join('.')
    return signIn
      .validateIdToken(token, { nonce: 'n' })
      .catch(({ reason, cause }) => ({ reason, cause: cause?.message }))
  },
  async webhook() {
    const secret = 'a secret of a webhook'
    const handler = createWebhookHandler({ secret, onUnhandled() {} })
    const event = {
      event_id: 'evt_1',
      type: 'verification.approved',
      session_id: 'sess_1',
      status: 'APPROVED',
    }
    const { headers, body } = await signWebhook({ event, secret })
    return (await handler.fetch(new Request('https://app.test/', { method: 'POST', headers, body }))).status
  },
  async emulator() {
    const emulator = createEmulator()
    return (await new VerificationClient(emulator.options.verification).sessions.list()).length
  },
  async listen() {
    const server = await createEmulator().listen()
    await server.close()
    return 'listened'
  },
}

/** @type {Record<string, unknown>} */
const results = {}
for (const [name, step] of Object.entries(steps))
  results[name] = await step().catch(({ name: type, message }) => `${type}: ${message}`)
console.log(JSON.stringify(results))
