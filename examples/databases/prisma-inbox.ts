import { createHash, randomUUID } from 'node:crypto'
import { type EventInbox, postgresInboxSql, StoreError } from 'identity-service-sdk/stores/postgres'
import type { Prisma, PrismaClient } from './generated/client.ts'

const table = 'prisma_inbox'

/** Creates the tables. Add it to a migration of Prisma. */
export const prismaInboxSql = postgresInboxSql(table)

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
  ON CONFLICT DO NOTHING`

// Finds no row if the callback has ended the transaction.
const permitCommit = `UPDATE ${table} SET uncommitted = NULL WHERE key = $1 AND uncommitted = $2::uuid`

/**
 * Records each event in a transaction of Prisma on Postgres. `tx` is the client of that transaction.
 *
 * @param timeout how long a transaction may take, in milliseconds. Then Prisma rolls it back
 */
export function prismaInbox(database: PrismaClient, timeout = 30_000): EventInbox<Prisma.TransactionClient> {
  return {
    async process({ key, retainMs }, work) {
      const [event, token] = [hashOf(key), randomUUID()]
      const late = new AbortController()
      let failure: { readonly error: unknown } | undefined
      const fail = (error: unknown): never => {
        failure = { error }
        throw error
      }
      const transaction = async (tx: Prisma.TransactionClient) => {
        const [found] = await tx.$queryRawUnsafe<{ isFree: boolean }[]>(lock, event)
        if (!found?.isFree) return 'in_progress'
        const inserted = await tx.$executeRawUnsafe(insert, event, retainMs, token)
        if (inserted === 0) return 'duplicate'
        const timer = setTimeout(() => late.abort(failed(new Error('timeout'))), timeout)
        await work({ tx, signal: late.signal })
          .catch(fail)
          .finally(() => clearTimeout(timer))
        const permitted = await tx.$executeRawUnsafe(permitCommit, event, token)
        if (permitted === 0) fail(new Error('The callback ended the transaction of its event.'))
        return 'processed'
      }
      try {
        return await database.$transaction(transaction, { timeout })
      } catch (cause) {
        throw failure ? failure.error : failed(cause)
      }
    },
  }
}

const failed = (cause: unknown) =>
  new StoreError({ message: 'Prisma could not record an event', cause, mayHaveHappened: true })
