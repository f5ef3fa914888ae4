import { readBytes } from '../runtime/bytes.ts'
import type { WebhookHandlerOptions } from './options.ts'
import { WebhookReceiver } from './receiver.ts'
import { toHttpResponse, type WebhookResult } from './result.ts'
import type { WebhookDelivery } from './signature.ts'

/**
 * Handles deliveries: as a `fetch`-style handler, or one whose body you have read yourself. Both are functions that
 * work on their own: `export const POST = handler.fetch`.
 */
export interface WebhookHandler {
  /**
   * Handles a delivery whose body you have read. It never rejects. Respond with the result's `status` and `headers`.
   *
   * @example
   * const { status, headers } = await handler.handle({ body: await request.text(), headers: request.headers })
   */
  readonly handle: (delivery: WebhookDelivery) => Promise<WebhookResult>
  /**
   * Handles a request and returns the response:
   *
   * - 200: the event is handled, now or earlier
   * - 400: rejected
   * - 405: the method is not POST
   * - 413: the body is larger than `maxBodyBytes`
   * - 500: a callback, a consumer or the clock failed
   * - 503: another process is handling this event, or a store failed
   *
   * @example
   * const response = await handler.fetch(request)
   */
  readonly fetch: (request: Request) => Promise<Response>
}

/**
 * Creates a webhook handler: it verifies the signature over the raw bytes, and processes the event as an event
 * processor does. Your callback runs once for each event, over all processes that share the store. If it throws, the
 * response is 500, and it may run again when the event is delivered again.
 *
 * @throws {ConfigurationError} an option has a wrong value, or a name that is not an option
 *
 * @example
 * const handler = createWebhookHandler({
 *   secret,
 *   on: { 'verification.approved': async (event) => unlock(event.vendor_data) },
 * })
 * const POST = handler.fetch // Next.js; Hono, Bun, Deno and Workers take the same function
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const receiver = new WebhookReceiver('createWebhookHandler', options)

  async function receive(request: Request): Promise<WebhookResult> {
    const { headers } = request
    const body = unreadBody(request)
    // Rejected with a message that names the fix.
    if (body === undefined) return receiver.receive({ body: undefined, headers })
    return receiver.receiveBody(
      (maxBytes) => readBytes(body, maxBytes),
      headers,
      () => void body?.cancel().catch(() => {}),
    )
  }

  /** Reports what a host threw instead of a request as a failure. */
  const failed = (thrown: unknown) =>
    receiver.receive({
      body: undefined,
      get headers(): never {
        throw thrown
      },
    })

  return {
    handle: (delivery) => receiver.receive(delivery),
    async fetch(request) {
      if (request.method !== 'POST') return new Response(null, { status: 405, headers: { allow: 'POST' } })
      const { body, ...init } = toHttpResponse(await receive(request).catch(failed))
      return new Response(body, init)
    },
  }
}

/** Returns the body, or `undefined` if it was read before. Some hosts throw then, instead of setting `bodyUsed`. */
function unreadBody(request: Request): Request['body'] | undefined {
  try {
    const { bodyUsed, body } = request
    return bodyUsed || body?.locked ? undefined : body
  } catch {
    return undefined
  }
}
