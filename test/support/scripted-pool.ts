import { EventEmitter } from 'node:events'
import { expect } from 'vitest'

/** Responds to a statement, or returns `undefined` for the default response. May throw, or never resolve. */
type Respond = (text: string, values: unknown[]) => unknown

/** A connection of a {@link scriptedPool}. */
class ScriptedClient extends EventEmitter {
  /** What each call of `release` was passed. */
  readonly releases: boolean[] = []
  readonly query: Respond

  constructor(query: Respond) {
    super()
    this.query = query
  }

  release(destroy: boolean): void {
    this.releases.push(destroy)
  }
}

/** A pool of pg by its shape, on which each statement succeeds unless `respond` has another response. */
export function scriptedPool(respond: Respond = () => undefined) {
  const statements: string[] = []
  const clients: ScriptedClient[] = []
  const query: Respond = async (text, values) => {
    statements.push(text)
    // One row to any statement that changes a row.
    const rows = /^(?:INSERT|UPDATE)/.test(text) ? [{ live: 'true' }] : []
    return (await respond(text, values)) ?? { rows }
  }
  const pool = {
    totalCount: 1,
    query: async (text: string) => expect.fail(`${text} takes a connection that a timeout cannot close`),
    async connect() {
      const client = new ScriptedClient(query)
      clients.push(client)
      return client
    },
  }
  return { pool, clients, count: (part: string) => statements.filter((text) => text.includes(part)).length }
}
