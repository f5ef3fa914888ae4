import { once } from 'node:events'
import { VerificationClient } from 'identity-service-sdk'
import { createApp } from './app.ts'
import { openQueue } from './queue.ts'
import { createVerifications, PUBLIC_URL } from './verifications.ts'

const { PORT = '3000', HOST = '127.0.0.1' } = process.env

const client = new VerificationClient() // reads SVC_BASE_URL and SVC_API_KEY
const queue = await openQueue()
const app = createApp({ verifications: createVerifications({ client, store: queue.store }), queue })
const server = app.listen(Number(PORT), HOST)
await once(server, 'listening')

async function stop() {
  server.close()
  // Closes connections once they are idle; otherwise their clients could keep them open.
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  await once(server, 'close')
  clearInterval(sweep)
  await Promise.all([client.close(), queue.close()])
}
Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))).then(stop)
console.log(`listening on ${PUBLIC_URL}`)
