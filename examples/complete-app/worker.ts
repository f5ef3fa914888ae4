import { once } from 'node:events'
import { createEventProcessor } from 'identity-service-sdk'
import { closeAccounts } from './close-accounts.ts'
import { jobEveryMs, openQueue, openRedis, work } from './queue.ts'
import { connect } from './service.ts'
import { endTelemetry } from './telemetry.ts'

const redis = openRedis()
const queue = openQueue(redis)
const service = connect(redis)
const { verifications, store } = service
// Passes each event to the manager once, also if the queue delivers it again.
const processor = createEventProcessor({ name: 'outcomes', store, consumers: [verifications], onTestEvent: () => {} })

const stopping = new AbortController()
const end = await work(queue, {
  async event(event) {
    const { status, outcome } = await processor.process(event)
    // Throwing puts the event back into the queue.
    if (status !== 200) throw new Error(`${event.event_id}: ${outcome}`)
  },
  /** Finds the outcomes whose webhooks were lost, and deletes the accounts that are closed. */
  async regular() {
    const { visited, changed, failed } = await verifications.reconcile({
      olderThanMs: jobEveryMs,
      signal: stopping.signal,
    })
    console.log(`${visited} visited, ${changed} changed, ${failed} failed`)
    await closeAccounts(service, { closedForMs: jobEveryMs, signal: stopping.signal })
  },
})

async function stop() {
  // A Redis that is down or silent, and an event that takes long, must not keep the process: docker kills it after 10
  // seconds. Another worker takes the event over.
  setTimeout(() => process.exit(), 8_000).unref()
  stopping.abort() // ends the regular job before its next person
  await end()
  await queue.close()
  redis.disconnect()
  await service.close()
  await endTelemetry()
}
Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))).then(stop)
console.log('waiting for events')
