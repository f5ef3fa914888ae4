// Uses a verification manager, alone and as a consumer of a webhook handler. Each run of onChange appends a line to a
// file, which survives a SIGKILL.
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createVerificationManager, createWebhookHandler, VerificationClient } from 'identity-service-sdk'
import { handleRequests, sharedStore } from './shared-store.mjs'
import { steps, withSteps } from './steps.mjs'

const { CLIENT = '', SECRET = '', LOG = '', LEASE_MS, CALLBACK, METADATA } = process.env
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
  session: { workflow_id: 'wf_1', callback: CALLBACK, metadata: { name: METADATA } },
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

/**
 * Starts as a page does when a person comes back, because a webhook may be lost.
 *
 * @param {string} subject
 */
async function refreshAndStart(subject) {
  await verifications.refresh(subject)
  return verifications.start(subject)
}

/** Everything that is stored. */
async function dump() {
  const texts = []
  for await (const key of store.scan('')) texts.push(`${key} ${await store.get(key)}`)
  return texts
}

handleRequests(
  async (
    /**
     * @type {{
     *   start?: string[]
     *   refresh?: string
     *   refreshAndStart?: string
     *   deliver?: import('identity-service-sdk/webhooks').WebhookDelivery
     *   reconcile?: import('identity-service-sdk').ReconcileOptions
     *   get?: string[]
     *   steps?: true
     *   dump?: true
     * }}
     */
    request,
  ) => {
    if (request.start) return Promise.all(request.start.map((subject) => outcomeOf(verifications.start(subject))))
    if (request.refresh) return outcomeOf(verifications.refresh(request.refresh))
    if (request.refreshAndStart) return outcomeOf(refreshAndStart(request.refreshAndStart))
    if (request.deliver) return (await handler.handle(request.deliver)).status
    if (request.reconcile) return verifications.reconcile(request.reconcile)
    if (request.get) return Promise.all(request.get.map((subject) => verifications.get(subject)))
    return request.steps ? steps : dump()
  },
)
