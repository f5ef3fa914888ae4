import type { WebhookEvent } from 'identity-service-sdk'
import { postgresStore } from 'identity-service-sdk/stores/postgres'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import type { EventQueue } from './queue.ts'

const { DATABASE_URL, ATTEMPTS = '10', CONCURRENCY = '10', LEASE_MS = '60000' } = process.env
const leaseSeconds = Math.ceil(Number(LEASE_MS) / 1000)

const retentionSeconds = 31_536_000 // a year

const events = 'verification-events'
const deadLetters = 'verification-events-dead'
const jobOptions = {
  retryLimit: Number(ATTEMPTS) - 1,
  retryDelay: 1,
  retryBackoff: true, // 1 s, 2 s, 4 s, ...
  // If a worker crashes, or an event takes longer, the attempt counts as failed after this time.
  expireInSeconds: leaseSeconds,
  deadLetter: deadLetters,
  retentionSeconds, // after this time, pg-boss deletes jobs that no worker has taken
}

export async function open(): Promise<EventQueue> {
  if (!DATABASE_URL) throw new Error('DATABASE_URL is missing: set it to the address of a PostgreSQL database')
  // Without these times, a silent database would let the sender of the webhook wait.
  const pool = new pg.Pool({ connectionString: DATABASE_URL, connectionTimeoutMillis: 5_000, query_timeout: 5_000 })
  pool.on('error', (error) => console.error('postgres', error.message))
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    schedule: false,
    // How often the jobs of crashed workers are looked for.
    superviseIntervalSeconds: leaseSeconds,
    monitorIntervalSeconds: leaseSeconds,
  })
  boss.on('error', (error) => console.error('pg-boss', error.message))
  await boss.start()
  // With limits of its own: a dead letter waits for somebody, and each crash while it is put back is an attempt.
  await boss.createQueue(deadLetters, { retentionSeconds, retryLimit: 100 })
  await boss.createQueue(events)

  return {
    store: postgresStore(pool),

    enqueue: (event) => boss.send(events, event, jobOptions),

    async work(handle) {
      const workers = Array.from({ length: Number(CONCURRENCY) }, () =>
        // A batch would fail as a whole, so each worker takes one job at a time.
        boss.work<WebhookEvent>(events, { batchSize: 1, pollingIntervalSeconds: 1 }, async (jobs) => {
          for (const { data } of jobs) await handle(data)
        }),
      )
      await Promise.all(workers)
    },

    // `getQueueStats` would count what was there up to a minute ago.
    countDeadLetters: async () => (await boss.previewRedrive(deadLetters, { limit: 100_000 })).total,

    async retryDeadLetters() {
      for (;;) {
        const [job] = await boss.fetch<WebhookEvent>(deadLetters)
        if (!job) return
        // In this order, so that a crash in between repeats an event and loses none.
        await boss.send(events, job.data, jobOptions)
        await boss.complete(deadLetters, job.id)
      }
    },

    async close() {
      await boss.stop({ timeout: Number(LEASE_MS) })
      await pool.end()
    },
  }
}
