// Handles deliveries. Each run of the callback appends lines to a file, which survive a SIGKILL.
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createWebhookHandler } from 'identity-service-sdk'
import { handleRequests, sharedStore } from './shared-store.mjs'

const { SECRET = '', LOG = '', LEASE_MS, FAIL_EVERY } = process.env
const moment = () => String(process.hrtime.bigint())
/** @type {(what: 'start' | 'end', event: { readonly event_id: string }) => void} */
const record = (what, { event_id: id }) => appendFileSync(LOG, `${what} ${id} ${process.pid} ${moment()}\n`)
const failed = new Set()

const handler = createWebhookHandler({
  secret: SECRET,
  store: await sharedStore(),
  leaseMs: Number(LEASE_MS),
  // Callbacks fail on purpose, and would fill the output.
  onError: () => {},
  on: {
    'verification.approved': async (event) => {
      record('start', event)
      await pause(Math.random() * 4)
      const n = Number(event.event_id.slice('evt_'.length))
      // In each process the callback fails once for some events, like a database may.
      if (n % Number(FAIL_EVERY) === 0 && !failed.has(n) && failed.add(n)) throw new Error('the callback failed')
      record('end', event)
    },
  },
})

handleRequests(async (/** @type {import('identity-service-sdk/webhooks').WebhookDelivery} */ delivery) => {
  const { status, outcome } = await handler.handle(delivery)
  return { status, outcome, at: moment() }
})
