import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { Kysely, PostgresDialect } from 'kysely'
import type { PoolClient } from 'pg'

export const createAccounts = 'CREATE TABLE IF NOT EXISTS accounts (id text PRIMARY KEY, approvals integer NOT NULL)'

const accounts = pgTable('accounts', { id: text().primaryKey(), approvals: integer().notNull() })

interface Database {
  accounts: { id: string; approvals: number }
}

/** Counts an approval of an account. `tx` is a client of pg inside the inbox's transaction. */
type CountApproval = (tx: PoolClient, account: string) => Promise<void>

const withPg: CountApproval = async (tx, account) => {
  await tx.query('INSERT INTO accounts VALUES ($1, 0) ON CONFLICT DO NOTHING', [account])
  await tx.query('UPDATE accounts SET approvals = approvals + 1 WHERE id = $1', [account])
}

// Do not call db.transaction(): its COMMIT would fail, because the inbox ends the transaction.
const withDrizzle: CountApproval = async (tx, account) => {
  const db = drizzle({ client: tx })
  await db.insert(accounts).values({ id: account, approvals: 0 }).onConflictDoNothing()
  await db
    .update(accounts)
    .set({ approvals: sql`${accounts.approvals} + 1` })
    .where(eq(accounts.id, account))
}

// Kysely takes connections from a pool. This one has only the connection of the transaction, whose release does
// nothing.
const withKysely: CountApproval = async (tx, account) => {
  const pool = { connect: async () => tx, end: async () => {}, options: {} }
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  await db
    .insertInto('accounts')
    .values({ id: account, approvals: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await db
    .updateTable('accounts')
    .set(({ eb }) => ({ approvals: eb('approvals', '+', 1) }))
    .where('id', '=', account)
    .execute()
}

/** The same callback with each library. */
export const libraries: ReadonlyMap<string, CountApproval> = new Map([
  ['pg', withPg],
  ['drizzle', withDrizzle],
  ['kysely', withKysely],
])
