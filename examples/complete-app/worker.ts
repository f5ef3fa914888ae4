import { once } from 'node:events'
import { createEventProcessor } from 'identity-service-sdk'
import { openQueue, openRedis, reconcileMs, work } from './queue.ts'
import { connect } from './service.ts'
import { endTelemetry } from './telemetry.ts'

const redis = openRedis()
const queue = openQueue(redis)
const { verifications, store, close } = connect(redis)
// Passes each event to the manager once, also if the queue delivers it again.
const processor = createEventProcessor({ name: 'outcomes', store, consumers: [verifications], onTestEvent: () => {} })

const stopping = new AbortController()
const end = await work(queue, {
  async event(event) {
    const { status, outcome } = await processor.process(event)
    // Throwing puts the event back into the queue.
    if (status !== 200) throw new Error(`${event.event_id}: ${outcome}`)
  },
  /** Finds the outcomes whose webhooks were lost. */
  async lost() {
    const { visited, changed, failed } = await verifications.reconcile({
      olderThanMs: reconcileMs,
      signal: stopping.signal,
    })
    console.log(`${visited} visited, ${changed} changed, ${failed} failed`)
  },
})

async function stop() {
  stopping.abort() // ends the job for lost outcomes before its next person
  await end()
  await queue.close()
  redis.disconnect()
  await close()
  await endTelemetry()
}
Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))).then(stop)
console.log('waiting for events')
