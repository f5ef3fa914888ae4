import type { WebhookHandlerOptions } from 'identity-service-sdk/webhooks'
import { Kysely, PostgresDialect } from 'kysely'
import { pool } from './pool.ts'
import { serve } from './serve.ts'

const db = new Kysely<{ handled_events: { event_id: string }; mails: { session_id: string } }>({
  dialect: new PostgresDialect({ pool }),
})

const options: WebhookHandlerOptions = {
  on: {
    'verification.approved': ({ event_id, session_id }) =>
      db.transaction().execute(async (tx) => {
        const insert = tx.insertInto('handled_events').values({ event_id })
        const once = insert.onConflict((conflict) => conflict.doNothing()).returning('event_id')
        if ((await once.execute()).length === 0) return
        await tx.insertInto('mails').values({ session_id }).execute()
      }),
  },
}

await serve(options, () => db.destroy())
