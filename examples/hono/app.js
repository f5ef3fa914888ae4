import { Hono } from 'hono'
import { generateCookie, getCookie } from 'hono/cookie'
import { HTTPException } from 'hono/http-exception'
import { createSignInHandler, createWebhookHandler, isSdkError, parseReturnUrl } from 'identity-service-sdk'

const sessionSeconds = 8 * 3600

/** A members' area: people sign in with their account and are then verified. */
export function createApp({ client, oidc, store, webhookSecret, cookieSecret, workflowId, publicUrl }) {
  const app = new Hono()

  const signIn = createSignInHandler({
    oidc,
    store,
    cookieSecret,
    onSignIn: async ({ claims }) => {
      // The id_token has identified the person. From here on the app uses its own session.
      const id = crypto.randomUUID()
      await store.set(`session:${id}`, claims.sub, { ttlMs: sessionSeconds * 1000 })
      const secure = publicUrl.startsWith('https:')
      const cookie = { path: '/', httpOnly: true, sameSite: 'Lax', secure, maxAge: sessionSeconds }
      const headers = { location: '/', 'set-cookie': generateCookie('session', id, cookie) }
      return new Response(null, { status: 303, headers })
    },
    onError: (error) => logError(error),
  })
  app.get('/login', ({ req }) => signIn.fetch(req.raw))
  app.get('/callback', ({ req }) => signIn.fetch(req.raw))

  async function saveOutcome({ session_id, vendor_data }) {
    const { decision, status } = await client.sessions.decision(session_id)
    if (vendor_data) await store.set(`outcome:${vendor_data}`, decision ?? status)
  }
  const webhooks = createWebhookHandler({
    secret: webhookSecret,
    store,
    on: {
      'verification.approved': saveOutcome,
      'verification.declined': saveOutcome,
      'verification.expired': saveOutcome,
    },
    onError: (error, { event }) => logError(error, event?.event_id),
  })
  // Pass the raw request, because the signature covers its bytes and not the parsed body.
  app.post('/webhooks', ({ req }) => webhooks.fetch(req.raw))

  // Anyone can forge the parameters of this URL, so the page shows no outcome.
  app.get('/return', ({ req, text }) =>
    text(
      parseReturnUrl(req.url).sessionId
        ? 'Thank you. The result is on its way.'
        : 'The session id is missing.',
    ),
  )

  app.use(async (context, next) => {
    const id = getCookie(context, 'session')
    const member = id && (await store.get(`session:${id}`))
    if (!member) return context.redirect('/login')
    context.set('member', member)
    return next()
  })

  app.get('/', ({ html }) =>
    html('<form method="post" action="/verification"><button>Verify me</button></form>'),
  )

  app.post('/verification', async (context) => {
    const session = await client.sessions.create({
      workflow_id: workflowId,
      vendor_data: context.get('member'),
      redirect_url: `${publicUrl}/return`,
      callback: `${publicUrl}/webhooks`,
    })
    return context.redirect(session.url, 303)
  })

  app.get('/me', async (context) => {
    const member = context.get('member')
    return context.json({ member, outcome: (await store.get(`outcome:${member}`)) ?? 'none yet' })
  })

  app.onError((error, { json }) => {
    if (error instanceof HTTPException) return error.getResponse()
    logError(error)
    if (!isSdkError(error)) return json({ error: 'something went wrong' }, 500)
    const { requestId, retryable } = error
    return json({ error: 'verification is not available', requestId }, retryable ? 503 : 502)
  })
  return app
}

// Errors of this package contain no secrets and no personal data. Give their requestId to the service's support.
function logError(error, eventId) {
  console.error(JSON.stringify({ eventId, error: isSdkError(error) ? error : String(error) }))
}
