import { isJsonObject } from '../contract/schema/schema.ts'
import { receivedEvent, type WebhookEvent, webhookEvent } from '../contract/webhooks/events.ts'
import { eventIdHeader } from '../contract/webhooks/headers.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { decodeUtf8, parseJson } from '../runtime/bytes.ts'
import { ifMeant, rejectsEmulators } from '../runtime/environment.ts'
import {
  type CheckedTrust,
  malformedHeader,
  readHeader,
  type VerifyWebhookParams,
  webhookRejection,
  withVerifiedBody,
} from './signature.ts'

/**
 * Verifies a delivery and returns its event: the signature, the age and the payload. The `event_id` of the signed body
 * identifies the event, and not the header.
 *
 * An event may be delivered more than once, and events may arrive out of order. `createWebhookHandler` runs a callback
 * once for each event; `occurred_at` gives the order. An event is a notification: the full result comes from
 * `sessions.decision`. The console sends test events with a valid signature: check `event.test`, because they concern
 * nobody.
 *
 * @returns the event as signed, including fields that this version does not list, without members called `__proto__`,
 *   and with `test: true` if its session id is that of a test event
 * @throws {ConfigurationError} a secret or the tolerance has a wrong value
 * @throws {WebhookVerificationError} the delivery is rejected; see `reason`. Respond with 400.
 *
 * @example
 * const event = await verifyWebhook({ body: await request.text(), headers: request.headers, secret })
 * if (event.type === 'verification.approved' && !event.test) await unlock(event.session_id)
 */
export function verifyWebhook(params: VerifyWebhookParams): Promise<WebhookEvent> {
  return verifyDelivery('verifyWebhook', params)
}

/**
 * @param owner the function that the caller called, for error messages
 * @param trust what handlers read once; by default, that of the params
 * @param onOtherId called if the event id header differs from the signed body
 */
export function verifyDelivery(
  owner: string,
  params: VerifyWebhookParams,
  trust?: CheckedTrust,
  onOtherId?: () => void,
): Promise<WebhookEvent> {
  const eventOf = (_: number, body: string | Uint8Array) => {
    if (rejectsEmulators(params.headers))
      throw new ConfigurationError({
        message: `${owner}: the delivery is from an emulator, which verifies nothing, and NODE_ENV is production. Check SVC_WEBHOOK_SECRET. ${ifMeant}`,
      })
    const event = eventIn(body)
    const id = readHeader(params.headers, eventIdHeader, anything)
    if (id === event.event_id) return event
    // Runtimes join a header that was sent twice with a comma.
    if (id.includes(',')) throw malformedHeader(eventIdHeader)
    onOtherId?.()
    return event
  }
  return withVerifiedBody(owner, params, eventOf, trust)
}

// An id has no documented form.
const anything = /^/

function eventIn(body: string | Uint8Array): WebhookEvent {
  const text = typeof body === 'string' ? body : decodeUtf8(body)
  if (text === undefined) throw invalidPayload('it is not valid UTF-8')
  const payload = parseJson(text)
  if (payload === undefined) throw invalidPayload('it is not valid JSON')
  const event = readEvent(payload)
  if (typeof event === 'string') throw invalidPayload(event)
  return event
}

const invalidPayload = (fault: string) =>
  webhookRejection('invalid_payload', `the signature is valid, but the payload is not an event: ${fault}`)

/** Returns the event of a parsed payload, or what is wrong with it as a text. */
export function readEvent(payload: unknown): WebhookEvent | string {
  if (!isJsonObject(payload)) return 'it is not a JSON object'
  const issues = webhookEvent.issues(payload)
  if (issues.length === 0) return receivedEvent(payload)
  return issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')
}
