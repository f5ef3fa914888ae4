import type { Stream } from '../../observe/stream.ts'
import type { EventInbox, EventOutcome, TransactionContext } from '../../stores/event-inbox.ts'

/** Runs the work of each event once, over all processes that share what it keeps its records in. */
export interface EventRunner<Context> {
  /** Names the record of an event in messages. */
  readonly record: string
  /**
   * Rejects if the work throws, or if the event's record cannot be read or written. The event can then be redelivered.
   *
   * @param onError called with failures that do not change the outcome
   */
  run(
    eventId: string,
    work: (context: Context) => Promise<void>,
    onError: (error: unknown) => void,
  ): Promise<EventOutcome>
}

/** Returns the key of an event's record. Handlers of different names handle one event independently. */
export const eventKey = (name: string | undefined, eventId: string): string =>
  // A name contains no colon, so the two forms never meet.
  `${name === undefined ? 'webhook' : `webhook-${name}`}:${eventId}`

/** Runs events in transactions of an inbox. */
export function inboxRunner<Tx>(
  inbox: EventInbox<Tx>,
  { name, retainMs }: { readonly name: string | undefined; readonly retainMs: number },
  stream: Stream,
): EventRunner<TransactionContext<Tx>> {
  return {
    record: 'the transaction',
    run: (eventId, work) =>
      stream.observe({ kind: 'store', operation: 'inbox.process' }, async () =>
        inbox.process({ key: eventKey(name, eventId), retainMs }, work),
      ),
  }
}
