import type { Knex } from 'knex'
import type { Pool } from 'mysql2/promise'
import { type EntityManager, EntitySchema } from 'typeorm'
import type { Prisma } from './generated/client.ts'

/** Repositories of an application. Each takes `tx` in a callback of an inbox, and the client itself elsewhere. */
export interface Accounts {
  countApproval(account: string, eventId: string): Promise<void>
}

export const createAccounts = 'CREATE TABLE IF NOT EXISTS accounts (id text PRIMARY KEY, approvals integer NOT NULL)'

export class PrismaAccounts implements Accounts {
  readonly #db: Prisma.TransactionClient

  constructor(db: Prisma.TransactionClient) {
    this.#db = db
  }

  async countApproval(id: string) {
    const update = { approvals: { increment: 1 } }
    await this.#db.account.upsert({ where: { id }, create: { id, approvals: 1 }, update })
  }
}

export const Account = new EntitySchema<{ id: string; approvals: number }>({
  name: 'Account',
  tableName: 'accounts',
  columns: { id: { type: 'text', primary: true }, approvals: { type: 'integer' } },
})

export class TypeormAccounts implements Accounts {
  readonly #db: EntityManager

  constructor(db: EntityManager) {
    this.#db = db
  }

  async countApproval(id: string) {
    const accounts = this.#db.getRepository(Account)
    await accounts.createQueryBuilder().insert().values({ id, approvals: 0 }).orIgnore().execute()
    await accounts.increment({ id }, 'approvals', 1)
  }
}

export class KnexAccounts implements Accounts {
  readonly #db: Knex

  constructor(db: Knex) {
    this.#db = db
  }

  async countApproval(id: string) {
    const approvals = this.#db.raw('accounts.approvals + 1')
    await this.#db('accounts').insert({ id, approvals: 1 }).onConflict('id').merge({ approvals })
  }
}

export const createApprovals =
  'CREATE TABLE IF NOT EXISTS approvals (event_id VARCHAR(255) PRIMARY KEY, account VARCHAR(255) NOT NULL)'

/** With a store, a callback can run again after a crash. The id of the event makes its effect happen once. */
export class MysqlAccounts implements Accounts {
  readonly #db: Pool

  constructor(db: Pool) {
    this.#db = db
  }

  async countApproval(account: string, eventId: string) {
    await this.#db.execute('INSERT IGNORE INTO approvals VALUES (?, ?)', [eventId, account])
  }
}
