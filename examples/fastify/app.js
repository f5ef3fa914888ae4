import fastify from 'fastify'
import { isSdkError, parseReturnUrl } from 'identity-service-sdk'
import { fastifyWebhook } from 'identity-service-sdk/fastify'

/** A car hire company. Drivers are verified on the hosted page; the webhook triggers reading the decision. */
export function createApp({ client, store, webhookSecret, workflowId, publicUrl }) {
  const app = fastify({ logger: true })

  app.get('/', (_request, reply) =>
    reply
      .type('text/html')
      .send('<form method="post" action="/drivers/ada"><button>Verify Ada</button></form>'),
  )

  // Fastify has no parser for forms. This one has no fields.
  app.addContentTypeParser('application/x-www-form-urlencoded', (_request, _body, done) => done(null))

  // In a real app, take the driver from your own sign-in, because anyone can type a path.
  app.post('/drivers/:id', async (request, reply) => {
    const session = await client.sessions.create({
      workflow_id: workflowId,
      vendor_data: request.params.id,
      redirect_url: `${publicUrl}/return`,
      callback: `${publicUrl}/webhooks`,
    })
    return reply.redirect(session.url, 303)
  })

  // Anyone can forge the parameters of this URL, so the page shows no outcome.
  app.get('/return', ({ url }) =>
    parseReturnUrl(url).sessionId ? 'Thank you. The result is on its way.' : 'The session id is missing.',
  )

  app.get('/drivers/:id', async ({ params }) => ({
    outcome: (await store.get(`outcome:${params.id}`)) ?? 'none yet',
  }))

  async function saveOutcome({ session_id, vendor_data }) {
    const { decision, status } = await client.sessions.decision(session_id)
    if (vendor_data) await store.set(`outcome:${vendor_data}`, decision ?? status)
  }

  // The plugin keeps bodies raw for its own route, because the signature covers the raw bytes.
  app.register(fastifyWebhook, {
    path: '/webhooks',
    secret: webhookSecret,
    store,
    on: {
      'verification.approved': saveOutcome,
      'verification.declined': saveOutcome,
      'verification.expired': saveOutcome,
    },
    onError: (error, { event }) => app.log.error({ error, eventId: event?.event_id }, 'webhook'),
  })

  app.setErrorHandler((error, request, reply) => {
    if (!isSdkError(error)) throw error
    // `error`, not `err`: the package's errors serialize themselves, completely and without secrets.
    request.log.error({ error })
    const { requestId, retryable } = error
    return reply.status(retryable ? 503 : 502).send({ error: 'verification is not available', requestId })
  })
  return app
}
