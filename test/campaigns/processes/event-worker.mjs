// Processes events. The callback writes a row in a transaction: that of the inbox, or its own if there is a store.
import { setTimeout as pause } from 'node:timers/promises'
import { createEventProcessor } from 'identity-service-sdk'
import { postgresInbox, postgresStore } from 'identity-service-sdk/stores/postgres'
import pg from 'pg'
import { handleRequests } from './shared-store.mjs'

const { RECORD, DATABASE_URL } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 6 }).on('error', () => {})

/** @type {(tx: { query(text: string, values: unknown[]): Promise<unknown> }, id: string) => Promise<void>} */
const write = async (tx, id) => {
  await tx.query('INSERT INTO effects (event_id) VALUES ($1)', [id])
  // A process may be killed between its two writes, and before and after them.
  await pause(Math.random() * 4)
  await tx.query('UPDATE effects SET is_complete = true WHERE event_id = $1', [id])
}

const onError = () => {}
const processor =
  RECORD === 'inbox'
    ? createEventProcessor({
        inbox: postgresInbox(pool),
        onError,
        on: { 'verification.approved': (event, { tx }) => write(tx, event.event_id) },
      })
    : createEventProcessor({
        store: postgresStore(new pg.Pool({ connectionString: DATABASE_URL, max: 6 }).on('error', () => {})),
        leaseMs: 1_000,
        onError,
        on: {
          'verification.approved': async (event) => {
            const client = await pool.connect()
            try {
              await client.query('BEGIN')
              await write(client, event.event_id)
              await client.query('COMMIT')
            } finally {
              client.release()
            }
            // Long for a callback, so that kills also hit processes whose row is written and whose event is not recorded yet.
            await pause(50)
          },
        },
      })

handleRequests(async (/** @type {import('identity-service-sdk').WebhookEvent} */ event) => {
  const { status, outcome } = await processor.process(event)
  return { status, outcome }
})
