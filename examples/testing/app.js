import { createSignInHandler, createWebhookHandler, memoryStore } from 'identity-service-sdk'

/**
 * Creates the app under test: a club. Members sign in. Guests are verified before they are admitted, and take a
 * selfie at the door, which is checked for liveness. The app is a function from `Request` to `Response`, as in Hono,
 * Next.js, Bun, Deno and Workers.
 *
 * @param {object} settings
 * @param {import('identity-service-sdk').VerificationClient} settings.client
 * @param {import('identity-service-sdk').OidcClient} settings.oidc
 * @param {string} settings.publicUrl the public URL of the app, without a trailing slash
 * @param {string} settings.webhookSecret
 * @param {string} settings.cookieSecret
 * @param {(guest: string, outcome: string) => void} settings.sendMail
 * @param {() => Date} [settings.now] the clock for webhook timestamps; tests pass the emulator's
 */
export function createApp({ client, oidc, publicUrl, webhookSecret, cookieSecret, sendMail, now }) {
  /**
   * @type {Map<string, string>} the outcome of each guest. Kept by hand, so that these tests have something to test:
   * events can arrive in any order, and `createVerificationManager` keeps outcomes so that the order does not matter
   */
  const outcomes = new Map()

  /** @type {(guest: string, outcome: string) => void} */
  const saveOutcome = (guest, outcome) => {
    outcomes.set(guest, outcome)
    sendMail(guest, outcome)
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
  async function checkSelfie(request) {
    const { status } = await client.checks.liveness({ image: new Uint8Array(await request.arrayBuffer()) })
    return Response.json({ admitted: status === 'passed' }, { status: status === 'passed' ? 200 : 403 })
  }

  /** @param {import('identity-service-sdk').WebhookEvent} event */
  async function readDecision({ session_id, vendor_data }) {
    // The webhook is only a notification. The decision is read from the service.
    const { decision } = await client.sessions.decision(session_id)
    if (vendor_data && decision) saveOutcome(vendor_data, decision)
  }

  const webhooks = createWebhookHandler({
    secret: webhookSecret,
    on: {
      'verification.approved': readDecision,
      'verification.declined': readDecision,
      'verification.expired': ({ vendor_data }) => vendor_data && saveOutcome(vendor_data, 'start again'),
    },
    now,
  })

  const signIn = createSignInHandler({
    oidc,
    store: memoryStore(),
    cookieSecret,
    onSignIn: (tokens) => Response.json({ member: tokens.claims.sub }),
  })

  /** @param {Request} request */
  return async function app(request) {
    const { pathname } = new URL(request.url)
    const [, collection, guest = '', step] = pathname.split('/')
    if (pathname === '/login' || pathname === '/callback') return signIn.fetch(request)
    if (pathname === '/webhooks') return webhooks.fetch(request)
    if (collection !== 'guests') return new Response('not found', { status: 404 })
    if (request.method === 'GET') return Response.json({ guest, outcome: outcomes.get(guest) ?? 'none yet' })
    return step === 'selfie' ? checkSelfie(request) : verify(guest)
  }
}
