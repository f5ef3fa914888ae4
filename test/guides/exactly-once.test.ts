import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createEventProcessor, type EventInbox, signWebhook, type WebhookHandler } from '../../src/index.ts'
import { postgresInbox } from '../../src/stores-postgres.ts'
import { documentedCode } from '../support/documented-code.ts'
import { startDatabase } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import type { Service } from '../support/service-process.ts'
import { anEvent, secret } from '../support/webhook.ts'

const guide = documentedCode('docs/guides/exactly-once.md')

it('the pool that the page names is one of Kysely 0.29', async () => {
  const [pool] = /const pool = \{.*\}/.exec(readFileSync('docs/guides/exactly-once.md', 'utf8')) ?? []
  const program = `
    import { createWebhookHandler } from 'identity-service-sdk'
    import { postgresInbox } from 'identity-service-sdk/stores/postgres'
    import { Kysely, PostgresDialect } from 'kysely-0.29'
    import { Pool } from 'pg'

    export const handler = createWebhookHandler({
      inbox: postgresInbox(new Pool()),
      on: {
        'verification.approved': async (_, { tx }) => {
          ${pool}
          await new Kysely<{ t: { id: string } }>({ dialect: new PostgresDialect({ pool }) }).selectFrom('t').execute()
        },
      },
    })`

  expect(await guide.installed.compile({ 'kysely.mts': program }, { module: 'nodenext' })).toBe('')
})

describeWith('postgres', 'that effects in the database of an inbox happen exactly once', () => {
  let postgres: Service
  let pool: pg.Pool
  beforeAll(async () => {
    postgres = await startDatabase()
    pool = new pg.Pool({ connectionString: postgres.url }).on('error', () => {})
  }, 60_000)
  afterAll(async () => {
    await pool?.end()
    await postgres?.remove()
  })

  const env = () => ({ DATABASE_URL: postgres.url, SVC_WEBHOOK_SECRET: secret })
  const deliver = async (handler: WebhookHandler, eventId: string) =>
    handler.handle(await signWebhook({ event: anEvent({ event_id: eventId }), secret }))

  it('counts an event once that is delivered three times', async () => {
    await pool.query('CREATE TABLE accounts (id text PRIMARY KEY, approvals integer NOT NULL)')
    await pool.query(`INSERT INTO accounts VALUES ('user-42', 0)`)
    const { handler, pool: own } = await guide.load<{ handler: WebhookHandler; pool: pg.Pool }>(
      'Write in the transaction of the event',
      { env: env() },
    )
    const results = await Promise.all([1, 2, 3].map(() => deliver(handler, 'evt_1')))
    await own.end()

    expect(results.map(({ outcome }) => outcome).sort()).toEqual(['duplicate', 'duplicate', 'processed'])
    expect((await pool.query('SELECT approvals FROM accounts')).rows).toEqual([{ approvals: 1 }])
  })

  it('sends the mail of a committed event after the commit', async () => {
    await pool.query('CREATE TABLE mails (id serial, recipient text, sent_at timestamptz)')
    const sent: string[] = []
    const mails = { sendMail: async (recipient: string) => void sent.push(recipient) }
    const loaded = await guide.load<{
      handler: WebhookHandler
      pool: pg.Pool
      sendMails(): Promise<void>
    }>('What exactly once covers', { env: env(), modules: { './mails.ts': mails } })
    const { handler, sendMails } = loaded
    for (let i = 0; i < 2; i++) await deliver(handler, 'evt_2')
    expect(sent).toEqual([])
    for (let i = 0; i < 2; i++) await sendMails()
    expect(sent).toEqual(['user-42'])
    await loaded.pool.end()
  })

  it('checks an inbox of your own by every rule', async () => {
    const myInbox = vi.fn((own: pg.Pool) => postgresInbox(own, { table: 'my_inbox' }))

    await guide.run('Write an inbox for another database', {
      env: env(),
      modules: { './my-inbox.ts': { myInbox } },
    })

    expect(myInbox.mock.calls.length).toBeGreaterThan(20)
  })

  it('uses the tables of a migration', async () => {
    const { inbox } = await guide.load<{ inbox: EventInbox<pg.PoolClient> }>('Create the tables in a migration', {
      modules: { './app.ts': { pool } },
    })
    const processor = createEventProcessor({ inbox, on: { 'verification.approved': () => {} } })
    expect(await processor.process(anEvent() as never)).toMatchObject({ outcome: 'processed' })
    expect((await pool.query('SELECT key FROM accounts_inbox')).rows).toEqual([{ key: 'webhook:evt_1' }])
  })
})
