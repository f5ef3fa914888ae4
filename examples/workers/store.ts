import { DurableObject } from 'cloudflare:workers'
import type { ListEntry, ListedValue, ListingStore, Store } from 'identity-service-sdk'

type SetOptions = Parameters<Store['set']>[2]

const pageSize = 500

// SQL changes texts that are not valid Unicode. Encoded, a prefix of a key is also a prefix of what is stored.
const hex = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
const encode = (text: string) =>
  JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^ -~]/g, hex)
const decode = (stored: string): string => JSON.parse(`"${stored}"`)

/** The values of the store. A Durable Object runs one operation at a time, so each one is atomic across instances. */
export class StoredValues extends DurableObject {
  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env)
    this.#rows(`CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT, until REAL, list TEXT, at REAL);
      CREATE INDEX IF NOT EXISTS entries_of_lists ON entries (list, at, key);
      CREATE INDEX IF NOT EXISTS entries_that_expire ON entries (until)`)
  }

  #rows<Row extends Record<string, SqlStorageValue>>(statement: string, ...values: (string | number | null)[]): Row[] {
    const bound = values.map((value) => (typeof value === 'string' ? encode(value) : value))
    return this.ctx.storage.sql.exec<Row>(statement, ...bound).toArray()
  }

  get(key: string): string | null {
    const select = 'SELECT value FROM entries WHERE key = ? AND (until IS NULL OR until > ?)'
    const [row] = this.#rows<{ value: string }>(select, key, Date.now())
    return row === undefined ? null : decode(row.value)
  }

  set(key: string, value: string, { ttlMs, ifAbsent }: SetOptions = {}): boolean {
    if (ifAbsent && this.get(key) !== null) return false
    this.#rows('DELETE FROM entries WHERE until <= ?', Date.now())
    const until = ttlMs === undefined ? null : Date.now() + ttlMs
    this.#rows('INSERT OR REPLACE INTO entries (key, value, until) VALUES (?, ?, ?)', key, value, until)
    return true
  }

  compareAndSet(key: string, expected: string, value: string, options: SetOptions): boolean {
    return this.get(key) === expected && this.set(key, value, options)
  }

  take(key: string): string | null {
    const value = this.get(key)
    this.#rows('DELETE FROM entries WHERE key = ?', key)
    return value
  }

  delete(key: string): boolean {
    return this.take(key) !== null
  }

  compareAndDelete(key: string, expected: string): boolean {
    return this.get(key) === expected && this.delete(key)
  }

  /** Replaces a value and its place in a list. Both are in one row, so that no entry is without a value. */
  replace(key: string, from: ListedValue, { value, list, at = 0 }: ListedValue): boolean {
    if (this.get(key) !== from.value) return false
    if (value === null) this.take(key)
    else this.#rows('INSERT OR REPLACE INTO entries VALUES (?, ?, NULL, ?, ?)', key, value, list ?? null, at)
    return true
  }

  /** Returns the next keys from `start` on, without `after`, the last one before. */
  keys(start: string, after: string | null): string[] {
    const select = `SELECT key FROM entries WHERE key >= ? AND key IS NOT ? AND (until IS NULL OR until > ?)
      ORDER BY key LIMIT ${pageSize}`
    return this.#rows<{ key: string }>(select, start, after, Date.now()).map(({ key }) => decode(key))
  }

  /** Returns the next entries of a list from a place on, without `after`, the last one before. */
  range(list: string, before: number, { key, at }: ListEntry, after: string | null): ListEntry[] {
    const select = `SELECT key, at FROM entries WHERE list = ? AND at < ? AND (at, key) >= (?, ?) AND key IS NOT ?
      ORDER BY at, key LIMIT ${pageSize}`
    const rows = this.#rows<{ key: string; at: number }>(select, list, before, at, key, after)
    return rows.map((row) => ({ key: decode(row.key), at: row.at }))
  }

  count(list: string): number {
    const [row] = this.#rows<{ entries: number }>('SELECT count(*) AS entries FROM entries WHERE list = ?', list)
    return row?.entries ?? 0
  }
}

/** A `Store` for the package, shared by all instances of the Worker. */
export function durableStore(namespace: DurableObjectNamespace<StoredValues>): ListingStore {
  const values = () => namespace.get(namespace.idFromName('values'))
  return {
    get: async (key) => values().get(key),
    set: async (key, value, options) => values().set(key, value, options),
    compareAndSet: async (key, expected, value, options) => values().compareAndSet(key, expected, value, options),
    take: async (key) => values().take(key),
    delete: async (key) => values().delete(key),
    compareAndDelete: async (key, expected) => values().compareAndDelete(key, expected),
    async *scan(prefix) {
      for (let last: string | null = null; ; ) {
        const page: string[] = await values().keys(last ?? prefix, last)
        yield* page.filter((key) => key.startsWith(prefix))
        last = page.at(-1) ?? ''
        if (!last.startsWith(prefix) || page.length < pageSize) return
      }
    },
    lists: {
      replace: async (key, from, to) => values().replace(key, from, to),
      async *range(list, { before = Number.MAX_VALUE } = {}) {
        for (
          let page = await values().range(list, before, { key: '', at: -Number.MAX_VALUE }, null);
          page.length > 0;
        ) {
          yield* page
          const last = page.at(-1) as ListEntry
          page = await values().range(list, before, last, last.key)
        }
      },
      count: async (list) => values().count(list),
    },
  }
}
