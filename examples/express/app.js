import express from 'express'
import { isSdkError, memoryStore, parseReturnUrl } from 'identity-service-sdk'
import { expressWebhook } from 'identity-service-sdk/express'

/** A shop for adults. It trusts neither the browser nor the webhook, only the decision that it reads. */
export function createApp({ client, store = memoryStore(), webhookSecret, workflowId, publicUrl, onEvent }) {
  const app = express().disable('x-powered-by')

  app.get('/', (_req, res) => {
    res.send('<form method="post" action="/customers/ada/verification"><button>Verify Ada</button></form>')
  })

  // In a real app, take the customer from your own sign-in, because anyone can type a path.
  app.post('/customers/:id/verification', async (req, res) => {
    const session = await client.sessions.create({
      workflow_id: workflowId,
      vendor_data: req.params.id,
      redirect_url: `${publicUrl}/return`,
      callback: `${publicUrl}/webhooks`,
    })
    res.redirect(303, session.url)
  })

  // Anyone can forge the parameters of this URL, so the page shows no outcome.
  app.get('/return', (req, res) => {
    const { sessionId } = parseReturnUrl(req.url)
    res.type('text').send(sessionId ? 'Thank you. The result is on its way.' : 'The session id is missing.')
  })

  app.get('/customers/:id', async (req, res) => {
    res.json({ outcome: (await store.get(`outcome:${req.params.id}`)) ?? 'none yet' })
  })

  async function saveOutcome(event) {
    onEvent?.(event)
    const { decision, status } = await client.sessions.decision(event.session_id)
    if (event.vendor_data) await store.set(`outcome:${event.vendor_data}`, decision ?? status)
  }

  // No body parser may run before this route, because the signature covers the raw bytes.
  const types = ['verification.approved', 'verification.declined', 'verification.expired']
  const on = Object.fromEntries(types.map((type) => [type, saveOutcome]))
  const onError = (error, { event }) => logError(error, event?.event_id)
  app.post('/webhooks', expressWebhook({ secret: webhookSecret, store, on, onError }))

  app.use((error, _req, res, next) => {
    if (!isSdkError(error) || res.headersSent) return next(error)
    logError(error)
    const { requestId, retryable } = error
    res.status(retryable ? 503 : 502).json({ error: 'verification is not available', requestId })
  })
  return app
}

// Errors of this package contain no secrets and no personal data. Give their requestId to the service's support.
function logError(error, eventId) {
  console.error(JSON.stringify({ eventId, error: isSdkError(error) ? error : String(error) }))
}
