/**
 * A store in Postgres, for state that processes share.
 *
 * @module identity-service-sdk/stores/postgres
 */

import { checkOptionNames, type OptionNames } from '../errors/option-names.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { codeOf, driverError } from './driver-error.ts'
import { decode, encode, escapeMark } from './encode.ts'
import { postgresStatements } from './postgres-statements.ts'
import type { Store, StoreSetOptions, StoreTtlOptions } from './store.ts'
import { ttl } from './ttl.ts'

export { isSdkError } from '../errors/is-sdk-error.ts'
export { ConfigurationError, SdkError, StoreError } from '../errors/sdk-error.ts'
export { postgresStoreSql } from './postgres-statements.ts'
export type { ScannableStore, Store, StoreSetOptions, StoreTtlOptions } from './store.ts'

/** The part of a `Pool` of pg 8 that the store uses. */
export interface PostgresPool {
  /** Runs one statement with its parameters. Each row is an object. */
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** Options of a Postgres store. They are read once. Later changes to the object have no effect. */
export interface PostgresStoreOptions {
  /**
   * Name of the table, or `schema.table`. Each part has at most 50 letters, digits and underscores, does not start with
   * a digit, and is case-sensitive. Stores with different tables do not see each other's keys.
   *
   * @default 'svc_store'
   * @throws {ConfigurationError} if the name is not a valid table name
   */
  readonly table?: string | undefined

  /**
   * Whether the store creates the table at its first use, if the table does not exist. With `false`, run
   * {@link postgresStoreSql} in a migration.
   *
   * @default true
   */
  readonly createTable?: boolean | undefined
}

const optionNames = { table: true, createTable: true } satisfies OptionNames<PostgresStoreOptions>

/** Every so many writes, expired values are deleted. */
const deleteExpiredEvery = 100

/**
 * Serialization failure and deadlock: another transaction interfered, and the statement had no effect. They occur if
 * the default isolation level of the database is stricter than READ COMMITTED.
 */
const retryable: ReadonlySet<unknown> = new Set(['40001', '40P01'])
const maxAttempts = 10

const undefinedTable = '42P01'

/** A longer key is stored as its hash, because an entry of an index holds at most 2,700 bytes. */
const longestPlainKeyBytes = 1024

/**
 * Creates a {@link Store} in a table of Postgres, shared by all processes that use the table. Each operation is atomic,
 * because it is one statement. Lifetimes are measured by the clock of the database, so clocks of processes do not
 * matter. An expired value counts as absent, and is deleted during a later write. A failed operation rejects with
 * {@link StoreError}.
 *
 * @param pool a `Pool` of pg 8. Add an `error` listener to it, because without one a lost connection crashes the
 *   process. Ending the pool, and how long a call waits for a connection or a response, is up to you
 * @throws {ConfigurationError} `pool` is not a pool, or an option has a wrong value
 *
 * @example
 * const pool = new pg.Pool({ connectionString }).on('error', report)
 * const handler = createWebhookHandler({ secret, store: postgresStore(pool), on: {} })
 */
export function postgresStore(pool: PostgresPool, options: PostgresStoreOptions = {}): Store {
  if (typeof pool?.query !== 'function')
    throw new ConfigurationError({ message: 'pool must be a Pool of pg 8' })
  checkOptionNames('postgresStore', options, optionNames)
  const { createTable = true } = options
  if (typeof createTable !== 'boolean')
    throw new ConfigurationError({ message: 'createTable must be true or false' })
  const sql = postgresStatements(options.table)
  let tableCreation: Promise<unknown> | undefined
  let writes = 0

  const query = async (text: string, values: unknown[]): Promise<readonly unknown[]> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await pool.query(text, values)).rows
      } catch (thrown) {
        if (attempt === maxAttempts || !retryable.has(codeOf(thrown))) throw thrown
      }
    }
  }

  const ensureTable = () => {
    tableCreation ??= query(sql.createTable, []).catch((thrown) => {
      tableCreation = undefined
      throw thrown
    })
    return tableCreation
  }

  const run = async (
    operation: Exclude<keyof typeof sql, 'createTable' | 'deleteExpired'>,
    key: string,
    texts: string[] = [],
    ttl?: number | null,
  ) => {
    try {
      const values = [await storedKey(key), ...texts.map((text) => encode(text, 'value'))]
      if (createTable) await ensureTable()
      const rows = await query(sql[operation], ttl === undefined ? values : [...values, ttl])
      return rows[0] as { readonly value?: unknown; readonly live: boolean } | undefined
    } catch (thrown) {
      // The table was created in a transaction that was rolled back, or was dropped. The next call creates it again.
      if (codeOf(thrown) === undefinedTable) tableCreation = undefined
      const mayHaveHappened = operation !== 'get'
      throw driverError(thrown, { engine: 'Postgres', operation, texts: [key, ...texts], mayHaveHappened })
    }
  }

  const write = async (...[operation, key, texts, ttlMs]: WriteArguments): Promise<boolean> => {
    const row = await run(operation, key, texts, ttl(ttlMs) ?? null)
    // A failure is ignored, because the value is written. A later write tries again.
    if (writes++ % deleteExpiredEvery === 0) await query(sql.deleteExpired, []).catch(() => {})
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

/** Returns the key as stored in the table. A long key is stored as its hash, in a form that no other key has. */
async function storedKey(key: string): Promise<string> {
  const text = encode(key, 'key')
  if (text.length * 3 <= longestPlainKeyBytes) return text
  const bytes = new TextEncoder().encode(text)
  if (bytes.byteLength <= longestPlainKeyBytes) return text
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `${escapeMark}sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
