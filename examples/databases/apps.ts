import { setTimeout as sleep } from 'node:timers/promises'
import { PrismaPg } from '@prisma/adapter-pg'
import { createWebhookHandler, type WebhookEvent, type WebhookHandler } from 'identity-service-sdk/webhooks'
import knex from 'knex'
import { createPool } from 'mysql2/promise'
import { DataSource } from 'typeorm'
import {
  Account,
  type Accounts,
  createAccounts,
  createApprovals,
  KnexAccounts,
  MysqlAccounts,
  PrismaAccounts,
  TypeormAccounts,
} from './accounts.ts'
import { PrismaClient } from './generated/client.ts'
import { knexInbox, knexInboxSql } from './knex-inbox.ts'
import { mysqlStore, mysqlStoreSql } from './mysql2-store.ts'
import { prismaInbox, prismaInboxSql } from './prisma-inbox.ts'
import { typeormInbox, typeormInboxSql } from './typeorm-inbox.ts'

/** An application on one library. Its handler reads SVC_WEBHOOK_SECRET. */
export interface App {
  readonly handler: WebhookHandler
  close(): Promise<unknown>
}

async function count(accounts: Accounts, event: WebhookEvent, signal: AbortSignal) {
  const { event_id, vendor_data } = event
  if (!vendor_data) return
  await accounts.countApproval(vendor_data, event_id)
  if (vendor_data !== process.env.WAIT_FOR) return
  console.log('written, and not committed')
  await sleep(60_000, undefined, { signal })
}

/** Opens an application by the name of its library. Your own creates the tables in a migration. */
export const apps: Readonly<Record<string, (url: string) => Promise<App>>> = {
  async prisma(url) {
    const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) })
    for (const sql of `${createAccounts};${prismaInboxSql}`.split(';')) await prisma.$executeRawUnsafe(sql)
    const handler = createWebhookHandler({
      inbox: prismaInbox(prisma),
      on: {
        'verification.approved': (event, { tx, signal }) => count(new PrismaAccounts(tx), event, signal),
      },
    })
    return { handler, close: () => prisma.$disconnect() }
  },

  async typeorm(url) {
    const database = await new DataSource({ type: 'postgres', url, entities: [Account] }).initialize()
    await database.query(`${createAccounts};${typeormInboxSql}`)
    const handler = createWebhookHandler({
      inbox: typeormInbox(database),
      on: {
        'verification.approved': (event, { tx, signal }) => count(new TypeormAccounts(tx), event, signal),
      },
    })
    return { handler, close: () => database.destroy() }
  },

  async knex(url) {
    const database = knex({ client: 'pg', connection: url })
    await database.raw(`${createAccounts};${knexInboxSql}`)
    const handler = createWebhookHandler({
      inbox: knexInbox(database),
      on: {
        'verification.approved': (event, { tx, signal }) => count(new KnexAccounts(tx), event, signal),
      },
    })
    return { handler, close: () => database.destroy() }
  },

  async mysql2(url) {
    const pool = createPool(url)
    for (const sql of [mysqlStoreSql, createApprovals]) await pool.query(sql)
    const handler = createWebhookHandler({
      store: mysqlStore(pool),
      leaseMs: Number(process.env.LEASE_MS ?? 60_000),
      on: { 'verification.approved': (event, { signal }) => count(new MysqlAccounts(pool), event, signal) },
    })
    return { handler, close: () => pool.end() }
  },
}
