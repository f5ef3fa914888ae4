import { drizzle } from 'drizzle-orm/node-postgres'
import { type PgDatabase, type PgQueryResultHKT, pgTable, text } from 'drizzle-orm/pg-core'
import type { WebhookHandlerOptions } from 'identity-service-sdk/webhooks'
import { pool } from './pool.ts'
import { serve } from './serve.ts'

const handledEvents = pgTable('handled_events', { event_id: text().primaryKey() })
const mails = pgTable('mails', { session_id: text().notNull() })
// The type of every driver for PostgreSQL, because postgres-js, for example, returns no rowCount.
const db: PgDatabase<PgQueryResultHKT> = drizzle({ client: pool })

const options: WebhookHandlerOptions = {
  on: {
    'verification.approved': ({ event_id, session_id }) =>
      db.transaction(async (tx) => {
        const inserted = await tx.insert(handledEvents).values({ event_id }).onConflictDoNothing().returning()
        if (inserted.length === 0) return
        await tx.insert(mails).values({ session_id })
      }),
  },
}

await serve(options, () => pool.end())
