import type { VerificationChange } from 'identity-service-sdk'
import pg from 'pg'

const { DATABASE_URL } = process.env

/** Opens a pool. The limits are for a database that is silent, and the listener for a connection that is lost. */
export function openPool(): pg.Pool {
  if (!DATABASE_URL) throw new Error('DATABASE_URL is missing: set it to the address of a PostgreSQL database')
  const limits = { connectionTimeoutMillis: 5_000, query_timeout: 10_000 }
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, ...limits })
  return pool.on('error', (error) => console.error('postgres', error.message))
}

export interface Account {
  sub: string
  email: string | null
  verification: string
  document: string | null
  /** Whether this app has added the person to the roster, or found them there. `adding` also after a crash meanwhile. */
  roster: 'adding' | 'added' | 'found' | null
  /** From then on nobody is let in. A job that begins to delete the account moves it on. */
  closed_at: Date | null
}

/** Creates the tables of this app, for one server at a time. In a real app, run this as a migration. */
export const createTables = (pool: pg.Pool) =>
  pool.query(`
    SELECT pg_advisory_xact_lock(1);
    CREATE TABLE IF NOT EXISTS accounts (
      sub text PRIMARY KEY,
      email text UNIQUE,
      verification text NOT NULL DEFAULT 'none',
      document text,
      roster text,
      closed_at timestamptz
    );
    CREATE TABLE IF NOT EXISTS handled_changes (id text PRIMARY KEY, handled_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE IF NOT EXISTS session (sid text PRIMARY KEY, sess json NOT NULL, expire timestamptz NOT NULL);
    CREATE INDEX IF NOT EXISTS session_expire ON session (expire)`)

export async function readAccount(pool: pg.Pool, sub: string): Promise<Account | undefined> {
  const { rows } = await pool.query<Account>('SELECT * FROM accounts WHERE sub = $1', [sub])
  return rows[0]
}

/** Sets the state of a person, once for each change: a process that was paused must not undo what came after it. */
export const saveChange = (pool: pg.Pool, { id, subject, to }: Pick<VerificationChange, 'id' | 'subject' | 'to'>) =>
  pool.query(
    `WITH change AS (INSERT INTO handled_changes (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id)
     UPDATE accounts SET verification = $3 FROM change WHERE sub = $2`,
    [id, subject, to],
  )

export const saveRoster = (pool: pg.Pool, sub: string, roster: Account['roster']) =>
  pool.query('UPDATE accounts SET roster = $2 WHERE sub = $1', [sub, roster])
