import { createIfAbsent, deleteExpired, expiry, postgresTable } from './statements.ts'

const defaultTable = 'svc_inbox'

/** How many expired rows one statement deletes. */
export const deletedAtOnce = 1_000

/**
 * Returns the statements that create the tables of a `postgresInbox`, for a migration. If they exist, nothing is done.
 * The second table, with the suffix `_uncommitted`, is always empty: a deferred constraint refers to it, so that only
 * the inbox can commit the transaction of an event. The role of the inbox needs SELECT, INSERT, UPDATE and DELETE on the
 * first table.
 *
 * @param table as in the options of the inbox; defaults to `'svc_inbox'`
 * @throws {ConfigurationError} the name is not a valid table name
 *
 * @example
 * await pool.query(postgresInboxSql('accounts.events'))
 */
export function postgresInboxSql(table: string = defaultTable): string {
  const { quoted, index, withSuffix } = postgresTable('postgresInboxSql', table)
  const uncommitted = withSuffix('_uncommitted')
  // Errors contain the name of the constraint, so it says what is wrong.
  return `CREATE TABLE IF NOT EXISTS ${uncommitted} (id uuid PRIMARY KEY CHECK (false));
CREATE TABLE IF NOT EXISTS ${quoted} (
  key text COLLATE "C" PRIMARY KEY,
  expires_at timestamptz NOT NULL,
  uncommitted uuid CONSTRAINT callback_must_not_commit
    REFERENCES ${uncommitted} DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX IF NOT EXISTS ${index} ON ${quoted} (expires_at) WHERE expires_at < 'infinity';
`
}

/** Returns the statements of an inbox. */
export function inboxStatements(name: string = defaultTable) {
  const { quoted } = postgresTable('postgresInbox', name)
  return {
    createTable: createIfAbsent(quoted, postgresInboxSql(name)),
    /** Begins a transaction in which statements wait for a lock no longer than this. Its second result is the limit before. */
    begin: (lockTimeoutMs: number) =>
      `BEGIN; SELECT current_setting('lock_timeout') AS value; SET LOCAL lock_timeout = ${lockTimeoutMs}`,
    /** Waits for the row if another transaction inserts it. Statements of the callback have the limit of before. */
    insert: `INSERT INTO ${quoted} (key, expires_at, uncommitted) VALUES ($1, ${expiry('$2')}, $3)
    ON CONFLICT (key) DO NOTHING RETURNING set_config('lock_timeout', $4, true)`,
    /** Lets the transaction be committed. Finds no row if it is not the transaction that inserted it. */
    permitCommit: `UPDATE ${quoted} SET uncommitted = NULL WHERE key = $1 AND uncommitted = $2 RETURNING true`,
    deleteExpired: `${deleteExpired(quoted, deletedAtOnce)} RETURNING true`,
  }
}
