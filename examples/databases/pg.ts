import type { WebhookHandlerOptions } from 'identity-service-sdk/webhooks'
import { pool } from './pool.ts'
import { serve } from './serve.ts'

const options: WebhookHandlerOptions = {
  on: {
    'verification.approved': async ({ event_id, session_id }) => {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        const insert = 'INSERT INTO handled_events (event_id) VALUES ($1) ON CONFLICT DO NOTHING'
        const { rowCount } = await client.query(insert, [event_id])
        if (rowCount === 1) await client.query('INSERT INTO mails (session_id) VALUES ($1)', [session_id])
        await client.query('COMMIT')
        client.release()
      } catch (error) {
        client.release(true) // closes the connection, so that the database rolls back
        throw error
      }
    },
  },
}

await serve(options, () => pool.end())
