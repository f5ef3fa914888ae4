import { createSignInHandler, createWebhookHandler, memoryStore } from 'identity-service-sdk'

/**
 * The app under test: a club. Members sign in, guests are verified before they are let in, and a selfie at the door
 * shows whether somebody real stands there. It is one function from `Request` to `Response`, as Hono, Next.js, Bun,
 * Deno and Workers have it.
 *
 * @param {object} settings
 * @param {import('identity-service-sdk').VerificationClient} settings.client
 * @param {import('identity-service-sdk').OidcClient} settings.oidc
 * @param {string} settings.publicUrl where the app is reached, without a trailing slash
 * @param {string} settings.webhookSecret
 * @param {string} settings.cookieSecret
 * @param {(guest: string, news: string) => void} settings.sendMail
 * @param {() => Date} [settings.now] the clock; a test that moves the service's moves this one with it
 */
export function createApp({ client, oidc, publicUrl, webhookSecret, cookieSecret, sendMail, now }) {
  /** @type {Map<string, string>} what became of each guest; a database in real life */
  const guests = new Map()

  /** @type {(guest: string, news: string) => void} */
  const tell = (guest, news) => {
    guests.set(guest, news)
    sendMail(guest, news)
  }

  /** @param {string} guest */
  async function verify(guest) {
    const session = await client.sessions.create({
      workflow_id: 'wf_identity',
      vendor_data: guest,
      redirect_url: `${publicUrl}/guests/${guest}`,
      callback: `${publicUrl}/webhooks`,
      ttl_seconds: 3600,
    })
    return Response.redirect(session.url, 303)
  }

  /** @param {Request} request */
  async function lookAt(request) {
    const { status } = await client.checks.liveness({ image: new Uint8Array(await request.arrayBuffer()) })
    return Response.json({ admitted: status === 'passed' }, { status: status === 'passed' ? 200 : 403 })
  }

  /** @param {import('identity-service-sdk').WebhookEvent} event */
  async function settle({ session_id, vendor_data }) {
    // The webhook only says that there is something to read.
    const { decision } = await client.sessions.decision(session_id)
    if (vendor_data && decision) tell(vendor_data, decision)
  }

  const webhooks = createWebhookHandler({
    secret: webhookSecret,
    on: {
      'verification.approved': settle,
      'verification.declined': settle,
      'verification.expired': ({ vendor_data }) => vendor_data && tell(vendor_data, 'start again'),
    },
    now,
  })

  const signIn = createSignInHandler({
    oidc,
    store: memoryStore(),
    cookieSecret,
    onSignIn: (tokens) => Response.json({ member: tokens.claims?.sub }),
  })

  /** @param {Request} request */
  return async function app(request) {
    const { pathname } = new URL(request.url)
    const [, place, guest = '', step] = pathname.split('/')
    if (pathname === '/login' || pathname === '/callback') return signIn.fetch(request)
    if (pathname === '/webhooks') return webhooks.fetch(request)
    if (place !== 'guests') return new Response('not found', { status: 404 })
    if (request.method === 'GET') return Response.json({ guest, news: guests.get(guest) ?? 'none yet' })
    return step === 'selfie' ? lookAt(request) : verify(guest)
  }
}
