import type { WebhookEvent } from '../contract/webhooks/events.ts'

/** What a callback gets with its event. */
export interface SignalContext {
  /**
   * Aborts when another process may be handling the event too: its lease was lost, or, with an inbox, its transaction.
   * The reason is a `StoreError`. Pass it to what your callback awaits, and throw when it aborts.
   */
  readonly signal: AbortSignal
}

/** What a callback gets with its event if the handler has an `inbox`. */
export interface TransactionContext<Tx> extends SignalContext {
  /**
   * The transaction that also records the event: what you write through it is committed exactly once for the event.
   * Do not end it yourself.
   */
  readonly tx: Tx
}

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
