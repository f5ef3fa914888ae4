import { WebhookVerificationError } from '../errors/webhook-error.ts'
import { readBytes } from '../runtime/read-bytes.ts'
import { bodyTooLarge, type WebhookHandlerOptions, WebhookReceiver, type WebhookResult } from './handler.ts'
import { toHttpResponse } from './http-response.ts'
import type { WebhookDelivery } from './signature.ts'

/** Takes deliveries, as a `fetch` or by hand. */
export interface WebhookHandler {
  /**
   * Takes a delivery whose body was read already. It never rejects: answer with the result's `status` and `headers`.
   *
   * @see service contract, section 6
   *
   * @example
   * const { status, headers } = await handler.handle({ body: await request.text(), headers: request.headers })
   */
  handle(delivery: WebhookDelivery): Promise<WebhookResult>
  /**
   * Takes a request and answers it: 200 handled, before or now; 400 refused; 413 too large; 500 the callback or the
   * clock failed; 503 in progress elsewhere, or the store failed.
   *
   * @see service contract, section 6
   *
   * @example
   * const response = await handler.fetch(request)
   */
  fetch(request: Request): Promise<Response>
}

/**
 * Receives webhooks: verifies the signature over the raw bytes, and runs a callback once for each event, over all
 * processes that share the store. A callback that throws answers 500 and may run again when the event comes again.
 *
 * @throws {ConfigurationError} an option cannot work
 * @see service contract, section 6
 *
 * @example
 * const handler = createWebhookHandler({
 *   secret,
 *   on: { 'verification.approved': async (event) => unlock(event.vendor_data) },
 * })
 * const POST = (request: Request) => handler.fetch(request) // Next.js, Hono, Bun, Deno, Workers
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const events = new WebhookReceiver(options)
  const { maxBodyBytes } = events.settings

  async function receive(request: Request): Promise<WebhookResult> {
    const { headers } = request
    // Handed on without a body, to be refused with the way out.
    if (request.bodyUsed) return events.receive({ body: undefined, headers } as unknown as WebhookDelivery)
    let body: Uint8Array | undefined
    try {
      body = await readBytes(request.body, maxBodyBytes)
    } catch (thrown) {
      return events.reject(400, incomplete(thrown))
    }
    if (body === undefined) return events.reject(413, bodyTooLarge(maxBodyBytes))
    return events.receive({ body, headers })
  }

  return {
    handle: (delivery) => events.receive(delivery),
    async fetch(request) {
      if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
      const { body, ...init } = toHttpResponse(await receive(request))
      return new Response(body, init)
    },
  }
}

export const incomplete = (cause: unknown) =>
  new WebhookVerificationError('body_incomplete', 'The body broke off while it was received', cause)
