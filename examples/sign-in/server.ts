import { once } from 'node:events'
import { memoryStore, OidcClient } from 'identity-service-sdk'
import { redisStore } from 'identity-service-sdk/stores/redis'
import { Redis } from 'ioredis'
import { createApp } from './app.ts'

const { PORT = '3000', HOST = '127.0.0.1', REDIS_URL, TOKEN_KEY } = process.env
const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env

// Reads SVC_BASE_URL, SVC_CLIENT_ID and SVC_CLIENT_SECRET.
const oidc = new OidcClient({ redirectUri: `${PUBLIC_URL}/callback`, scope: ['openid', 'profile'] })
const redis = REDIS_URL ? new Redis(REDIS_URL) : undefined
redis?.on('error', (error) => console.error('redis', error.message))

// Reads SVC_COOKIE_SECRET.
const app = createApp({
  oidc,
  // Without Redis, run a single process; a restart signs everyone out.
  store: redis ? redisStore(redis) : memoryStore(),
  tokenKey: TOKEN_KEY,
  isSecure: PUBLIC_URL.startsWith('https:'),
})
const server = app.listen(Number(PORT), HOST)
await once(server, 'listening')

async function stop() {
  // Finishes the requests in progress. After a refresh that is cut off, the person would have to sign in again.
  server.close()
  // Closes connections once they are idle; otherwise their clients could keep them open.
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  await once(server, 'close')
  clearInterval(sweep)
  await oidc.close()
  await redis?.quit()
}
Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))).then(stop)
console.log(`listening on ${PUBLIC_URL}`)
