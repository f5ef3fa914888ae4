import { ConfigurationError } from '../errors/sdk-error.ts'

/** A table's name, checked: `quoted` is fit for a statement. */
interface Table {
  readonly quoted: string
  readonly index: string
}

/** With what the name of the index adds, Postgres would cut a longer one short, and two names may become one. */
const part = /^[A-Za-z_][A-Za-z0-9_]{0,49}$/

function postgresTable(name = 'svc_store'): Table {
  const parts = typeof name === 'string' ? name.split('.') : []
  const table = parts.at(-1)
  if (table === undefined || parts.length > 2 || !parts.every((text) => part.test(text))) {
    throw new ConfigurationError(
      'table must be a name, or schema.name, of at most 50 letters, digits and underscores each',
    )
  }
  return { quoted: parts.map((text) => `"${text}"`).join('.'), index: `"${table}_expires_at"` }
}

/**
 * The statements that make the table of a `postgresStore`, for a migration. They do nothing where it is there. The
 * role that the store runs as needs SELECT, INSERT, UPDATE and DELETE on the table.
 *
 * @param table as in the options of the store; default `'svc_store'`
 * @throws {ConfigurationError} a name that the store would refuse
 *
 * @example
 * await pool.query(postgresStoreSql('auth.shared_state'))
 */
export function postgresStoreSql(table?: string): string {
  const { quoted, index } = postgresTable(table)
  // In "C", keys and values are equal only where their bytes are, and the index outlives upgrades of the system.
  return `CREATE TABLE IF NOT EXISTS ${quoted} (
  key text COLLATE "C" PRIMARY KEY,
  value text COLLATE "C" NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${index} ON ${quoted} (expires_at) WHERE expires_at < 'infinity';
`
}

/** Any number: it keeps processes apart that make a table at once, which "IF NOT EXISTS" does not. */
const creation = 6_029_441_873

/**
 * What each operation sends. The time is `clock_timestamp()`, which goes on within a transaction and while a
 * statement waits for a row, so a value that expired meanwhile is not taken for a live one.
 */
export function postgresStatements(name: string | undefined) {
  const { quoted } = postgresTable(name)
  const live = 'entry.expires_at > clock_timestamp()'
  const expiry = (ttl: string) =>
    `coalesce(clock_timestamp() + ${ttl}::double precision * interval '1 millisecond', 'infinity')`
  const put = `INSERT INTO ${quoted} AS entry (key, value, expires_at) VALUES ($1, $2, ${expiry('$3')})
    ON CONFLICT (key) DO UPDATE SET value = $2, expires_at = ${expiry('$3')}`

  return {
    // One statement, for the lock to last; and no attempt where it is there, which needs more rights than using it.
    createTable: `DO $$ BEGIN
  IF to_regclass('${quoted}') IS NULL THEN
    PERFORM pg_advisory_xact_lock(${creation});
    ${postgresStoreSql(name)}
  END IF;
END $$`,
    get: `SELECT value FROM ${quoted} AS entry WHERE key = $1 AND ${live}`,
    set: `${put} RETURNING true AS live`,
    setIfAbsent: `${put} WHERE NOT ${live} RETURNING true AS live`,
    compareAndSet: `UPDATE ${quoted} AS entry SET value = $2, expires_at = ${expiry('$4')}
    WHERE key = $1 AND value = $3 AND ${live} RETURNING true AS live`,
    take: `DELETE FROM ${quoted} AS entry WHERE key = $1 RETURNING value, ${live} AS live`,
    delete: `DELETE FROM ${quoted} AS entry WHERE key = $1 RETURNING ${live} AS live`,
    compareAndDelete: `DELETE FROM ${quoted} AS entry
    WHERE key = $1 AND value = $2 AND ${live} RETURNING true AS live`,
    // now() can use the index. A bound, so that the one write that it delays is not delayed for long.
    reap: `DELETE FROM ${quoted} WHERE key IN (
    SELECT key FROM ${quoted} WHERE expires_at <= now() AND expires_at < 'infinity'
    ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED)`,
  }
}
