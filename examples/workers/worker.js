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
import { durableStore } from './store.js'

export { StoredValue } from './store.js'

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
  onSignIn: async ({ claims }) => {
    // The id_token has identified the person. From here on the app uses its own session.
    const id = crypto.randomUUID()
    await store.set(`session:${id}`, claims.sub, { ttlMs: sessionSeconds * 1000 })
    const secure = PUBLIC_URL.startsWith('https:') ? '; Secure' : ''
    const cookie = `session=${id}; Max-Age=${sessionSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`
    return new Response(null, { status: 303, headers: { location: '/', 'set-cookie': cookie } })
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

const open = {
  'GET /login': (request) => signIn.fetch(request),
  'GET /callback': (request) => signIn.fetch(request),
  'POST /webhooks': webhooks.fetch,
  // Anyone can forge the parameters of this URL, so the page shows no outcome.
  'GET /return': ({ url }) =>
    new Response(
      parseReturnUrl(url).sessionId ? 'Thank you. The result is on its way.' : 'The session id is missing.',
    ),
}

const forMembers = {
  'GET /': () =>
    new Response('<form method="post" action="/verification"><button>Verify me</button></form>', {
      headers: { 'content-type': 'text/html; charset=utf-8' },
    }),
  'POST /verification': async (member) => {
    // Resumes an open session, or creates one. Nobody who is approved or in review gets another.
    const { state, url } = await verifications.start(member)
    return Response.redirect(state === 'open' ? url : `${PUBLIC_URL}/me`, 303)
  },
  'GET /me': async (member) => {
    const { state } = await verifications.get(member)
    return Response.json({ member, state })
  },
}

async function respond(request) {
  const route = `${request.method} ${new URL(request.url).pathname}`
  if (Object.hasOwn(open, route)) return open[route](request)
  if (!Object.hasOwn(forMembers, route)) return new Response('not found', { status: 404 })
  const [, id] = /(?:^|; )session=([\w-]+)/.exec(request.headers.get('cookie') ?? '') ?? []
  const member = id ? await store.get(`session:${id}`) : null
  return member ? forMembers[route](member) : Response.redirect(`${PUBLIC_URL}/login`, 302)
}

export default {
  async fetch(request) {
    try {
      return await respond(request)
    } catch (error) {
      logError(error)
      const { requestId, retryable } = isSdkError(error) ? error : {}
      return Response.json({ error: 'not available', requestId }, { status: retryable ? 503 : 502 })
    }
  },
}

// Errors of this package contain no secrets and no personal data. Give their requestId to the service's support.
function logError(error, eventId) {
  console.error(JSON.stringify({ eventId, error: isSdkError(error) ? error : String(error) }))
}
