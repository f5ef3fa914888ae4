import { memoryStore, VerificationClient } from 'identity-service-sdk'
import { postgresStore } from 'identity-service-sdk/stores/postgres'
import pg from 'pg'
import { createApp } from './app.js'

const { PORT = '3000', HOST = '127.0.0.1', WORKFLOW_ID = 'wf_identity' } = process.env
const { DATABASE_URL, SVC_WEBHOOK_SECRET, PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env

const client = new VerificationClient() // reads SVC_BASE_URL and SVC_API_KEY
const pool = DATABASE_URL ? new pg.Pool({ connectionString: DATABASE_URL }) : undefined

const app = createApp({
  client,
  // Without a database there may be one process, and a restart forgets.
  store: pool ? postgresStore(pool) : memoryStore(),
  webhookSecret: SVC_WEBHOOK_SECRET,
  workflowId: WORKFLOW_ID,
  publicUrl: PUBLIC_URL,
})
pool?.on('error', (error) => app.log.error(error))
// A connection that was busy would be kept alive after its answer, for as long as its client likes.
let sweep
app.addHook('preClose', async () => {
  sweep = setInterval(() => app.server.closeIdleConnections(), 100)
})
app.addHook('onClose', async () => {
  clearInterval(sweep)
  await client.close()
  await pool?.end()
})

await app.listen({ port: Number(PORT), host: HOST })
console.log(`listening on ${PUBLIC_URL}`)

// What is under way is answered first; a webhook that is cut off would come again.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close())
