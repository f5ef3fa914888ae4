import type { IncomingMessage, ServerResponse } from 'node:http'
import { incomplete } from '../webhooks/fetch-handler.ts'
import {
  bodyTooLarge,
  type WebhookHandlerOptions,
  WebhookReceiver,
  type WebhookResult,
} from '../webhooks/handler.ts'
import { toHttpResponse, type WebhookHttpResponse } from '../webhooks/http-response.ts'
import type { WebhookBody } from '../webhooks/signature.ts'

/** A request as Express, and what works like it, hands it over. */
export interface WebhookRequest extends IncomingMessage {
  /** Of a body parser, if one ran. */
  body?: unknown
  /** Of hosts that keep the bytes beside what they parsed. */
  rawBody?: unknown
}

/**
 * Receives webhooks in an Express app. It reads the body itself, so no body parser may run before it; one that keeps
 * the bytes (`express.raw`, `express.text`, a `rawBody`) is fine. It answers every delivery, and never calls `next`.
 *
 * @throws {ConfigurationError} an option cannot work
 * @see service contract, section 6
 *
 * @example
 * app.post('/webhooks', expressWebhook({ secret, on: { 'verification.approved': unlock } }))
 */
export function expressWebhook(
  options: WebhookHandlerOptions,
): (req: WebhookRequest, res: ServerResponse) => Promise<void> {
  const events = new WebhookReceiver(options)
  return async (req, res) => {
    const result = await receive(events, req)
    answer(req, res, toHttpResponse(result))
  }
}

async function receive(events: WebhookReceiver, req: WebhookRequest): Promise<WebhookResult> {
  const { maxBodyBytes } = events.settings
  const { headers } = req
  const kept = [req.rawBody, req.body].find((body) => typeof body === 'string' || body instanceof Uint8Array)
  if (kept !== undefined) return events.receive({ body: kept as WebhookBody, headers })
  // A parser was here before us: what it left is handed on, to be refused with the way out.
  if (req.readableEnded || req.readableDidRead)
    return events.receive({ body: req.body as WebhookBody, headers })
  let body: Uint8Array | undefined
  try {
    body = await readBytes(req, maxBodyBytes)
  } catch (thrown) {
    return events.reject(400, incomplete(thrown))
  }
  return body === undefined
    ? events.reject(413, bodyTooLarge(maxBodyBytes))
    : events.receive({ body, headers })
}

/** The bytes of a body, or nothing where they are too many. */
function readBytes(req: IncomingMessage, maxBodyBytes: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    // Its events have come and gone when the sender left before we were asked.
    if (req.destroyed) reject(new Error('the connection was closed'))
    const chunks: Uint8Array[] = []
    let length = 0
    req.on('data', (chunk: Uint8Array) => {
      length += chunk.byteLength
      if (length <= maxBodyBytes) chunks.push(chunk)
      // The rest is let through unread: a sender that is cut off never sees its answer.
      else resolve(undefined)
    })
    req.on('end', () => resolve(Buffer.concat(chunks)))
    req.on('error', reject)
    req.on('close', () => reject(new Error('the connection was closed')))
  })
}

function answer(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, body }: WebhookHttpResponse,
): void {
  // Somebody before us may have answered, a time limit for one.
  if (res.headersSent) return
  res.statusCode = status
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  // A body that nobody read to its end would be taken for the next request.
  if (!req.complete) res.setHeader('connection', 'close')
  res.end(body)
}
