import type { ScannableStore, WebhookEvent } from 'identity-service-sdk'

export interface EventQueue {
  /** Records which events were handled, in the same database. */
  store: ScannableStore
  /** Resolves when the queue has stored the event. */
  enqueue(event: WebhookEvent): Promise<unknown>
  /**
   * Calls `handle` for each event. If it throws, the event is tried again later, and moved to the dead-letter queue
   * after the last attempt.
   */
  work(handle: (event: WebhookEvent) => Promise<void>): Promise<void>
  countDeadLetters(): Promise<number>
  /** Puts the dead letters back into the queue, with all attempts again. */
  retryDeadLetters(): Promise<void>
  /** Waits for the events in progress. */
  close(): Promise<void>
}

/** Opens the queue that `QUEUE` names. Both have the same functions, so that the rest of the program is the same. */
export async function openQueue(): Promise<EventQueue> {
  const { QUEUE = 'bullmq' } = process.env
  if (QUEUE !== 'bullmq' && QUEUE !== 'pg-boss') throw new Error('QUEUE must be bullmq or pg-boss')
  const { open } = QUEUE === 'bullmq' ? await import('./bullmq.ts') : await import('./pg-boss.ts')
  return open()
}
