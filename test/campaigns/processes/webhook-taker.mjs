// Takes deliveries. Each run of the callback leaves lines in a file, which a SIGKILL cannot take back.
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createWebhookHandler } from 'identity-service-sdk'
import { answerWith, sharedStore } from './shared-store.mjs'

const { SECRET = '', LOG = '', LEASE_MS, FAIL_EVERY } = process.env
const moment = () => String(process.hrtime.bigint())
/** @type {(what: 'start' | 'end', event: { readonly event_id: string }) => void} */
const note = (what, { event_id: id }) => appendFileSync(LOG, `${what} ${id} ${process.pid} ${moment()}\n`)
const failed = new Set()

const handler = createWebhookHandler({
  secret: SECRET,
  store: await sharedStore(),
  leaseMs: Number(LEASE_MS),
  on: {
    'verification.approved': async (event) => {
      note('start', event)
      await pause(Math.random() * 4)
      const n = Number(event.event_id.slice('evt_'.length))
      // Each process fails once at some events, as a database may.
      if (n % Number(FAIL_EVERY) === 0 && !failed.has(n) && failed.add(n))
        throw new Error('the callback failed')
      note('end', event)
    },
  },
})

answerWith(async (/** @type {import('identity-service-sdk').WebhookDelivery} */ delivery) => {
  const { status, outcome } = await handler.handle(delivery)
  return { status, outcome, at: moment() }
})
