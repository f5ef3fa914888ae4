// Uses a verification manager, alone and as a consumer of a webhook handler. Each run of onChange appends a line to a
// file, which survives a SIGKILL.
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createVerificationManager, createWebhookHandler, VerificationClient } from 'identity-service-sdk'
import { handleRequests, sharedStore } from './shared-store.mjs'
import { steps, withSteps } from './steps.mjs'

const { CLIENT = '', SECRET = '', LOG = '', LEASE_MS, CALLBACK } = process.env
const leaseMs = Number(LEASE_MS)
const { sessions } = new VerificationClient(JSON.parse(CLIENT))
const store = await sharedStore()

const { onChange } = withSteps({
  onChange: async (/** @type {import('identity-service-sdk').VerificationChange} */ { subject, from, to }) => {
    appendFileSync(LOG, `${JSON.stringify([subject, from, to])}\n`)
    // So long that kills interrupt it.
    await pause(Math.random() * 50)
  },
})

const verifications = createVerificationManager({
  client: { sessions: withSteps(sessions) },
  store: withSteps(store),
  session: { workflow_id: 'wf_1', callback: CALLBACK },
  startLeaseMs: leaseMs,
  onChange,
})

const handler = createWebhookHandler({
  secret: SECRET,
  store,
  leaseMs,
  consumers: [verifications],
  // The test counts the responses.
  onError: () => {},
})

/** @param {Promise<import('identity-service-sdk').Verification>} call */
const outcomeOf = (call) =>
  call.then(
    ({ url, sessionId }) => ({ url, sessionId, error: null }),
    ({ name, message }) => ({ url: null, sessionId: null, error: `${name}: ${message}` }),
  )

handleRequests(
  async (
    /**
     * @type {{
     *   start?: string[]
     *   deliver?: import('identity-service-sdk/webhooks').WebhookDelivery
     *   reconcile?: import('identity-service-sdk').ReconcileOptions
     *   steps?: true
     * }}
     */
    request,
  ) => {
    if (request.start) return Promise.all(request.start.map((subject) => outcomeOf(verifications.start(subject))))
    if (request.deliver) return (await handler.handle(request.deliver)).status
    if (request.reconcile) return verifications.reconcile(request.reconcile)
    return steps
  },
)
