import { isJsonObject } from '../contract/schema/json-object.ts'
import { receivedEvent, type WebhookEvent, webhookEvent } from '../contract/webhooks/events.ts'

/** Returns the event of a parsed payload, or what is wrong with it as a text. */
export function readEvent(payload: unknown): WebhookEvent | string {
  if (!isJsonObject(payload)) return 'it is not a JSON object'
  const issues = webhookEvent.issues(payload)
  if (issues.length === 0) return receivedEvent(payload)
  return issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')
}
