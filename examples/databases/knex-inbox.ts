import { createHash, randomUUID } from 'node:crypto'
import { type EventInbox, postgresInboxSql, StoreError } from 'identity-service-sdk/stores/postgres'
import type { Knex } from 'knex'

const table = 'knex_inbox'

/** Creates the tables. Run it in a migration: `await knex.raw(knexInboxSql)`. */
export const knexInboxSql = postgresInboxSql(table)

// A key may be any text of any length, so its hash is stored.
const hashOf = (key: string) => createHash('sha256').update(key, 'utf16le').digest('hex')

const lock = 'SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0)) AS "isFree"'

// Some expired events are deleted with each new one. A COMMIT fails until `uncommitted` is null.
const insert = `WITH expired AS (
    DELETE FROM ${table} WHERE key IN (
      SELECT key FROM ${table} WHERE expires_at < now() LIMIT 10 FOR UPDATE SKIP LOCKED
    )
  )
  INSERT INTO ${table} (key, expires_at, uncommitted)
  VALUES (?, now() + least(?::float8, 1e13) * interval '1 ms', ?::uuid)
  ON CONFLICT DO NOTHING`

// Finds no row if the callback has ended the transaction.
const permitCommit = `UPDATE ${table} SET uncommitted = NULL WHERE key = ? AND uncommitted = ?::uuid`

/** Records each event in a transaction of Knex on Postgres. `tx` is that transaction. */
export function knexInbox(database: Knex): EventInbox<Knex.Transaction> {
  return {
    async process({ key, retainMs }, work) {
      const [event, token] = [hashOf(key), randomUUID()]
      const lost = new AbortController()
      let failure: { readonly error: unknown } | undefined
      const fail = (error: unknown): never => {
        failure = { error }
        throw error
      }
      try {
        return await database.transaction(async (tx) => {
          const { rows } = await tx.raw(lock, [event])
          if (!rows[0].isFree) return 'in_progress'
          const inserted = await tx.raw(insert, [event, retainMs, token])
          if (inserted.rowCount === 0) return 'duplicate'
          const connection = await tx.client.acquireConnection()
          const abort = (error: unknown) => lost.abort(failed(error))
          connection.once('error', abort)
          await work({ tx, signal: lost.signal })
            .catch(fail)
            .finally(() => connection.off('error', abort))
          const permitted = await tx.raw(permitCommit, [event, token])
          if (permitted.rowCount === 0) fail(new Error('The callback ended the transaction of its event.'))
          return 'processed'
        })
      } catch (cause) {
        throw failure ? failure.error : failed(cause)
      }
    },
  }
}

const failed = (cause: unknown) =>
  new StoreError({ message: 'Knex could not record an event', cause, mayHaveHappened: true })
