import express from 'express'
import { isSdkError, parseReturnUrl } from 'identity-service-sdk'
import { expressWebhook } from 'identity-service-sdk/express'

/**
 * A shop that lets adults in: it sends people to the hosted page, hears of the outcome by webhook, and reads
 * the decision before it believes anything.
 *
 * @param {object} settings
 * @param {import('identity-service-sdk').VerificationClient} settings.client
 * @param {string} settings.webhookSecret
 * @param {string} settings.workflowId
 * @param {string} settings.publicUrl where this app is reached, without a trailing slash
 * @param {(event: import('identity-service-sdk').WebhookEvent) => void} [settings.onEvent] hears of each event
 */
export function createApp({ client, webhookSecret, workflowId, publicUrl, onEvent }) {
  const app = express()
  /** @type {Map<string, string>} what became of each customer; a database in real life */
  const customers = new Map()

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

  app.get('/customers/:id', (req, res) => {
    res.json({ outcome: customers.get(req.params.id) ?? 'none yet' })
  })

  /** @param {import('identity-service-sdk').WebhookEvent} event */
  const settle = async (event) => {
    onEvent?.(event)
    const { decision } = await client.sessions.decision(event.session_id)
    if (event.vendor_data && decision) customers.set(event.vendor_data, decision)
  }
  // No body parser before this route: the signature covers the bytes as they came.
  app.post(
    '/webhooks',
    expressWebhook({
      secret: webhookSecret,
      on: { 'verification.approved': settle, 'verification.declined': settle },
      onError: (error) => console.error(isSdkError(error) ? `webhook refused: ${error.message}` : error),
    }),
  )

  return app
}
