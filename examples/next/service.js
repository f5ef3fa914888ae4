import { createWebhookHandler, isSdkError, memoryStore, VerificationClient } from 'identity-service-sdk'
import { redisStore } from 'identity-service-sdk/stores/redis'
import { createClient } from 'redis'

/** Created at the first request, not by `next build`. On globalThis, because Next may load a module several times. */
export function service() {
  globalThis.identityService ??= start()
  return globalThis.identityService
}

function start() {
  const { REDIS_URL, SVC_WEBHOOK_SECRET } = process.env
  const client = new VerificationClient() // reads SVC_BASE_URL and SVC_API_KEY
  // Without Redis, run a single process; a restart loses the state.
  const store = REDIS_URL ? redisStore(connect(REDIS_URL)) : memoryStore()

  async function saveOutcome({ session_id, vendor_data }) {
    const { decision, status } = await client.sessions.decision(session_id)
    if (vendor_data) await store.set(`outcome:${vendor_data}`, decision ?? status)
  }
  const webhooks = createWebhookHandler({
    secret: SVC_WEBHOOK_SECRET,
    store,
    on: {
      'verification.approved': saveOutcome,
      'verification.declined': saveOutcome,
      'verification.expired': saveOutcome,
    },
    onError: (error, { event }) => logError(error, event?.event_id),
  })
  return { client, store, webhooks }
}

function connect(url) {
  const redis = createClient({ url })
  redis.on('error', (error) => console.error('redis', error.message))
  // Commands are queued until the connection is open.
  redis.connect()
  return redis
}

// Errors of this package contain no secrets and no personal data. Give their requestId to the service's support.
export function logError(error, eventId) {
  console.error(JSON.stringify({ eventId, error: isSdkError(error) ? error : String(error) }))
}
