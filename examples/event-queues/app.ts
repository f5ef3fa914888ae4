import express, { type ErrorRequestHandler } from 'express'
import {
  isSdkError,
  parseReturnUrl,
  type VerificationManager,
  verifyWebhook,
  WebhookVerificationError,
} from 'identity-service-sdk'
import type { EventQueue } from './queue.ts'

interface Settings {
  verifications: VerificationManager
  queue: EventQueue
}

/** Receives webhooks. It verifies each event, stores it in the queue and responds. A worker does everything else. */
export function createApp({ verifications, queue }: Settings) {
  const app = express().disable('x-powered-by')

  app.get('/', (_req, res) => {
    res.send('<form method="post" action="/customers/ada/verification"><button>Verify Ada</button></form>')
  })

  // In a real app, take the customer from your own sign-in, because anyone can type a path.
  app.post('/customers/:id/verification', async (req, res) => {
    // Resumes an open session, or creates one. Nobody who is approved or in review gets another.
    const { state, url } = await verifications.start(req.params.id)
    res.redirect(303, state === 'open' ? url : `/customers/${encodeURIComponent(req.params.id)}`)
  })

  app.get('/return', (req, res) => {
    const { sessionId } = parseReturnUrl(req.url)
    res.type('text').send(sessionId ? 'Thank you. The result is on its way.' : 'The session id is missing.')
  })

  app.get('/customers/:id', async (req, res) => {
    const { state } = await verifications.get(req.params.id)
    res.json({ state })
  })

  // The signature covers the raw bytes. It is checked here, because it is only accepted for five minutes.
  app.post('/webhooks', express.raw({ type: () => true, limit: '8mb' }), async (req, res) => {
    const { decision, ...event } = await verifyWebhook({ body: req.body, headers: req.headers })
    // Without the decision, because the worker reads it anyway, and it contains personal data.
    await queue.enqueue(event)
    // From here on, the queue keeps the event, so the service need not send it again.
    res.sendStatus(200)
  })

  const respondToError: ErrorRequestHandler = (error: unknown, req, res, next) => {
    console.error('%s: %s', req.path, String(error))
    if (res.headersSent) return next(error)
    if (error instanceof WebhookVerificationError) return res.status(400).json({ reason: error.reason })
    // Errors of the body parser have a status. After any other error, the event is not stored, so it gets a 503.
    const hasStatus = !isSdkError(error) && error instanceof Error && 'status' in error
    res.sendStatus(hasStatus ? Number(error.status) : 503)
  }
  app.use(respondToError)
  return app
}
