import { Hono } from 'hono'
import { generateCookie, getCookie } from 'hono/cookie'
import { HTTPException } from 'hono/http-exception'
import { createSignInHandler, createWebhookHandler, isSdkError, parseReturnUrl } from 'identity-service-sdk'

const sessionSeconds = 8 * 3600

/** A members' area: people sign in with their account, and are verified before they get further. */
export function createApp({ client, oidc, store, webhookSecret, cookieSecret, workflowId, publicUrl }) {
  const app = new Hono()

  const signIn = createSignInHandler({
    oidc,
    store,
    cookieSecret,
    onSignIn: async ({ claims }) => {
      // From here on a session of our own counts: the id_token has said who it is.
      const id = crypto.randomUUID()
      await store.set(`session:${id}`, claims.sub, { ttlMs: sessionSeconds * 1000 })
      const secure = publicUrl.startsWith('https:')
      const cookie = { path: '/', httpOnly: true, sameSite: 'Lax', secure, maxAge: sessionSeconds }
      const headers = { location: '/', 'set-cookie': generateCookie('session', id, cookie) }
      return new Response(null, { status: 303, headers })
    },
    onError: (error) => tell(error),
  })
  app.get('/login', ({ req }) => signIn.fetch(req.raw))
  app.get('/callback', ({ req }) => signIn.fetch(req.raw))

  async function settle({ session_id, vendor_data }) {
    const { decision, status } = await client.sessions.decision(session_id)
    if (vendor_data) await store.set(`outcome:${vendor_data}`, decision ?? status)
  }
  const webhooks = createWebhookHandler({
    secret: webhookSecret,
    store,
    on: {
      'verification.approved': settle,
      'verification.declined': settle,
      'verification.expired': settle,
    },
    onError: (error, { event }) => tell(error, event?.event_id),
  })
  // The raw request: a body that was parsed and written again no longer has its signature.
  app.post('/webhooks', ({ req }) => webhooks.fetch(req.raw))

  // The browser may say anything: the page only tells the person that the result is on its way.
  app.get('/return', ({ req, text }) =>
    text(parseReturnUrl(req.url).sessionId ? 'Thank you. The result is on its way.' : 'Nothing to see here.'),
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
    tell(error)
    if (!isSdkError(error)) return json({ error: 'something went wrong' }, 500)
    const { requestId, retryable } = error
    return json({ error: 'verification is not available', requestId }, retryable ? 503 : 502)
  })
  return app
}

// An error of the package holds no secret and nothing personal; its requestId is what the service's support asks for.
function tell(error, eventId) {
  console.error(JSON.stringify({ eventId, error: isSdkError(error) ? error : String(error) }))
}
