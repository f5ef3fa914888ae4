import { once } from 'node:events'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { getMigrations } from 'better-auth/db/migration'
import { OidcClient } from 'identity-service-sdk'
import pg from 'pg'
import { createApp } from './app.ts'
import { createAuth } from './auth.ts'

const { PORT = '3000', HOST = '127.0.0.1', DATABASE_URL } = process.env
const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env

const oidc = new OidcClient() // reads SVC_BASE_URL, SVC_CLIENT_ID and SVC_CLIENT_SECRET
const pool = DATABASE_URL ? new pg.Pool({ connectionString: DATABASE_URL }) : undefined
pool?.on('error', (error) => console.error('postgres', error.message))

const auth = createAuth({
  oidc,
  baseUrl: setting('SVC_BASE_URL'),
  clientId: setting('SVC_CLIENT_ID'),
  publicUrl: PUBLIC_URL,
  secret: setting('BETTER_AUTH_SECRET'),
  // Without PostgreSQL, run a single process; a restart forgets everyone.
  database: pool ?? memoryAdapter({ user: [], session: [], account: [], verification: [] }),
})
// In a real app, run this as a migration.
if (pool) await (await getMigrations(auth.options)).runMigrations()
const server = createApp(auth).listen(Number(PORT), HOST)
await once(server, 'listening')

function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is missing`)
  return value
}

async function stop() {
  server.close()
  // Closes connections once they are idle; otherwise their clients could keep them open.
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  await once(server, 'close')
  clearInterval(sweep)
  await oidc.close()
  await pool?.end()
}
Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))).then(stop)
console.log(`listening on ${PUBLIC_URL}`)
