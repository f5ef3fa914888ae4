import { once } from 'node:events'
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { memoryStore, OidcClient, VerificationClient } from 'identity-service-sdk'
import { redisStore } from 'identity-service-sdk/stores/redis'
import { createClient } from 'redis'
import { createApp } from './app.ts'

const { PORT = '3000', HOST = '127.0.0.1', WORKFLOW_ID = 'wf_identity', REDIS_URL } = process.env
const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env

const client = new VerificationClient() // reads SVC_BASE_URL and SVC_API_KEY
const oidc = new OidcClient({ redirectUri: `${PUBLIC_URL}/callback` }) // and SVC_CLIENT_ID, SVC_CLIENT_SECRET
const redis = REDIS_URL ? createClient({ url: REDIS_URL }) : undefined
await redis?.on('error', (error) => console.error('redis', error.message)).connect()

// Reads SVC_WEBHOOK_SECRET and SVC_COOKIE_SECRET.
const app = createApp({
  client,
  oidc,
  // Without Redis, run a single process; a restart loses the state.
  store: redis ? redisStore(redis) : memoryStore(),
  workflowId: WORKFLOW_ID,
  publicUrl: PUBLIC_URL,
})
const server = createServer(getRequestListener(app.fetch)).listen(Number(PORT), HOST)
await once(server, 'listening')

async function stop() {
  // Finishes the requests in progress. A webhook that is cut off would have to be resent.
  server.close()
  // Closes connections once they are idle; otherwise their clients could keep them open.
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  await once(server, 'close')
  clearInterval(sweep)
  await Promise.all([client.close(), oidc.close()])
  await redis?.close()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
console.log(`listening on ${PUBLIC_URL}`)
