import type { WebhookHandlerOptions } from 'identity-service-sdk/webhooks'
import { createPool, type PoolConnection } from 'mysql2/promise'
import { databaseUrl, serve } from './serve.ts'

const pool = createPool(databaseUrl)

/** In milliseconds. Without it, a statement would wait for a database that is silent. */
const timeout = 10_000

/** Returns false if the event was handled. INSERT IGNORE would also ignore other errors, and lose the event. */
async function insertEvent(connection: PoolConnection, eventId: string): Promise<boolean> {
  try {
    await connection.execute({ sql: 'INSERT INTO handled_events (event_id) VALUES (?)', values: [eventId], timeout })
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'ER_DUP_ENTRY') return false
    throw error
  }
}

const options: WebhookHandlerOptions = {
  on: {
    'verification.approved': async ({ event_id, session_id }) => {
      const connection = await pool.getConnection()
      try {
        await connection.query({ sql: 'START TRANSACTION', timeout })
        if (await insertEvent(connection, event_id))
          await connection.execute({ sql: 'INSERT INTO mails (session_id) VALUES (?)', values: [session_id], timeout })
        await connection.query({ sql: 'COMMIT', timeout })
        connection.release()
      } catch (error) {
        connection.destroy() // so that the database rolls back
        throw error
      }
    },
  },
}

await serve(options, () => pool.end())
