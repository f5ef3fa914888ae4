import { once } from 'node:events'
import { memoryStore, VerificationClient } from 'identity-service-sdk'
import { redisStore } from 'identity-service-sdk/stores/redis'
import { Redis } from 'ioredis'
import { createApp } from './app.ts'

const { PORT = '3000', HOST = '127.0.0.1', WORKFLOW_ID = 'wf_identity', REDIS_URL } = process.env
const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env

const client = new VerificationClient() // reads SVC_BASE_URL and SVC_API_KEY
const redis = REDIS_URL ? new Redis(REDIS_URL) : undefined
redis?.on('error', (error) => console.error('redis', error.message))

// Reads SVC_WEBHOOK_SECRET.
const app = createApp({
  client,
  // Without Redis, run a single process; a restart loses the state.
  store: redis ? redisStore(redis) : memoryStore(),
  workflowId: WORKFLOW_ID,
  publicUrl: PUBLIC_URL,
})
const server = app.listen(Number(PORT), HOST)
await once(server, 'listening')

async function stop() {
  // Finishes the requests in progress. A webhook that is cut off would have to be resent.
  server.close()
  // Closes connections once they are idle; otherwise their clients could keep them open.
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  await once(server, 'close')
  clearInterval(sweep)
  await client.close()
  await redis?.quit()
}
Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))).then(stop)
console.log(`listening on ${PUBLIC_URL}`)
