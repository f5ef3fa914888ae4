import {
  createVerificationManager,
  createWebhookHandler,
  isSdkError,
  memoryStore,
  VerificationClient,
} from 'identity-service-sdk'
import { redisStore } from 'identity-service-sdk/stores/redis'
import { createClient } from 'redis'

declare global {
  var identityService: ReturnType<typeof start> | undefined
}

/** Created at the first request, not by `next build`. On globalThis, because Next may load a module several times. */
export function service() {
  globalThis.identityService ??= start()
  return globalThis.identityService
}

function start() {
  const { REDIS_URL, PORT = '3000', WORKFLOW_ID = 'wf_identity' } = process.env
  const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env
  const client = new VerificationClient() // reads SVC_BASE_URL and SVC_API_KEY
  // Without Redis, run a single process; a restart loses the state.
  const store = REDIS_URL ? redisStore(connect(REDIS_URL)) : memoryStore()

  // One verification for each person. It reads the outcome from the service, never from an event or the browser.
  const verifications = createVerificationManager({
    client,
    store,
    session: {
      workflow_id: WORKFLOW_ID,
      redirect_url: `${PUBLIC_URL}/return`,
      callback: `${PUBLIC_URL}/webhooks`,
    },
  })
  // Reads SVC_WEBHOOK_SECRET.
  const webhooks = createWebhookHandler({
    store,
    consumers: [verifications],
    onError: (error, { event }) => logError(error, event?.event_id),
  })
  return { verifications, webhooks }
}

function connect(url: string) {
  const redis = createClient({ url })
  redis.on('error', (error) => console.error('redis', error.message))
  // Commands are queued until the connection is open.
  redis.connect()
  return redis
}

// Errors of this package contain no secrets and no personal data. Give their requestId to the service's support.
export function logError(error: unknown, eventId?: string) {
  console.error(JSON.stringify({ eventId, error: isSdkError(error) ? error : String(error) }))
}
