import { once } from 'node:events'
import { createEventProcessor, VerificationClient } from 'identity-service-sdk'
import { openQueue } from './queue.ts'
import { createVerifications } from './verifications.ts'

const { LEASE_MS = '60000' } = process.env

const client = new VerificationClient() // reads SVC_BASE_URL and SVC_API_KEY
const queue = await openQueue()

// Passes each event to the manager once, even if the queue delivers the event again. Failures are written to
// console.error, without values of the event.
const processor = createEventProcessor({
  name: 'outcomes',
  store: queue.store,
  leaseMs: Number(LEASE_MS),
  consumers: [createVerifications({ client, store: queue.store })],
  onTestEvent: () => {},
})

await queue.work(async (event) => {
  const { status, outcome } = await processor.process(event)
  console.log(event.event_id, outcome)
  // Throwing puts the event back into the queue.
  if (status !== 200) throw new Error(`${event.event_id}: ${outcome}`)
})

async function stop() {
  // A database that is down or silent, and an event that takes long, must not keep the process: docker kills it after 10
  // seconds. Another worker takes the event over.
  setTimeout(() => process.exit(), 8_000).unref()
  await queue.close() // waits for the events in progress
  await client.close()
}
Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))).then(stop)
console.log('waiting for events')
