import { Hono } from 'hono'
import { generateCookie, getCookie } from 'hono/cookie'
import { HTTPException } from 'hono/http-exception'
import {
  createSignInHandler,
  createVerificationManager,
  createWebhookHandler,
  isSdkError,
  type OidcClient,
  parseReturnUrl,
  type Store,
  type VerificationClient,
} from 'identity-service-sdk'

const sessionSeconds = 8 * 3600

interface Settings {
  client: VerificationClient
  oidc: OidcClient
  store: Store
  workflowId: string
  publicUrl: string
}

/** A members' area: people sign in with their account and are then verified. */
export function createApp({ client, oidc, store, workflowId, publicUrl }: Settings) {
  const app = new Hono<{ Variables: { member: string } }>()

  const signIn = createSignInHandler({
    oidc,
    store,
    onSignIn: async ({ claims }, _request, { returnTo }) => {
      // The id_token has identified the person. From here on the app uses its own session.
      const id = crypto.randomUUID()
      await store.set(`session:${id}`, claims.sub, { ttlMs: sessionSeconds * 1000 })
      const secure = publicUrl.startsWith('https:')
      const cookie = generateCookie('session', id, {
        path: '/',
        httpOnly: true,
        sameSite: 'Lax',
        secure,
        maxAge: sessionSeconds,
      })
      return new Response(null, { status: 303, headers: { location: returnTo, 'set-cookie': cookie } })
    },
    onError: (error) => logError(error),
  })
  app.get('/login', ({ req }) => signIn.fetch(req.raw))
  app.get('/callback', ({ req }) => signIn.fetch(req.raw))

  // One verification for each person. It reads the outcome from the service, never from an event or the browser.
  const verifications = createVerificationManager({
    client,
    store,
    session: {
      workflow_id: workflowId,
      redirect_url: `${publicUrl}/return`,
      callback: `${publicUrl}/webhooks`,
    },
  })
  const webhooks = createWebhookHandler({
    store,
    consumers: [verifications],
    onError: (error, { event }) => logError(error, event?.event_id),
  })
  // Pass the raw request, because the signature covers its bytes and not the parsed body.
  app.post('/webhooks', ({ req }) => webhooks.fetch(req.raw))

  // Anyone can forge the parameters of this URL, so the page shows no outcome.
  app.get('/return', ({ req, text }) =>
    text(parseReturnUrl(req.url).sessionId ? 'Thank you. The result is on its way.' : 'The session id is missing.'),
  )

  app.use(async (context, next) => {
    const id = getCookie(context, 'session')
    const member = id && (await store.get(`session:${id}`))
    const { method, path } = context.req
    if (!member)
      return context.redirect(method === 'GET' ? `/login?${new URLSearchParams({ returnTo: path })}` : '/login')
    context.set('member', member)
    return next()
  })

  app.get('/', ({ html }) => html('<form method="post" action="/verification"><button>Verify me</button></form>'))

  app.post('/verification', async (context) => {
    // Resumes an open session, or creates one. Nobody who is approved or in review gets another.
    const { state, url } = await verifications.start(context.get('member'))
    return context.redirect(state === 'open' ? url : '/me', 303)
  })

  app.get('/me', async (context) => {
    const member = context.get('member')
    const { state } = await verifications.get(member)
    return context.json({ member, state })
  })

  app.onError((error, { json }) => {
    if (error instanceof HTTPException) return error.getResponse()
    logError(error)
    if (!isSdkError(error)) return json({ error: 'something went wrong' }, 500)
    const { requestId, retryable = false } = error
    return json({ error: 'verification is not available', requestId }, retryable ? 503 : 502)
  })
  return app
}

// Errors of this package contain no secrets and no personal data. Give their requestId to the service's support.
function logError(error: unknown, eventId?: string) {
  console.error(JSON.stringify({ eventId, error: isSdkError(error) ? error : String(error) }))
}
