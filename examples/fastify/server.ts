import { memoryStore, VerificationClient } from 'identity-service-sdk'
import { postgresStore } from 'identity-service-sdk/stores/postgres'
import pg from 'pg'
import { createApp } from './app.ts'

const { PORT = '3000', HOST = '127.0.0.1', WORKFLOW_ID = 'wf_identity' } = process.env
const { DATABASE_URL, PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env

const client = new VerificationClient() // reads SVC_BASE_URL and SVC_API_KEY
const pool = DATABASE_URL ? new pg.Pool({ connectionString: DATABASE_URL }) : undefined

// Reads SVC_WEBHOOK_SECRET.
const app = createApp({
  client,
  // Without a database, run a single process; a restart loses the state.
  store: pool ? postgresStore(pool) : memoryStore(),
  workflowId: WORKFLOW_ID,
  publicUrl: PUBLIC_URL,
})
pool?.on('error', (error) => app.log.error(error))
// Closes connections once they are idle; otherwise their clients could keep them open.
let sweep: NodeJS.Timeout | undefined
app.addHook('preClose', async () => {
  sweep = setInterval(() => app.server.closeIdleConnections(), 100)
})
app.addHook('onClose', async () => {
  clearInterval(sweep)
  await client.close()
  await pool?.end()
})

await app.listen({ port: Number(PORT), host: HOST })

// Finishes the requests in progress. A webhook that is cut off would have to be resent.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close())
console.log(`listening on ${PUBLIC_URL}`)
