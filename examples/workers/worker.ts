import { env } from 'cloudflare:workers'
import {
  createSignInHandler,
  createVerificationManager,
  createWebhookHandler,
  isSdkError,
  OidcClient,
  parseReturnUrl,
  VerificationClient,
} from 'identity-service-sdk'
import { durableStore, type StoredValues } from './store.ts'

export { StoredValues } from './store.ts'

// The variables and bindings of wrangler.jsonc, and its secrets.
declare global {
  namespace Cloudflare {
    interface Env {
      STORE: DurableObjectNamespace<StoredValues>
      PUBLIC_URL: string
      WORKFLOW_ID?: string
      SVC_BASE_URL: string
      SVC_API_KEY: string
      SVC_CLIENT_ID: string
      SVC_CLIENT_SECRET: string
      SVC_WEBHOOK_SECRET: string
      SVC_COOKIE_SECRET: string
    }
  }
}

const { PUBLIC_URL, SVC_BASE_URL: baseUrl, SVC_API_KEY: apiKey, SVC_CLIENT_ID, SVC_CLIENT_SECRET } = env
const sessionSeconds = 8 * 3600

const client = new VerificationClient({ baseUrl, apiKey })
const store = durableStore(env.STORE)

const signIn = createSignInHandler({
  oidc: new OidcClient({
    baseUrl,
    clientId: SVC_CLIENT_ID,
    clientSecret: SVC_CLIENT_SECRET,
    redirectUri: `${PUBLIC_URL}/callback`,
  }),
  store,
  cookieSecret: env.SVC_COOKIE_SECRET,
  onSignIn: async ({ claims }, _request, { returnTo }) => {
    // The id_token has identified the person. From here on the app uses its own session.
    const id = crypto.randomUUID()
    await store.set(`session:${id}`, claims.sub, { ttlMs: sessionSeconds * 1000 })
    const secure = PUBLIC_URL.startsWith('https:') ? '; Secure' : ''
    const cookie = `session=${id}; Max-Age=${sessionSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`
    return new Response(null, { status: 303, headers: { location: returnTo, 'set-cookie': cookie } })
  },
  onError: (error) => logError(error),
})

// One verification for each person. It reads the outcome from the service, never from an event or the browser.
const verifications = createVerificationManager({
  client,
  store,
  session: {
    workflow_id: env.WORKFLOW_ID ?? 'wf_identity',
    redirect_url: `${PUBLIC_URL}/return`,
    callback: `${PUBLIC_URL}/webhooks`,
  },
})
const webhooks = createWebhookHandler({
  secret: env.SVC_WEBHOOK_SECRET,
  store,
  consumers: [verifications],
  onError: (error, { event }) => logError(error, event?.event_id),
})

type Respond<Input> = (input: Input) => Response | Promise<Response>

/** Responses to anyone. */
const open = new Map<string, Respond<Request>>([
  ['GET /login', signIn.fetch],
  ['GET /callback', signIn.fetch],
  ['POST /webhooks', webhooks.fetch],
  [
    'GET /return',
    // Anyone can forge the parameters of this URL, so the page shows no outcome.
    ({ url }) =>
      new Response(
        parseReturnUrl(url).sessionId ? 'Thank you. The result is on its way.' : 'The session id is missing.',
      ),
  ],
])

/** Responses to a person who is signed in. */
const forMembers = new Map<string, Respond<string>>([
  [
    'GET /',
    () =>
      new Response('<form method="post" action="/verification"><button>Verify me</button></form>', {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      }),
  ],
  [
    'POST /verification',
    async (member) => {
      // Resumes an open session, or creates one. Nobody who is approved or in review gets another.
      const { state, url } = await verifications.start(member)
      return Response.redirect(state === 'open' ? url : `${PUBLIC_URL}/me`, 303)
    },
  ],
  [
    'GET /me',
    async (member) => {
      const { state } = await verifications.get(member)
      return Response.json({ member, state })
    },
  ],
])

async function respond(request: Request): Promise<Response> {
  const { pathname: returnTo } = new URL(request.url)
  const route = `${request.method} ${returnTo}`
  const respondToAnyone = open.get(route)
  if (respondToAnyone) return respondToAnyone(request)
  const respondToMember = forMembers.get(route)
  if (!respondToMember) return new Response('not found', { status: 404 })
  const [, id] = /(?:^|; )session=([\w-]+)/.exec(request.headers.get('cookie') ?? '') ?? []
  const member = id ? await store.get(`session:${id}`) : null
  if (member) return respondToMember(member)
  const query = request.method === 'GET' ? `?${new URLSearchParams({ returnTo })}` : ''
  return Response.redirect(`${PUBLIC_URL}/login${query}`, 302)
}

export default {
  async fetch(request: Request) {
    try {
      return await respond(request)
    } catch (error) {
      logError(error)
      const requestId = isSdkError(error) ? error.requestId : undefined
      const isRetryable = isSdkError(error) && error.retryable === true
      return Response.json({ error: 'not available', requestId }, { status: isRetryable ? 503 : 502 })
    }
  },

  /** Runs at the times of `crons` in wrangler.jsonc. Finds the outcomes of webhooks that were lost. */
  async scheduled() {
    for await (const item of verifications.reconcile()) if (item.outcome === 'failed') logError(item.error)
  },
}

// Errors of this package contain no secrets and no personal data. Give their requestId to the service's support.
function logError(error: unknown, eventId?: string) {
  console.error(JSON.stringify({ eventId, error: isSdkError(error) ? error : String(error) }))
}
