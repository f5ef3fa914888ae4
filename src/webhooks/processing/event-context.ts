import type { WebhookEvent } from '../../contract/webhooks/events.ts'
import type { SignalContext, TransactionContext } from '../../stores/event-inbox.ts'

/** What a callback gets with its event: `signal`, and with an `inbox` also `tx`. */
export type EventContext<Tx = undefined> = [Tx] extends [undefined] ? SignalContext : TransactionContext<Tx>

/**
 * Handles every event that is not a test event, before the callbacks in `on`. If it throws or rejects, the event fails
 * and can be delivered again, so make it idempotent.
 */
export interface EventConsumer<Tx = undefined> {
  /**
   * Handles an event.
   *
   * @see service contract, section 6
   *
   * @example
   * const handler = createWebhookHandler({ secret, consumers: [{ handle: (event) => report(event.type) }] })
   */
  handle(event: WebhookEvent, context: EventContext<Tx>): unknown
}
