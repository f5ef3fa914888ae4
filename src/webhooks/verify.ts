import { decodeUtf8 } from '#platform'
import { type WebhookEvent, webhookEvent } from '../contract/webhooks/events.ts'
import { eventIdHeader } from '../contract/webhooks/headers.ts'
import { WebhookVerificationError } from '../errors/webhook-error.ts'
import { readHeader } from './headers.ts'
import { type VerifyWebhookParams, whenSigned } from './signature.ts'

/**
 * Checks a delivery and reads the event that it carries: its signature, its age, its form, and that the
 * event id header agrees with the signed body.
 *
 * The same event may be delivered more than once and events may arrive out of order: `createWebhookHandler`
 * runs a callback once an event, `occurred_at` tells the order. An event is a notification; the full result
 * comes from `sessions.decision`.
 *
 * @returns the event as it was signed, fields that this version does not know included
 * @throws {ConfigurationError} a secret or the tolerance cannot work
 * @throws {WebhookVerificationError} the delivery must not be believed, for the `reason` it gives: answer 400
 * @see service contract, section 6
 *
 * @example
 * const event = await verifyWebhook({ body: await request.text(), headers: request.headers, secret })
 * if (event.type === 'verification.approved') await unlock(event.session_id)
 */
export function verifyWebhook(params: VerifyWebhookParams): Promise<WebhookEvent> {
  return whenSigned(params, (_, body) => {
    const event = readEvent(body)
    const id = readHeader(params.headers, eventIdHeader)
    if (id === event.event_id) return event
    // Repeats arrive joined to one value, so only here can they be told from another id.
    throw id.includes(',')
      ? new WebhookVerificationError('malformed_header', `The header ${eventIdHeader} is repeated`)
      : new WebhookVerificationError(
          'event_id_mismatch',
          `The header ${eventIdHeader} names another event than the signed body`,
        )
  })
}

function readEvent(body: string | Uint8Array): WebhookEvent {
  const text = typeof body === 'string' ? body : decodeUtf8(body)
  if (text === undefined) throw noEvent('it is not valid UTF-8')
  const parsed = parseJson(text)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw noEvent('it is not a JSON object')
  const issues = webhookEvent.issues(parsed)
  if (issues.length === 0) return parsed as WebhookEvent
  const fields = new Set(issues.map(({ path }) => path.join('.')))
  throw noEvent(`missing or not of their type: ${[...fields].join(', ')}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own error quotes the body.
    throw noEvent('it is not valid JSON')
  }
}

const noEvent = (fault: string) =>
  new WebhookVerificationError('invalid_payload', `The body is signed, but no event: ${fault}`)
