import { ConfigurationError } from '../../errors/sdk-error.ts'

/** A checked table name, quoted for use in a statement, and the names that are derived from it. */
interface Table {
  readonly quoted: string
  readonly index: string
  readonly listIndex: string
}

/** A part has at most 50 characters, because Postgres truncates longer index names, and two names could become one. */
const tableName = /^(?:[A-Za-z_]\w{0,49}\.)?[A-Za-z_]\w{0,49}$/

/**
 * @param owner what takes the name: a function
 * @throws {ConfigurationError} the name is not a valid table name
 */
function postgresTable(owner: string, name: string): Table {
  if (typeof name !== 'string' || !tableName.test(name)) {
    throw new ConfigurationError({
      message:
        `${owner}: table must be a name or schema.name; each part has at most 50 letters, digits and underscores, ` +
        'and does not start with a digit',
    })
  }
  const table = name.slice(name.indexOf('.') + 1)
  return { quoted: `"${name.replace('.', '"."')}"`, index: `"${table}_expires_at"`, listIndex: `"${table}_list"` }
}

const defaultTable = 'svc_store'

/**
 * Returns the statements that create the table of a `postgresStore`, for a migration. If the table exists, they do
 * nothing. The role of the store needs SELECT, INSERT, UPDATE and DELETE on the table. If your database has a public
 * API, as Supabase and Neon have, use a schema that it does not expose, or revoke the privileges of its roles.
 *
 * @param table as in the options of the store; defaults to `'svc_store'`
 * @throws {ConfigurationError} the name is not a valid table name
 *
 * @example
 * await pool.query(postgresStoreSql('auth.shared_state'))
 */
export function postgresStoreSql(table: string = defaultTable): string {
  const { quoted, index, listIndex } = postgresTable('postgresStoreSql', table)
  // With collation "C", texts are equal only if their bytes are, and system upgrades do not invalidate the index.
  return `CREATE TABLE IF NOT EXISTS ${quoted} (
  key text COLLATE "C" PRIMARY KEY,
  value text COLLATE "C" NOT NULL,
  expires_at timestamptz NOT NULL,
  list text COLLATE "C",
  listed_at double precision
);
CREATE INDEX IF NOT EXISTS ${index} ON ${quoted} (expires_at) WHERE expires_at < 'infinity';
CREATE INDEX IF NOT EXISTS ${listIndex} ON ${quoted} (list, listed_at, key) WHERE list IS NOT NULL;
`
}

/** Any number. With this lock, processes create a table one at a time; "IF NOT EXISTS" alone does not ensure that. */
const creationLock = 6_029_441_873

/** Returns the time at which what is written now expires. */
const expiry = (ttl: string) =>
  `coalesce(clock_timestamp() + ${ttl}::double precision * interval '1 millisecond', 'infinity')`

/**
 * Returns the statement of each operation. The time is `clock_timestamp()`, which advances within a transaction and
 * while a statement waits for a row. A value that expires during that wait therefore counts as expired.
 *
 * All results are text: the application may have set parsers for the other types, for all pools of pg.
 */
export function postgresStatements(name: string = defaultTable) {
  const { quoted } = postgresTable('postgresStore', name)
  const live = 'entry.expires_at > clock_timestamp()'
  const put = `INSERT INTO ${quoted} AS entry (key, value, expires_at) VALUES ($1, $2, ${expiry('$3')})
    ON CONFLICT (key) DO UPDATE SET value = $2, expires_at = ${expiry('$3')}`

  // The value of a hashed key contains the key. The order is that of the primary key, which has collation "C".
  const scan = (operator: '>=' | '>') => `SELECT key, CASE WHEN starts_with(key, $2) THEN value END AS pair
    FROM ${quoted} AS entry WHERE key ${operator} $1 AND ${live} ORDER BY key LIMIT 500`

  return {
    // One statement, so that the lock is held to its end. If the table exists, nothing is attempted, because creating a
    // table needs more privileges than using it. Supabase and Neon grant the roles of their public API all
    // privileges on new tables. No row level security, which would hide all rows from other roles of the application.
    createTable: `DO $$ DECLARE visitor text; BEGIN
  IF to_regclass('${quoted}') IS NULL THEN
    PERFORM pg_advisory_xact_lock(${creationLock});
    ${postgresStoreSql(name)}
    FOR visitor IN SELECT rolname FROM pg_roles
      WHERE rolname IN ('anon', 'anonymous', 'authenticated') AND rolname <> current_user LOOP
      EXECUTE format('REVOKE ALL ON ${quoted} FROM %I', visitor);
    END LOOP;
  END IF;
END $$`,
    get: `SELECT value FROM ${quoted} AS entry WHERE key = $1 AND ${live}`,
    set: `${put} RETURNING 'true'::text AS live`,
    setIfAbsent: `${put} WHERE NOT ${live} RETURNING 'true'::text AS live`,
    compareAndSet: `UPDATE ${quoted} AS entry SET value = $2, expires_at = ${expiry('$4')}
    WHERE key = $1 AND value = $3 AND ${live} RETURNING 'true'::text AS live`,
    take: `DELETE FROM ${quoted} AS entry WHERE key = $1 RETURNING value, (${live})::text AS live`,
    delete: `DELETE FROM ${quoted} AS entry WHERE key = $1 RETURNING (${live})::text AS live`,
    compareAndDelete: `DELETE FROM ${quoted} AS entry
    WHERE key = $1 AND value = $2 AND ${live} RETURNING 'true'::text AS live`,
    scanFrom: scan('>='),
    scanAfter: scan('>'),
    createListed: `INSERT INTO ${quoted} AS entry (key, value, expires_at, list, listed_at)
    VALUES ($1, $2, 'infinity', $3, $4)
    ON CONFLICT (key) DO UPDATE SET value = $2, expires_at = 'infinity', list = $3, listed_at = $4
    WHERE NOT ${live} RETURNING 'true'::text AS live`,
    replaceListed: `UPDATE ${quoted} AS entry SET value = $2, expires_at = 'infinity', list = $3, listed_at = $4
    WHERE key = $1 AND value = $5 AND ${live} RETURNING 'true'::text AS live`,
    range: `SELECT key, CASE WHEN starts_with(key, $5) THEN value END AS pair, listed_at::text AS place
    FROM ${quoted} AS entry
    WHERE list = $1 AND listed_at < $2 AND (listed_at, key) > ($3, $4) AND ${live}
    ORDER BY listed_at, key LIMIT 500`,
    count: `SELECT count(*)::text AS value FROM ${quoted} AS entry WHERE list = $1 AND ${live}`,
    synchronousCommit: `SELECT current_setting('synchronous_commit') AS value`,
    // now() can use the index. The limit bounds how long the statement takes.
    deleteExpired: `DELETE FROM ${quoted} WHERE key IN (
    SELECT key FROM ${quoted} WHERE expires_at <= now() AND expires_at < 'infinity'
    ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED)`,
  }
}
