import { createHash } from 'node:crypto'
import {
  createSignInHandler,
  createWebhookHandler,
  memoryStore,
  type OidcClient,
  type VerificationClient,
  type WebhookEvent,
} from 'identity-service-sdk'

interface Settings {
  client: VerificationClient
  oidc: OidcClient
  /** The public URL of the app, without a trailing slash. */
  publicUrl: string
  webhookSecret: string
  cookieSecret: string
  sendMail: (guest: string, outcome: string) => void
  /** The clock for webhook timestamps. Tests pass the emulator's. */
  now?: () => Date
}

/**
 * Creates the app under test: a club. Members sign in. Guests are verified before they are admitted, and take a
 * selfie at the door, which is checked for liveness. The app is a function from `Request` to `Response`, as in Hono,
 * Next.js, Bun, Deno and Workers.
 */
export function createApp({
  client,
  oidc,
  publicUrl,
  webhookSecret,
  cookieSecret,
  sendMail,
  now,
}: Settings): (request: Request) => Promise<Response> {
  /**
   * The outcome of each guest. Kept by hand, so that these tests have something to test: events can arrive in any
   * order, and `createVerificationManager` keeps outcomes so that the order does not matter.
   */
  const outcomes = new Map<string, string>()

  const saveOutcome = (guest: string, outcome: string) => {
    outcomes.set(guest, outcome)
    sendMail(guest, outcome)
  }

  async function verify(guest: string) {
    const session = await client.sessions.create({
      workflow_id: 'wf_identity',
      vendor_data: guest,
      redirect_url: `${publicUrl}/guests/${guest}`,
      callback: `${publicUrl}/webhooks`,
      ttl_seconds: 3600,
    })
    return Response.redirect(session.url, 303)
  }

  async function checkSelfie(guest: string, request: Request) {
    const image = new Uint8Array(await request.arrayBuffer())
    if (image.length === 0) return Response.json({ error: 'the selfie is missing' }, { status: 400 })
    // If the response is lost, the guest sends the selfie again. With the same key, it is still one call.
    const idempotencyKey = createHash('sha256').update(`liveness ${guest} `).update(image).digest('hex')
    const { status } = await client.checks.liveness({ image }, { idempotencyKey })
    return Response.json({ admitted: status === 'passed' }, { status: status === 'passed' ? 200 : 403 })
  }

  async function readDecision({ session_id, vendor_data }: WebhookEvent) {
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

  return async function app(request) {
    const { pathname } = new URL(request.url)
    const [, collection, guest = '', step] = pathname.split('/')
    if (pathname === '/login' || pathname === '/callback') return signIn.fetch(request)
    if (pathname === '/webhooks') return webhooks.fetch(request)
    if (collection !== 'guests') return new Response('not found', { status: 404 })
    if (request.method === 'GET') return Response.json({ guest, outcome: outcomes.get(guest) ?? 'none yet' })
    return step === 'selfie' ? checkSelfie(guest, request) : verify(guest)
  }
}
