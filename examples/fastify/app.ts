import fastify from 'fastify'
import {
  createVerificationManager,
  isSdkError,
  parseReturnUrl,
  type Store,
  type VerificationClient,
} from 'identity-service-sdk'
import { fastifyWebhook } from 'identity-service-sdk/fastify'

interface Settings {
  client: VerificationClient
  store: Store
  workflowId: string
  publicUrl: string
}

/** The parameters of the routes of a driver. */
interface DriverRoute {
  Params: { id: string }
}

/** A car hire company. Drivers are verified on the hosted page; the webhook makes the manager read the decision. */
export function createApp({ client, store, workflowId, publicUrl }: Settings) {
  const app = fastify({ logger: true })

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

  app.get('/', (_request, reply) =>
    reply.type('text/html').send('<form method="post" action="/drivers/ada"><button>Verify Ada</button></form>'),
  )

  // Fastify has no parser for forms. This one has no fields.
  app.addContentTypeParser('application/x-www-form-urlencoded', (_request, _body, done) => done(null))

  // In a real app, take the driver from your own sign-in, because anyone can type a path.
  app.post<DriverRoute>('/drivers/:id', async (request, reply) => {
    // Resumes an open session, or creates one. Nobody who is approved or in review gets another.
    const { state, url } = await verifications.start(request.params.id)
    return reply.redirect(state === 'open' ? url : `/drivers/${encodeURIComponent(request.params.id)}`, 303)
  })

  // Anyone can forge the parameters of this URL, so the page shows no outcome.
  app.get('/return', ({ url }) =>
    parseReturnUrl(url).sessionId ? 'Thank you. The result is on its way.' : 'The session id is missing.',
  )

  app.get<DriverRoute>('/drivers/:id', async ({ params }) => {
    const { state } = await verifications.get(params.id)
    return { state }
  })

  // The plugin keeps bodies raw for its own route, because the signature covers the raw bytes.
  app.register(fastifyWebhook, {
    path: '/webhooks',
    store,
    consumers: [verifications],
    onError: (error, { event }) => app.log.error({ error, eventId: event?.event_id }, 'webhook'),
  })

  app.setErrorHandler((error, request, reply) => {
    if (!isSdkError(error)) throw error
    // `error`, not `err`: the package's errors serialize themselves, completely and without secrets.
    request.log.error({ error })
    const { requestId, retryable = false } = error
    return reply.status(retryable ? 503 : 502).send({ error: 'verification is not available', requestId })
  })
  return app
}
