import express, { type ErrorRequestHandler } from 'express'
import {
  createVerificationManager,
  isSdkError,
  parseReturnUrl,
  type Store,
  type VerificationClient,
} from 'identity-service-sdk'
import { expressWebhook } from 'identity-service-sdk/express'

interface Settings {
  client: VerificationClient
  store: Store
  workflowId: string
  publicUrl: string
}

/** A shop for adults. It trusts neither the browser nor the webhook, only the decision that its manager reads. */
export function createApp({ client, store, workflowId, publicUrl }: Settings) {
  const app = express().disable('x-powered-by')

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

  app.get('/', (_req, res) => {
    res.send('<form method="post" action="/customers/ada/verification"><button>Verify Ada</button></form>')
  })

  // In a real app, take the customer from your own sign-in, because anyone can type a path.
  app.post('/customers/:id/verification', async (req, res) => {
    // Resumes an open session, or creates one. Nobody who is approved or in review gets another.
    const { state, url } = await verifications.start(req.params.id)
    res.redirect(303, state === 'open' ? url : `/customers/${encodeURIComponent(req.params.id)}`)
  })

  // Anyone can forge the parameters of this URL, so the page shows no outcome.
  app.get('/return', (req, res) => {
    const { sessionId } = parseReturnUrl(req.url)
    res.type('text').send(sessionId ? 'Thank you. The result is on its way.' : 'The session id is missing.')
  })

  app.get('/customers/:id', async (req, res) => {
    const { state } = await verifications.get(req.params.id)
    res.json({ state })
  })

  // No body parser may run before this route, because the signature covers the raw bytes.
  app.post(
    '/webhooks',
    expressWebhook({
      store,
      consumers: [verifications],
      onError: (error, { event }) => logError(error, event?.event_id),
    }),
  )

  const respondToError: ErrorRequestHandler = (error: unknown, _req, res, next) => {
    if (!isSdkError(error) || res.headersSent) return next(error)
    logError(error)
    const { requestId, retryable = false } = error
    res.status(retryable ? 503 : 502).json({ error: 'verification is not available', requestId })
  }
  app.use(respondToError)
  return app
}

// Errors of this package contain no secrets and no personal data. Give their requestId to the service's support.
function logError(error: unknown, eventId?: string) {
  console.error(JSON.stringify({ eventId, error: isSdkError(error) ? error : String(error) }))
}
