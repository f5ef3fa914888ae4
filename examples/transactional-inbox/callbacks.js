import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { Kysely, PostgresDialect, sql } from 'kysely'

export const createAccounts = 'CREATE TABLE IF NOT EXISTS accounts (id text PRIMARY KEY, approvals integer)'

const accounts = pgTable('accounts', { id: text().primaryKey(), approvals: integer() })

/** Counts an approval of an account, with each library. `tx` is a client of pg inside the inbox's transaction. */
export const countApproval = {
  pg: async (tx, account) => {
    await tx.query('INSERT INTO accounts VALUES ($1, 0) ON CONFLICT DO NOTHING', [account])
    await tx.query('UPDATE accounts SET approvals = approvals + 1 WHERE id = $1', [account])
  },

  // Do not call db.transaction(): its COMMIT would fail, because the inbox ends the transaction.
  drizzle: async (tx, account) => {
    const db = drizzle({ client: tx })
    await db.insert(accounts).values({ id: account, approvals: 0 }).onConflictDoNothing()
    const [found] = await db.select().from(accounts).where(eq(accounts.id, account))
    await db
      .update(accounts)
      .set({ approvals: found.approvals + 1 })
      .where(eq(accounts.id, account))
  },

  // Kysely takes connections from a pool. This one has only the connection of the transaction, whose release does nothing.
  kysely: async (tx, account) => {
    const pool = { connect: async () => tx, end: async () => {} }
    const db = new Kysely({ dialect: new PostgresDialect({ pool }) })
    const row = { id: account, approvals: 0 }
    await db
      .insertInto('accounts')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await db
      .updateTable('accounts')
      .set({ approvals: sql`approvals + 1` })
      .where('id', '=', account)
      .execute()
  },
}
