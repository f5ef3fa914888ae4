import { equal, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { PrismaPg } from '@prisma/adapter-pg'
import type { EventInbox } from 'identity-service-sdk/stores/postgres'
import { testInbox, testStore } from 'identity-service-sdk/stores/testing'
import knex from 'knex'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { DataSource } from 'typeorm'
import { PrismaClient } from './generated/client.ts'
import { knexInbox, knexInboxSql } from './knex-inbox.ts'
import { mysqlStore, mysqlStoreSql } from './mysql2-store.ts'
import { prismaInbox, prismaInboxSql } from './prisma-inbox.ts'
import { typeormInbox, typeormInboxSql } from './typeorm-inbox.ts'

const { DATABASE_URL, MYSQL_URL } = process.env
if (!DATABASE_URL || !MYSQL_URL) throw new Error('DATABASE_URL or MYSQL_URL is missing: set both to empty databases')

const pool = new pg.Pool({ connectionString: DATABASE_URL }).on('error', () => {})
const mysql = createPool(MYSQL_URL)
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: DATABASE_URL }) })
const typeorm = new DataSource({ type: 'postgres', url: DATABASE_URL })
const database = knex({ client: 'pg', connection: DATABASE_URL, pool: { max: 10 } })

before(async () => {
  await mysql.query(mysqlStoreSql)
  for (const sql of ['CREATE TABLE IF NOT EXISTS effects (text text)', knexInboxSql, prismaInboxSql, typeormInboxSql])
    await pool.query(sql)
  await typeorm.initialize()
})

after(async () => {
  await Promise.all([pool.end(), mysql.end(), prisma.$disconnect(), typeorm.destroy(), database.destroy()])
})

const count = async (text: string) => (await pool.query('SELECT FROM effects WHERE text = $1', [text])).rows.length
const insert = 'INSERT INTO effects VALUES ($1)'
const disconnect = 'SELECT pg_terminate_backend(pg_backend_pid())'

const suites = {
  mysqlStore: testStore(() => mysqlStore(mysql)),
  prismaInbox: testInbox(() => prismaInbox(prisma), {
    write: (tx, text) => tx.$executeRawUnsafe(insert, text),
    count,
    query: (tx, statement) => tx.$executeRawUnsafe(statement),
    disconnect: (tx) => tx.$executeRawUnsafe(disconnect),
  }),
  typeormInbox: testInbox(() => typeormInbox(typeorm), {
    write: (tx, text) => tx.query(insert, [text]),
    count,
    query: (tx, statement) => tx.query(statement),
    disconnect: (tx) => tx.query(disconnect),
  }),
  knexInbox: testInbox(() => knexInbox(database), {
    write: (tx, text) => tx('effects').insert({ text }),
    count,
    query: (tx, statement) => tx.raw(statement),
    disconnect: (tx) => tx.raw(disconnect),
  }),
}

for (const [name, rules] of Object.entries(suites)) for (const rule of rules) test(`${name} ${rule.name}`, rule.run)

/** Checks the signal of a callback that goes on after its transaction has ended. */
async function aborts<Tx>(inbox: EventInbox<Tx>, end: (tx: Tx) => Promise<unknown>) {
  let reason: unknown
  const event = inbox.process({ key: randomUUID(), retainMs: 60_000 }, async ({ tx, signal }) => {
    await end(tx).catch(() => {})
    if (!signal.aborted) await once(signal, 'abort', { signal: AbortSignal.timeout(10_000) })
    reason = signal.reason
  })
  await rejects(event, { name: 'StoreError' })
  equal((reason as Error).name, 'StoreError')
}

test('knexInbox aborts the signal if the connection is lost', () =>
  aborts(knexInbox(database), async (tx) => tx.raw(disconnect)))
test('typeormInbox aborts the signal if the connection is lost', () =>
  aborts(typeormInbox(typeorm), (tx) => tx.query(disconnect)))
test('prismaInbox aborts the signal if the callback takes too long', () =>
  aborts(prismaInbox(prisma, 200), async () => {}))
