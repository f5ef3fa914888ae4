import pg from 'pg'
import { databaseUrl } from './serve.ts'

/** Without these times, a callback would wait for a database that is silent. */
export const pool = new pg.Pool({
  connectionString: databaseUrl,
  connectionTimeoutMillis: 5_000,
  query_timeout: 10_000,
})
// Without these listeners, a lost connection would crash the process: an idle one, and one in a transaction.
pool.on('error', (error) => console.error(error.message))
pool.on('connect', (client) => client.on('error', () => {}))
