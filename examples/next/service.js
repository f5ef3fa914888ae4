import { createWebhookHandler, isSdkError, memoryStore, VerificationClient } from 'identity-service-sdk'
import { redisStore } from 'identity-service-sdk/stores/redis'
import { createClient } from 'redis'

/** Made at the first request, not by `next build`; and on globalThis, since Next may load a module more than once. */
export function service() {
  globalThis.identityService ??= start()
  return globalThis.identityService
}

function start() {
  const { REDIS_URL, SVC_WEBHOOK_SECRET } = process.env
  const client = new VerificationClient() // reads SVC_BASE_URL and SVC_API_KEY
  // Without Redis there may be one process, and a restart forgets.
  const store = REDIS_URL ? redisStore(connect(REDIS_URL)) : memoryStore()

  async function settle({ session_id, vendor_data }) {
    const { decision, status } = await client.sessions.decision(session_id)
    if (vendor_data) await store.set(`outcome:${vendor_data}`, decision ?? status)
  }
  const webhooks = createWebhookHandler({
    secret: SVC_WEBHOOK_SECRET,
    store,
    on: {
      'verification.approved': settle,
      'verification.declined': settle,
      'verification.expired': settle,
    },
    onError: (error, { event }) => tell(error, event?.event_id),
  })
  return { client, store, webhooks }
}

function connect(url) {
  const redis = createClient({ url })
  redis.on('error', (error) => console.error('redis', error.message))
  // Commands wait until it is there.
  redis.connect()
  return redis
}

// An error of the package holds no secret and nothing personal; its requestId is what the service's support asks for.
export function tell(error, eventId) {
  console.error(JSON.stringify({ eventId, error: isSdkError(error) ? error : String(error) }))
}
