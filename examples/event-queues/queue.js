/**
 * Opens the queue that `QUEUE` names. Both have the same functions, so that the rest of the program is the same:
 *
 * - `enqueue(event)` resolves when the queue has stored the event
 * - `work(handle)` calls `handle(event)` for each event. If it throws, the event is tried again later, and moved to the
 *   dead-letter queue after the last attempt
 * - `countDeadLetters()` and `retryDeadLetters()`
 * - `store` records which events were handled, in the same database
 * - `close()` waits for the events in progress
 */
export async function openQueue() {
  const { QUEUE = 'bullmq' } = process.env
  const queues = { bullmq: () => import('./bullmq.js'), 'pg-boss': () => import('./pg-boss.js') }
  if (!Object.hasOwn(queues, QUEUE)) throw new Error('QUEUE must be bullmq or pg-boss')
  const { open } = await queues[QUEUE]()
  return open()
}
