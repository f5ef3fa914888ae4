import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { isSdkError } from 'identity-service-sdk'
import { postgresInbox } from 'identity-service-sdk/stores/postgres'
import { createWebhookHandler } from 'identity-service-sdk/webhooks'
import pg from 'pg'
import { createAccounts, libraries } from './callbacks.ts'

const { DATABASE_URL, HOST = '127.0.0.1', LIBRARY = 'pg', PORT = '3000' } = process.env
if (!DATABASE_URL) throw new Error('DATABASE_URL is missing: set it to the address of a PostgreSQL database')
const countApproval = libraries.get(LIBRARY)
if (!countApproval) throw new Error(`LIBRARY must be one of ${[...libraries.keys()].join(', ')}`)

// Without `query_timeout`, the statement of a callback would wait for a database that is silent.
const pool = new pg.Pool({ connectionString: DATABASE_URL, query_timeout: 10_000 })
pool.on('error', (error) => console.error(`postgres: ${error.message}`))
await pool.query(createAccounts)

// Reads SVC_WEBHOOK_SECRET.
const handler = createWebhookHandler({
  inbox: postgresInbox(pool),
  on: {
    'verification.approved': async ({ vendor_data }, { tx }) => {
      if (!vendor_data) return
      await countApproval(tx, vendor_data)
      if (vendor_data === process.env.FAIL_FOR) throw new Error('the callback failed after its writes')
    },
  },
  onError: (error) => console.error(isSdkError(error) ? error.message : 'the callback failed'),
})

const server = createServer(async (request, response) => {
  const { status, outcome, headers } = await handler.handle({
    body: await buffer(request),
    headers: request.headers,
  })
  response.writeHead(status, headers).end(outcome)
})
server.listen(Number(PORT), HOST)
await once(server, 'listening')

async function stop() {
  server.close()
  await once(server, 'close')
  await pool.end()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
console.log(`listening on port ${PORT}`)
