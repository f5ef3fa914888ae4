import { createHash, randomUUID } from 'node:crypto'
import { type EventInbox, postgresInboxSql, StoreError } from 'identity-service-sdk/stores/postgres'
import type { DataSource, EntityManager } from 'typeorm'

const table = 'typeorm_inbox'

/** Creates the tables. Run it in a migration: `await queryRunner.query(typeormInboxSql)`. */
export const typeormInboxSql = postgresInboxSql(table)

// A key may be any text of any length, so its hash is stored.
const hashOf = (key: string) => createHash('sha256').update(key, 'utf16le').digest('hex')

const lock = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "isFree"'

// Some expired events are deleted with each new one. A COMMIT fails until `uncommitted` is null.
const insert = `WITH expired AS (
    DELETE FROM ${table} WHERE key IN (
      SELECT key FROM ${table} WHERE expires_at < now() LIMIT 10 FOR UPDATE SKIP LOCKED
    )
  )
  INSERT INTO ${table} (key, expires_at, uncommitted)
  VALUES ($1, now() + least($2::float8, 1e13) * interval '1 ms', $3::uuid)
  ON CONFLICT DO NOTHING RETURNING key`

// Finds no row if the callback has ended the transaction.
const permitCommit = `UPDATE ${table} SET uncommitted = NULL WHERE key = $1 AND uncommitted = $2::uuid`

/** Records each event in a transaction of TypeORM on Postgres. `tx` is the `EntityManager` of that transaction. */
export function typeormInbox(database: DataSource): EventInbox<EntityManager> {
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
          const [{ isFree }] = await tx.query(lock, [event])
          if (!isFree) return 'in_progress'
          const inserted = await tx.query(insert, [event, retainMs, token])
          if (inserted.length === 0) return 'duplicate'
          const connection = await tx.queryRunner?.connect()
          const abort = (error: unknown) => lost.abort(failed(error))
          connection.once('error', abort)
          await work({ tx, signal: lost.signal })
            .catch(fail)
            .finally(() => connection.off('error', abort))
          const [, permitted] = await tx.query(permitCommit, [event, token])
          if (permitted === 0) fail(new Error('The callback ended the transaction of its event.'))
          return 'processed'
        })
      } catch (cause) {
        throw failure ? failure.error : failed(cause)
      }
    },
  }
}

const failed = (cause: unknown) =>
  new StoreError({ message: 'TypeORM could not record an event', cause, mayHaveHappened: true })
