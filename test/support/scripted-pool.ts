import { EventEmitter } from 'node:events'
import { expect } from 'vitest'
import type { PostgresInboxPool } from '../../src/stores-postgres.ts'

/** Responds to a statement, or returns `undefined` for the default response. May throw, or never resolve. */
type Respond = (text: string, values: unknown[]) => unknown

/** A connection of a {@link scriptedPool}. As in a driver, its members work only on the connection itself. */
export class ScriptedClient extends EventEmitter {
  readonly processID = 7
  /** What each call of `release` was passed. */
  readonly releases: boolean[] = []
  readonly #respond: Respond
  readonly #name = 'a connection'

  constructor(respond: Respond) {
    super()
    this.#respond = respond
  }

  async query(text: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
    return (await this.#respond(text, values)) as { rows: unknown[] }
  }

  describe(): string {
    return this.#name
  }

  release(destroy: boolean): void {
    this.releases.push(destroy)
  }
}

/** A pool of pg by its shape, on which each statement succeeds unless `respond` has another response. */
export function scriptedPool(respond: Respond = () => undefined) {
  const statements: string[] = []
  const clients: ScriptedClient[] = []
  const respondTo: Respond = async (text, values) => {
    statements.push(text)
    return (await respond(text, values)) ?? defaultResponse(text)
  }
  const connect = async () => {
    const client = new ScriptedClient(respondTo)
    clients.push(client)
    return client
  }
  const pool: PostgresInboxPool<ScriptedClient> = {
    totalCount: 1,
    query: async (text) => expect.fail(`${text} takes a connection that a timeout cannot close`),
    connect: connect as typeof pool.connect,
  }
  return {
    pool,
    statements,
    clients,
    count: (part: string) => statements.filter((text) => text.includes(part)).length,
  }
}

/** What Postgres returns to the statements that begin a transaction, and one row to any other that changes a row. */
const defaultResponse = (text: string) => {
  const rows = (...all: object[]) => ({ rows: all })
  if (text.startsWith('BEGIN')) return [rows(), rows({ value: '0' }), rows()]
  return /^(?:INSERT|UPDATE)/.test(text) ? rows({ live: 'true' }) : rows()
}
