import express from 'express'
import { isSdkError, memoryStore, parseReturnUrl } from 'identity-service-sdk'
import { expressWebhook } from 'identity-service-sdk/express'

/** A shop that lets adults in: it believes neither the browser nor the webhook, but the decision that it reads. */
export function createApp({ client, store = memoryStore(), webhookSecret, workflowId, publicUrl, onEvent }) {
  const app = express().disable('x-powered-by')

  app.get('/', (_req, res) => {
    res.send('<form method="post" action="/customers/ada/verification"><button>Verify Ada</button></form>')
  })

  // In real life your own sign-in says who the customer is: anybody can type a path.
  app.post('/customers/:id/verification', async (req, res) => {
    const session = await client.sessions.create({
      workflow_id: workflowId,
      vendor_data: req.params.id,
      redirect_url: `${publicUrl}/return`,
      callback: `${publicUrl}/webhooks`,
    })
    res.redirect(303, session.url)
  })

  // The browser may say anything: the page only tells the person that the result is on its way.
  app.get('/return', (req, res) => {
    const { sessionId } = parseReturnUrl(req.url)
    res.type('text').send(sessionId ? 'Thank you. The result is on its way.' : 'Nothing to see here.')
  })

  app.get('/customers/:id', async (req, res) => {
    res.json({ outcome: (await store.get(`outcome:${req.params.id}`)) ?? 'none yet' })
  })

  async function settle(event) {
    onEvent?.(event)
    const { decision, status } = await client.sessions.decision(event.session_id)
    if (event.vendor_data) await store.set(`outcome:${event.vendor_data}`, decision ?? status)
  }

  // No body parser before this route: the signature covers the bytes as they came.
  const types = ['verification.approved', 'verification.declined', 'verification.expired']
  const on = Object.fromEntries(types.map((type) => [type, settle]))
  const onError = (error, { event }) => tell(error, event?.event_id)
  app.post('/webhooks', expressWebhook({ secret: webhookSecret, store, on, onError }))

  app.use((error, _req, res, next) => {
    if (!isSdkError(error) || res.headersSent) return next(error)
    tell(error)
    const { requestId, retryable } = error
    res.status(retryable ? 503 : 502).json({ error: 'verification is not available', requestId })
  })
  return app
}

// An error of the package holds no secret and nothing personal; its requestId is what the service's support asks for.
function tell(error, eventId) {
  console.error(JSON.stringify({ eventId, error: isSdkError(error) ? error : String(error) }))
}
