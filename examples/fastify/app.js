import fastify from 'fastify'
import { isSdkError, parseReturnUrl } from 'identity-service-sdk'
import { fastifyWebhook } from 'identity-service-sdk/fastify'

/** A car hire that looks at licences: drivers are verified at the hosted page, and the webhook tells when to look. */
export function createApp({ client, store, webhookSecret, workflowId, publicUrl }) {
  const app = fastify({ logger: true })

  app.get('/', (_request, reply) =>
    reply
      .type('text/html')
      .send('<form method="post" action="/drivers/ada"><button>Verify Ada</button></form>'),
  )

  // A form without fields, which Fastify has no parser for.
  app.addContentTypeParser('application/x-www-form-urlencoded', (_request, _body, done) => done(null))

  // In real life your own sign-in says who the driver is: anybody can type a path.
  app.post('/drivers/:id', async (request, reply) => {
    const session = await client.sessions.create({
      workflow_id: workflowId,
      vendor_data: request.params.id,
      redirect_url: `${publicUrl}/return`,
      callback: `${publicUrl}/webhooks`,
    })
    return reply.redirect(session.url, 303)
  })

  // The browser may say anything: the page only tells the person that the result is on its way.
  app.get('/return', ({ url }) =>
    parseReturnUrl(url).sessionId ? 'Thank you. The result is on its way.' : 'Nothing to see here.',
  )

  app.get('/drivers/:id', async ({ params }) => ({
    outcome: (await store.get(`outcome:${params.id}`)) ?? 'none yet',
  }))

  async function settle({ session_id, vendor_data }) {
    const { decision, status } = await client.sessions.decision(session_id)
    if (vendor_data) await store.set(`outcome:${vendor_data}`, decision ?? status)
  }

  // A plugin of its own: there bodies stay raw, since the signature covers the bytes as they came.
  app.register(fastifyWebhook, {
    path: '/webhooks',
    secret: webhookSecret,
    store,
    on: {
      'verification.approved': settle,
      'verification.declined': settle,
      'verification.expired': settle,
    },
    onError: (error, { event }) => app.log.error({ error, eventId: event?.event_id }, 'webhook'),
  })

  app.setErrorHandler((error, request, reply) => {
    if (!isSdkError(error)) throw error
    // `error` and not `err`: what an error of the package tells of itself is fit to be logged, and complete.
    request.log.error({ error })
    const { requestId, retryable } = error
    return reply.status(retryable ? 503 : 502).send({ error: 'verification is not available', requestId })
  })
  return app
}
