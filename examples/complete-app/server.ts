import { once } from 'node:events'
import { OidcClient } from 'identity-service-sdk'
import { createApp } from './app.ts'
import { createTables } from './database.ts'
import { openQueue, openRedis } from './queue.ts'
import { connect, PUBLIC_URL } from './service.ts'
import { endTelemetry } from './telemetry.ts'

const { PORT = '3000', HOST = '127.0.0.1' } = process.env

const redis = openRedis()
const queue = openQueue(redis)
const service = connect(redis)
const oidc = new OidcClient({ redirectUri: `${PUBLIC_URL}/callback` })
await createTables(service.pool)

const server = createApp({ ...service, oidc, queue }).listen(Number(PORT), HOST)
await once(server, 'listening')

async function stop() {
  server.close()
  // Closes connections once they are idle; otherwise their clients could keep them open.
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  await once(server, 'close')
  clearInterval(sweep)
  await Promise.all([oidc.close(), queue.close()])
  redis.disconnect()
  await service.close()
  await endTelemetry()
  // A connection to a database that is silent would keep the process.
  setTimeout(() => process.exit(), 5_000).unref()
}
Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))).then(stop)
console.log(`listening on ${PUBLIC_URL}`)
