import type { IncomingMessage, ServerResponse } from 'node:http'
import { isBytes } from '../runtime/bytes.ts'
import type { WebhookHandlerOptions } from '../webhooks/options.ts'
import { WebhookReceiver } from '../webhooks/receiver.ts'
import { toHttpResponse, type WebhookHttpResponse, type WebhookResult } from '../webhooks/result.ts'
import { drainNodeBody, readNodeBody } from './read-node-body.ts'

/** A request of Express, or of a framework that is compatible with it. */
export interface WebhookRequest extends IncomingMessage {
  /** The body, if a body parser ran. */
  body?: unknown
  /** The raw body, which some hosts keep in addition to the parsed one. */
  rawBody?: unknown
}

/**
 * Creates a webhook handler for an Express app. It reads the body itself, so do not run a body parser before it, except
 * one that keeps the raw bytes (`express.raw`, `express.text`, a `rawBody`). It responds to every delivery, and never
 * calls `next`.
 *
 * @throws {ConfigurationError} an option has a wrong value, or a name that is not an option
 *
 * @example
 * app.post('/webhooks', expressWebhook({ secret, on: { 'verification.approved': unlock } }))
 */
export function expressWebhook(
  options: WebhookHandlerOptions,
): (req: WebhookRequest, res: ServerResponse) => Promise<void> {
  const receiver = new WebhookReceiver('expressWebhook', options)
  return async (req, res) => {
    const result = await receive(receiver, req)
    respond(req, res, toHttpResponse(result))
  }
}

function receive(receiver: WebhookReceiver, req: WebhookRequest): Promise<WebhookResult> {
  const { headers } = req
  const raw = [req.rawBody, req.body].find((body) => typeof body === 'string' || isBytes(body))
  if (raw !== undefined) return receiver.receive({ body: raw, headers })
  // A body parser ran first. Its result is rejected with a message that names the fix.
  if (req.readableEnded || req.readableDidRead) return receiver.receive({ body: req.body, headers })
  return receiver.receiveBody(
    (maxBytes) => readNodeBody(req, maxBytes),
    headers,
    () => drainNodeBody(req),
  )
}

function respond(req: IncomingMessage, res: ServerResponse, { status, headers, body }: WebhookHttpResponse): void {
  // Other middleware may have responded already, for example after a time limit.
  if (res.headersSent) return
  res.statusCode = status
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  // Otherwise the rest of an unread body would be parsed as the next request.
  if (!req.complete) res.setHeader('connection', 'close')
  res.end(body)
}
