import pg from 'pg'
import { databaseUrl } from './serve.ts'

/** Without `query_timeout`, a statement would wait for a database that is silent. */
export const pool = new pg.Pool({ connectionString: databaseUrl, query_timeout: 10_000 })
// Without these listeners, a lost connection would crash the process: an idle one, and one in a transaction.
pool.on('error', (error) => console.error(error.message))
pool.on('connect', (client) => client.on('error', () => {}))
