import type { WebhookEvent } from '../../contract/webhooks/events.ts'
import { maskValues } from '../../runtime/mask-values.ts'

/** Returns a function that masks the values of an event, except its type, in a message. */
export function eventMask(event: WebhookEvent | undefined): (message: string) => string {
  const { type: _, ...content } = event ?? {}
  return maskValues(content)
}
