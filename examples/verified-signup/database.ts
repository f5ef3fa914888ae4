import pg, { type Pool, type PoolConfig } from 'pg'

/** Without them, a request or an event would wait for a database that is silent. */
const limits = { connectionTimeoutMillis: 5_000, query_timeout: 10_000 }

/** Opens a pool. Without an error listener, a lost connection would crash the process. */
export function openPool(options: PoolConfig): Pool {
  const { DATABASE_URL } = process.env
  if (!DATABASE_URL) throw new Error('DATABASE_URL is missing: set it to the address of a PostgreSQL database')
  const pool = new pg.Pool({ connectionString: DATABASE_URL, ...limits, ...options })
  return pool.on('error', (error) => console.error('postgres', error.message))
}

/** Creates the tables of this app. In a real app, run this as a migration. */
export const createTables = (pool: Pool) =>
  pool.query(`
    CREATE TABLE IF NOT EXISTS accounts (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      email text NOT NULL,
      verification text NOT NULL DEFAULT 'none'
    );
    CREATE TABLE IF NOT EXISTS account_log (
      event_id text PRIMARY KEY,
      account uuid NOT NULL REFERENCES accounts,
      entry text NOT NULL,
      at timestamptz NOT NULL DEFAULT now()
    )`)
