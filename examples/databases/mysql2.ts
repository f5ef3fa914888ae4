import { createWebhookHandler } from 'identity-service-sdk/webhooks'
import { createPool, type PoolConnection } from 'mysql2/promise'
import { databaseUrl, serve } from './serve.ts'

const pool = createPool(databaseUrl)

/** Returns false if the event was handled. INSERT IGNORE would also ignore other errors, and lose the event. */
async function insertEvent(connection: PoolConnection, eventId: string): Promise<boolean> {
  try {
    await connection.execute('INSERT INTO handled_events (event_id) VALUES (?)', [eventId])
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'ER_DUP_ENTRY') return false
    throw error
  }
}

const handler = createWebhookHandler({
  on: {
    'verification.approved': async ({ event_id, session_id }) => {
      const connection = await pool.getConnection()
      try {
        await connection.beginTransaction()
        if (await insertEvent(connection, event_id))
          await connection.execute('INSERT INTO mails (session_id) VALUES (?)', [session_id])
        await connection.commit()
        connection.release()
      } catch (error) {
        connection.destroy() // so that the database rolls back
        throw error
      }
    },
  },
})

await serve(handler, () => pool.end())
