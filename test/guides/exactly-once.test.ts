import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signWebhook, type WebhookHandler } from '../../src/webhooks.ts'
import { documentedCode } from '../support/documented-code.ts'
import { startDatabase } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import type { Service } from '../support/service-process.ts'
import { anEvent, secret } from '../support/webhook.ts'

const guide = documentedCode('docs/guides/exactly-once.md')

describeWith('postgres', 'that effects in your own database happen exactly once', () => {
  let postgres: Service
  let own: pg.Pool
  beforeAll(async () => {
    postgres = await startDatabase()
    own = new pg.Pool({ connectionString: postgres.url }).on('error', () => {})
    await own.query('CREATE TABLE handled_events (event_id text PRIMARY KEY, handled_at timestamptz DEFAULT now())')
    await own.query('CREATE TABLE mails (session_id text NOT NULL)')
  }, 60_000)
  afterAll(async () => {
    await own?.end()
    await postgres?.remove()
  })

  const load = () =>
    guide.load<{ handler: WebhookHandler; pool: pg.Pool }>('Insert the id with the effect', {
      env: { DATABASE_URL: postgres.url, SVC_WEBHOOK_SECRET: secret },
    })

  it('an event that three processes handle at the same time has its effect once', async () => {
    const processes = await Promise.all([load(), load(), load()])
    const delivery = await signWebhook({ event: anEvent(), secret })

    const results = await Promise.all(processes.map(({ handler }) => handler.handle(delivery)))
    await Promise.all(processes.map(({ pool }) => pool.end()))

    expect(results.map(({ outcome }) => outcome)).toEqual(['processed', 'processed', 'processed'])
    expect((await own.query('SELECT FROM mails')).rows).toHaveLength(1)
  })

  it('an event whose effect fails has none, and can be delivered again', async () => {
    const { handler, pool } = await load()
    const delivery = await signWebhook({ event: anEvent({ event_id: 'evt_2', session_id: 'sess_2' }), secret })
    await own.query('ALTER TABLE mails RENAME TO letters')

    expect(await handler.handle(delivery)).toMatchObject({ status: 500, outcome: 'failed' })
    await own.query('ALTER TABLE letters RENAME TO mails')
    expect(await handler.handle(delivery)).toMatchObject({ outcome: 'processed' })

    await pool.end()
    expect((await own.query("SELECT FROM mails WHERE session_id = 'sess_2'")).rows).toHaveLength(1)
  })
})
