import { createHash } from 'node:crypto'
import type { ScannableStore } from 'identity-service-sdk/webhooks'
import type { Pool, ResultSetHeader, RowDataPacket } from 'mysql2/promise'

/** Creates the table. Run it in a migration. */
export const mysqlStoreSql = `CREATE TABLE IF NOT EXISTS svc_store (
  id BINARY(32) PRIMARY KEY,
  name LONGBLOB NOT NULL,
  value LONGBLOB NOT NULL,
  expires_at BIGINT NOT NULL,
  INDEX (expires_at)
)`

// Lifetimes are measured by the clock of the database, in milliseconds. In UTC, because in the hour before local clocks
// go back, `UNIX_TIMESTAMP(NOW())` would be an hour too late.
const now = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000"
const live = `expires_at > ${now}`
const longestMs = 2 ** 52

// Bytes, because a text column may change or fold characters. A key may be long, so its hash is the index.
const bytes = (text: string) => Buffer.from(text, 'utf16le')
const idOf = (key: string) => createHash('sha256').update(bytes(key)).digest()
const expiry = (ttlMs = longestMs) => Math.ceil(Math.min(ttlMs, longestMs))

/**
 * A store in MySQL or MariaDB, for processes that share a table. Pass a `Pool` of mysql2 with its default flags, and with
 * `autocommit` on.
 */
export function mysqlStore(pool: Pool): ScannableStore {
  /** The rest of the app may set other forms of rows and values for the pool. */
  const plain = { typeCast: (_field: unknown, next: () => unknown) => next(), rowsAsArray: false, nestTables: false }
  const run = async <Result extends RowDataPacket[] | ResultSetHeader>(sql: string, values: (Buffer | number)[]) =>
    (await pool.query<Result>({ sql, values, ...plain }))[0]

  /** Runs a statement, again if it was the victim of a deadlock. Returns how many rows it found. */
  async function write(sql: string, values: (Buffer | number)[], attempts = 20): Promise<number> {
    try {
      return (await run<ResultSetHeader>(sql, values)).affectedRows
    } catch (error) {
      if (attempts === 1 || (error as { code?: string }).code !== 'ER_LOCK_DEADLOCK') throw error
      return write(sql, values, attempts - 1)
    }
  }

  const store = {
    async get(key: string) {
      const select = `SELECT value FROM svc_store WHERE id = ? AND ${live}`
      const [row] = await run<RowDataPacket[]>(select, [idOf(key)])
      return row ? (row.value as Buffer).toString('utf16le') : null
    },
    async set(key, value, { ttlMs, ifAbsent } = {}) {
      // Some expired values are deleted with each write, and the one of this key before another can be inserted.
      await write(`DELETE FROM svc_store WHERE expires_at <= ${now} LIMIT 10`, []).catch(() => {})
      if (ifAbsent) await write(`DELETE FROM svc_store WHERE id = ? AND expires_at <= ${now}`, [idOf(key)])
      const insert = `INSERT ${ifAbsent ? 'IGNORE ' : ''}INTO svc_store VALUES (?, ?, ?, ${now} + ?)`
      const replace = 'ON DUPLICATE KEY UPDATE value = VALUES(value), expires_at = VALUES(expires_at)'
      const values = [idOf(key), bytes(key), bytes(value), expiry(ttlMs)]
      return (await write(ifAbsent ? insert : `${insert} ${replace}`, values)) > 0 || !ifAbsent
    },
    async compareAndSet(key, expected, value, { ttlMs } = {}) {
      const update = `UPDATE svc_store SET value = ?, expires_at = ${now} + ? WHERE id = ? AND value = ? AND ${live}`
      return (await write(update, [bytes(value), expiry(ttlMs), idOf(key), bytes(expected)])) > 0
    },
    async take(key): Promise<string | null> {
      // If the value changes between the two statements, it is read again.
      const value = await store.get(key)
      return value === null || (await store.compareAndDelete(key, value)) ? value : store.take(key)
    },
    async delete(key) {
      return (await write(`DELETE FROM svc_store WHERE id = ? AND ${live}`, [idOf(key)])) > 0
    },
    async compareAndDelete(key, expected) {
      const sql = `DELETE FROM svc_store WHERE id = ? AND value = ? AND ${live}`
      return (await write(sql, [idOf(key), bytes(expected)])) > 0
    },
    async *scan(prefix) {
      const [start, page] = [bytes(prefix), `id > ? AND LEFT(name, ?) = ? AND ${live} ORDER BY id LIMIT 500`]
      for (let last = Buffer.alloc(0); ; ) {
        const select = `SELECT id, name FROM svc_store WHERE ${page}`
        const rows = await run<RowDataPacket[]>(select, [last, start.length, start])
        for (const { name } of rows) yield (name as Buffer).toString('utf16le')
        if (rows.length === 0) return
        last = rows.at(-1)?.id
      }
    },
  } satisfies ScannableStore
  return store
}
