import { ConfigurationError } from '../../errors/sdk-error.ts'
import type { ObservationOptions } from '../../observe/observation.ts'
import { Stream } from '../../observe/stream.ts'
import { checkOptions, errorDetailRule, timeSpan, trueOrFalse } from '../../options/rules.ts'
import { writeNote } from '../../runtime/logger.ts'
import { realTiming, timingOf } from '../../runtime/timing.ts'
import { keyWithPrefix, storedStarts } from '../encode.ts'
import { defaultTimeoutMs, type EngineLimit, runOperation, ttl, withOwnTimeLimit, withTimeLimit } from '../operation.ts'
import type {
  ListEntry,
  ListedValue,
  ListingStore,
  StoreSetOptions,
  StoreTimeLimit,
  StoreTtlOptions,
} from '../store.ts'
import { type PostgresPool, type QueryRows, retryConflicts, runStatement } from './client.ts'
import { hashedKeyStart, keyOfRow, type ScannedRow, storedEntry } from './entry.ts'
import { postgresStatements } from './statements.ts'
import { tableCreation } from './table.ts'

/** Options of a Postgres store. They are read once. Later changes to the object have no effect. */
export interface PostgresStoreOptions extends StoreTimeLimit, Pick<ObservationOptions, 'errorDetail'> {
  /**
   * Name of the table, or `schema.table`. Each part has at most 50 letters, digits and underscores, does not start with
   * a digit, and is case-sensitive. Stores with different tables do not see each other's keys.
   *
   * A name without a schema means the first schema in the `search_path` of the connection that has such a table. Name
   * the schema, such as `public.svc_store`, if others can create tables in a schema of that path, or change the path.
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

/** By SQLSTATE. */
const advice = {
  '42P01': 'The table does not exist: run the SQL of postgresStoreSql() in a migration',
  42501:
    'The role of the pool lacks a privilege: run the SQL of postgresStoreSql() in a migration, grant SELECT, INSERT, UPDATE and DELETE on its table, and pass createTable: false',
}

/** Every so many writes, expired values are deleted. */
const deleteExpiredEvery = 100

/** Pools whose settings were checked, so that several stores on one pool write one warning. */
const checkedPools = new WeakSet<PostgresPool>()

/** The rows of a store. */
class StoreTable {
  readonly #pool: PostgresPool
  readonly #sql: ReturnType<typeof postgresStatements>
  readonly #limit: EngineLimit
  readonly #withTable: ReturnType<typeof tableCreation>
  #writes = 0

  constructor(pool: PostgresPool, options: PostgresStoreOptions, limit: EngineLimit) {
    const { createTable = true, table } = options
    this.#pool = pool
    this.#sql = postgresStatements(table)
    this.#limit = limit
    const create = (signal: AbortSignal) => this.#query(this.#sql.createTable, [], signal)
    this.#withTable = tableCreation(create, { ...limit, createTable })
  }

  /** Runs the statement of an operation, and returns the row that it returns. */
  rowOf(operation: RowOperation, key: string, texts: readonly string[] = [], ttl?: number | null) {
    return this.#run(operation, async (signal) => {
      const entry = await storedEntry(key)
      const values = [entry.key, ...texts.map(entry.encodeValue)]
      const rows = await this.#statement(this.#sql[operation], ttl === undefined ? values : [...values, ttl], signal)
      const row = rows[0] as { readonly value?: unknown; readonly live?: string } | undefined
      return row && { isLive: row.live === 'true', value: () => entry.decodeValue(row.value) }
    })
  }

  async write(...[operation, key, texts, ttlMs]: WriteArguments): Promise<boolean> {
    const row = await this.rowOf(operation, key, texts, ttl(ttlMs) ?? null)
    this.#writes = (this.#writes + 1) % deleteExpiredEvery
    // Without waiting, because the value is written. If it fails, a later write tries again.
    if (this.#writes === 1) this.#unreported(this.#sql.deleteExpired).catch(() => {})
    return row !== undefined
  }

  /** Yields the keys with a prefix of rows whose key starts with a text. Each page is a statement of its own. */
  async *scanRows(start: string, prefix: string): AsyncGenerator<string> {
    let after: string | undefined
    for (;;) {
      const text = after === undefined ? this.#sql.scanFrom : this.#sql.scanAfter
      const values = [after ?? start, hashedKeyStart]
      const rows = await this.#run('scan', (signal) => this.#statement(text, values, signal))
      for (const row of rows as readonly ScannedRow[]) {
        if (!row.key.startsWith(start)) return
        const key = keyWithPrefix(keyOfRow(row), prefix)
        if (key !== undefined) yield key
        after = row.key
      }
      if (rows.length === 0) return
    }
  }

  /** Replaces a value and its place in a list. */
  async replace(key: string, from: ListedValue, to: ListedValue): Promise<boolean> {
    return this.#run('lists.replace', async (signal) => {
      const entry = await storedEntry(key)
      const finds = async (name: ListStatement, values: unknown[] = []) =>
        (await this.#statement(this.#sql[name], [entry.key, ...values], signal)).length > 0
      // A deleted row is in no list.
      if (to.value === null)
        return from.value === null ? !(await finds('get')) : finds('compareAndDelete', [entry.encodeValue(from.value)])
      const list = to.list === undefined ? null : (await storedEntry(to.list)).key
      const values = [entry.encodeValue(to.value), list, to.at ?? 0]
      return from.value === null
        ? finds('createListed', values)
        : finds('replaceListed', [...values, entry.encodeValue(from.value)])
    })
  }

  /** Yields the entries of a list in order. Each page is a statement of its own. */
  async *range(list: string, before: number): AsyncGenerator<ListEntry> {
    const { key: name } = await storedEntry(list)
    let after = ['-Infinity', '']
    for (;;) {
      const values = [name, before, ...after, hashedKeyStart]
      const rows = await this.#run('lists.range', (signal) => this.#statement(this.#sql.range, values, signal))
      for (const row of rows as readonly (ScannedRow & { readonly place: string })[]) {
        const key = keyWithPrefix(keyOfRow(row), '')
        if (key !== undefined) yield { key, at: Number(row.place) }
        after = [row.place, row.key]
      }
      if (rows.length === 0) return
    }
  }

  async count(list: string): Promise<number> {
    const values = [(await storedEntry(list)).key]
    const rows = await this.#run('lists.count', (signal) => this.#statement(this.#sql.count, values, signal))
    return Number((rows[0] as { readonly value: unknown }).value)
  }

  #run<T>(operation: string, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return runOperation(start, { ...this.#limit, operation })
  }

  async #statement(text: string, values: unknown[], signal: AbortSignal): Promise<QueryRows> {
    const rows = await this.#withTable(() => this.#query(text, values, signal))
    void this.#checkDurability()
    return rows
  }

  #query(text: string, values: unknown[], signal: AbortSignal): Promise<QueryRows> {
    return retryConflicts(signal, () => runStatement(this.#pool, text, values, signal))
  }

  /** Runs a statement whose failure no caller sees. */
  #unreported(text: string): Promise<QueryRows> {
    const operation = { ...this.#limit, operation: 'unreported work', mayHaveHappened: true }
    return withTimeLimit((signal) => this.#query(text, [], signal), operation)
  }

  /** Warns if writes are not durable. Nothing waits for this. If it fails, a later operation tries again. */
  async #checkDurability(): Promise<void> {
    if (checkedPools.has(this.#pool)) return
    checkedPools.add(this.#pool)
    try {
      const [row] = await this.#unreported(this.#sql.synchronousCommit)
      if ((row as { readonly value: unknown }).value === 'off') warn()
    } catch {
      checkedPools.delete(this.#pool)
    }
  }
}

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
 * const handler = createWebhookHandler({ secret, store: postgresStore(pool), consumers: [verifications] })
 */
export function postgresStore(pool: PostgresPool, options: PostgresStoreOptions = {}): ListingStore {
  const { query, $pool, createQueryRunner }: Partial<Record<string, unknown>> = Object(pool)
  const fault =
    $pool !== undefined
      ? 'is a database of pg-promise: pass its $pool'
      : createQueryRunner !== undefined
        ? 'is a DataSource of TypeORM: pass a Pool of pg 8, such as its driver.master'
        : typeof query !== 'function' && 'must be a Pool of pg 8'
  if (fault) throw new ConfigurationError({ message: `postgresStore: pool ${fault}` })
  checkOptions('postgresStore', options, {
    table: true,
    createTable: trueOrFalse,
    errorDetail: errorDetailRule,
    operationTimeoutMs: timeSpan,
  })
  const { errorDetail, operationTimeoutMs = defaultTimeoutMs } = options
  const { now, timer } = timingOf(options)
  const limit = { engine: 'Postgres', timeoutMs: operationTimeoutMs, timing: { now, timer }, errorDetail, advice }
  const rows = new StoreTable(pool, options, limit)
  const store = withOwnTimeLimit<ListingStore>({
    operationTimeoutMs,
    async get(key: string) {
      const row = await rows.rowOf('get', key)
      return row === undefined ? null : row.value()
    },
    async set(key: string, value: string, { ttlMs, ifAbsent }: StoreSetOptions = {}) {
      return rows.write(ifAbsent === true ? 'setIfAbsent' : 'set', key, [value], ttlMs)
    },
    async compareAndSet(key: string, expected: string, value: string, { ttlMs }: StoreTtlOptions = {}) {
      return rows.write('compareAndSet', key, [value, expected], ttlMs)
    },
    async take(key: string) {
      const row = await rows.rowOf('take', key)
      return row?.isLive === true ? row.value() : null
    },
    async delete(key: string) {
      return (await rows.rowOf('delete', key))?.isLive === true
    },
    async compareAndDelete(key: string, expected: string) {
      return (await rows.rowOf('compareAndDelete', key, [expected])) !== undefined
    },
    async *scan(prefix: string) {
      for (const start of storedStarts(prefix)) yield* rows.scanRows(start, prefix)
    },
    lists: {
      async replace(key: string, from: ListedValue, to: ListedValue) {
        return rows.replace(key, from, to)
      },
      range: (list: string, { before = Number.POSITIVE_INFINITY } = {}) => rows.range(list, before),
      async count(list: string) {
        return rows.count(list)
      },
    },
  })
  return store
}

type RowOperation = 'get' | 'set' | 'setIfAbsent' | 'compareAndSet' | 'take' | 'delete' | 'compareAndDelete'

type ListStatement = 'get' | 'compareAndDelete' | 'createListed' | 'replaceListed'

type WriteArguments = [
  operation: 'set' | 'setIfAbsent' | 'compareAndSet',
  key: string,
  texts: string[],
  ttlMs: number | undefined,
]

function warn(): void {
  const message =
    'Postgres confirms writes before they are durable (synchronous_commit = off). After a crash of the database, ' +
    'work that was recorded as done can be done again. Turn it on for the role of this pool: ' +
    'ALTER ROLE ... SET synchronous_commit = on'
  writeNote(new Stream({ observation: {}, timing: realTiming }).logger, message)
}
