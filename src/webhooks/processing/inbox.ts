import type { EventInbox, TransactionContext } from '../../stores/event-inbox.ts'
import { type EventRunner, eventKey } from './event-runner.ts'

/** Runs events in transactions of an inbox. */
export function inboxRunner<Tx>(
  inbox: EventInbox<Tx>,
  { name, retainMs }: { readonly name: string | undefined; readonly retainMs: number },
): EventRunner<TransactionContext<Tx>> {
  return {
    record: 'the transaction',
    run: async (eventId, work) => inbox.process({ key: eventKey(name, eventId), retainMs }, work),
  }
}
