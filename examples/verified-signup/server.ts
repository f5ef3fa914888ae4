import { once } from 'node:events'
import { VerificationClient } from 'identity-service-sdk'
import { postgresStore } from 'identity-service-sdk/stores/postgres'
import { createApp } from './app.ts'
import { createTables, openPool } from './database.ts'
import { createVerifications, PUBLIC_URL } from './verifications.ts'

const { PORT = '3000', HOST = '127.0.0.1' } = process.env

const client = new VerificationClient() // reads SVC_BASE_URL and SVC_API_KEY
const pool = openPool({ max: 10 })
// A pool of its own, so that pages never keep the store waiting.
const storePool = openPool({ max: 10 })
const store = postgresStore(storePool)
await createTables(pool)

const verifications = createVerifications({ client, pool, store })
const app = createApp({ pool, store, verifications })
const server = app.listen(Number(PORT), HOST)
await once(server, 'listening')

async function stop() {
  server.close()
  // Closes connections once they are idle; otherwise their clients could keep them open.
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  await once(server, 'close')
  clearInterval(sweep)
  await Promise.all([client.close(), pool.end(), storePool.end()])
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
console.log(`listening on ${PUBLIC_URL}`)
