import { once } from 'node:events'
import { RedisStore } from 'connect-redis'
import { OidcClient } from 'identity-service-sdk'
import { createClient } from 'redis'
import { createApp } from './app.ts'

const { PORT = '3000', HOST = '127.0.0.1', REDIS_URL, SESSION_SECRET } = process.env
const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env
if (!SESSION_SECRET) throw new Error('SESSION_SECRET is missing: set it to a random text of at least 32 characters')

const oidc = new OidcClient({ redirectUri: `${PUBLIC_URL}/callback` }) // and SVC_BASE_URL, SVC_CLIENT_ID, SVC_CLIENT_SECRET
const redis = REDIS_URL ? createClient({ url: REDIS_URL }) : undefined
await redis?.on('error', (error) => console.error('redis', error.message)).connect()

const app = createApp({
  oidc,
  secret: SESSION_SECRET,
  // Without Redis, run a single process; a restart signs everyone out.
  store: redis && new RedisStore({ client: redis }),
  isSecure: PUBLIC_URL.startsWith('https:'),
})
const server = app.listen(Number(PORT), HOST)
await once(server, 'listening')

async function stop() {
  server.close()
  // Closes connections once they are idle; otherwise their clients could keep them open.
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  await once(server, 'close')
  clearInterval(sweep)
  await oidc.close()
  await redis?.close()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
console.log(`listening on ${PUBLIC_URL}`)
