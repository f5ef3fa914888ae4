/**
 * State that processes share, in Postgres.
 *
 * @module identity-service-sdk/stores/postgres
 */

import { ConfigurationError } from '../errors/sdk-error.ts'
import { codeOf, driverError } from './driver-error.ts'
import { decode, encode, escapeMark } from './encode.ts'
import { postgresStatements } from './postgres-statements.ts'
import type { Store, StoreSetOptions, StoreTtlOptions } from './store.ts'
import { ttl } from './ttl.ts'

export { ConfigurationError, isSdkError, SdkError, StoreError } from '../errors/sdk-error.ts'
export { postgresStoreSql } from './postgres-statements.ts'
export type { Store, StoreSetOptions, StoreTtlOptions } from './store.ts'

/** What is used of a `Pool` of pg 8: a statement and its parameters in, rows out. */
export interface PostgresPool {
  /** Runs one statement; each row is an object. */
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** Read once, when the store is made. */
export interface PostgresStoreOptions {
  /**
   * Name of the table, or `schema.table`; each part is letters, digits and underscores, at most 50 of them, and is
   * used as it is spelled. Stores with different tables do not see each other's keys.
   *
   * @default 'svc_store'
   * @throws {ConfigurationError} any other name
   */
  readonly table?: string | undefined

  /**
   * Whether the first use makes the table where there is none. With `false`, run {@link postgresStoreSql} in a
   * migration.
   *
   * @default true
   */
  readonly createTable?: boolean | undefined
}

/** Writes between two that also delete what has expired. */
const reapEvery = 100

/** Other transactions came between, and nothing was done: seen where the database's default is stricter. */
const retryable: ReadonlySet<unknown> = new Set(['40001', '40P01'])
const longestRetry = 10

const undefinedTable = '42P01'

/** In bytes. An entry of an index holds 2,700. */
const longestPlainKey = 1024

/**
 * A {@link Store} in a table of Postgres, shared by all processes that use it. Each operation is one statement, so
 * it is atomic; lifetimes are counted by the database's clock, so the clocks of the processes do not matter. What
 * has expired counts as absent, and is deleted now and then beside a write. A failure rejects with
 * {@link StoreError}.
 *
 * @param pool a `Pool` of pg 8, with an `error` listener of yours; ending it is yours too. How long a call waits
 *   for a connection or an answer is a setting of the pool
 * @throws {ConfigurationError} something that is no pool, or options that cannot work
 *
 * @example
 * const pool = new pg.Pool({ connectionString }).on('error', report)
 * const handler = createWebhookHandler({ secret, store: postgresStore(pool), on: {} })
 */
export function postgresStore(pool: PostgresPool, options: PostgresStoreOptions = {}): Store {
  if (typeof pool?.query !== 'function') throw new ConfigurationError('the pool must be a Pool of pg 8')
  const { createTable = true } = options
  if (typeof createTable !== 'boolean') throw new ConfigurationError('createTable must be true or false')
  const sql = postgresStatements(options.table)
  let table: Promise<unknown> | undefined
  let writes = 0

  const query = async (text: string, values: unknown[]): Promise<readonly unknown[]> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await pool.query(text, values)).rows
      } catch (thrown) {
        if (attempt === longestRetry || !retryable.has(codeOf(thrown))) throw thrown
      }
    }
  }

  const makeTable = () => {
    table ??= query(sql.createTable, []).catch((thrown) => {
      table = undefined
      throw thrown
    })
    return table
  }

  const run = async (
    operation: Exclude<keyof typeof sql, 'createTable' | 'reap'>,
    key: string,
    texts: string[] = [],
    ttl?: number | null,
  ) => {
    try {
      const values = [await storedKey(key), ...texts.map((text) => encode(text, 'value'))]
      if (createTable) await makeTable()
      const rows = await query(sql[operation], ttl === undefined ? values : [...values, ttl])
      return rows[0] as { readonly value?: unknown; readonly live: boolean } | undefined
    } catch (thrown) {
      // It was made in a transaction that was rolled back, or dropped since: the next use makes it.
      if (codeOf(thrown) === undefinedTable) table = undefined
      throw driverError('Postgres', operation, thrown, [key, ...texts])
    }
  }

  const write = async (...[operation, key, texts, ttlMs]: WriteArguments): Promise<boolean> => {
    const row = await run(operation, key, texts, ttl(ttlMs) ?? null)
    // What was written stays written when this fails, and a later write tries again.
    if (writes++ % reapEvery === 0) await query(sql.reap, []).catch(() => {})
    return row !== undefined
  }

  return {
    async get(key: string) {
      const row = await run('get', key)
      return row === undefined ? null : decode(row.value)
    },
    async set(key: string, value: string, { ttlMs, ifAbsent }: StoreSetOptions = {}) {
      return write(ifAbsent === true ? 'setIfAbsent' : 'set', key, [value], ttlMs)
    },
    async compareAndSet(key: string, expected: string, value: string, { ttlMs }: StoreTtlOptions = {}) {
      return write('compareAndSet', key, [value, expected], ttlMs)
    },
    async take(key: string) {
      const row = await run('take', key)
      return row?.live === true ? decode(row.value) : null
    },
    async delete(key: string) {
      return (await run('delete', key))?.live === true
    },
    async compareAndDelete(key: string, expected: string) {
      return (await run('compareAndDelete', key, [expected])) !== undefined
    },
  }
}

type WriteArguments = [
  operation: 'set' | 'setIfAbsent' | 'compareAndSet',
  key: string,
  texts: string[],
  ttlMs: number | undefined,
]

/** A key as the table holds it. A long one is held by its hash, under a name that no key has. */
async function storedKey(key: string): Promise<string> {
  const text = encode(key, 'key')
  if (text.length * 3 <= longestPlainKey) return text
  const bytes = new TextEncoder().encode(text)
  if (bytes.byteLength <= longestPlainKey) return text
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `${escapeMark}sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
