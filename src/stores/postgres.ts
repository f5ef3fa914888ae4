import type { ErrorDetail } from '../errors/error-detail.ts'
import {
  aLogger,
  checkOptions,
  errorDetailRule,
  type OptionRules,
  timeSpan,
  trueOrFalse,
} from '../errors/options.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { callHook, type Logger } from '../runtime/logger.ts'
import { realTiming, type Timing, timing } from '../runtime/timing.ts'
import { keyWithPrefix, storedStarts, ttl } from './encode.ts'
import { defaultTimeoutMs, limitingItself, runOperation } from './operation.ts'
import { type PostgresPool, type QueryRows, retryConflicts, runStatement } from './postgres/client.ts'
import { hashedKeyStart, keyOfRow, type ScannedRow, storedEntry } from './postgres/entry.ts'
import { postgresStatements } from './postgres/statements.ts'
import { runUnreported, tableCreation } from './postgres/table.ts'
import type { ScannableStore, StoreSetOptions, StoreTimeLimit, StoreTtlOptions } from './store.ts'

/**
 * A store in Postgres, for state that processes share, and an inbox in Postgres, for events whose effects are in the
 * same database.
 *
 * @module identity-service-sdk/stores/postgres
 */

// So that what the entries share is one file of the build.
import '../index.ts'

export { isSdkError } from '../errors/any-sdk-error.ts'
export { ConfigurationError, SdkError, StoreError } from '../errors/sdk-error.ts'
export type { Logger } from '../runtime/logger.ts'
export type {
  EventInbox,
  EventOutcome,
  InboxEntry,
  SignalContext,
  TransactionContext,
} from './event-inbox.ts'
export type { PostgresPool } from './postgres/client.ts'
export {
  type PostgresInboxOptions,
  type PostgresInboxPool,
  postgresInbox,
} from './postgres/inbox.ts'
export { postgresInboxSql, postgresStoreSql } from './postgres/statements.ts'
export type { ScannableStore, Store, StoreSetOptions, StoreTimeLimit, StoreTtlOptions } from './store.ts'

/** Options of a Postgres store. They are read once. Later changes to the object have no effect. */
export interface PostgresStoreOptions extends StoreTimeLimit {
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

  /**
   * Receives a warning if the database confirms writes before they are durable (`synchronous_commit = off`), because
   * after a crash of the database an event could then run again, or a token be presented twice.
   *
   * @default console
   */
  readonly logger?: Logger | undefined

  /**
   * Whether errors show what the driver threw: `'safe'` shows its class and its code only. It can always be read:
   * `error.original`.
   *
   * @default env `SVC_ERROR_DETAIL`, otherwise `'full'` if `NODE_ENV` is `development` or `test`, and `'safe'` if not
   */
  readonly errorDetail?: ErrorDetail | undefined
}

const optionRules = {
  table: true,
  createTable: trueOrFalse,
  logger: aLogger,
  errorDetail: errorDetailRule,
  operationTimeoutMs: timeSpan,
} satisfies OptionRules<PostgresStoreOptions>

/** Every so many writes, expired values are deleted. */
const deleteExpiredEvery = 100

/** Pools whose settings were checked, so that several stores on one pool write one warning. */
const checkedPools = new WeakSet<PostgresPool>()

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
export function postgresStore(pool: PostgresPool, options: PostgresStoreOptions = {}): ScannableStore {
  if (typeof pool?.query !== 'function')
    throw new ConfigurationError({ message: 'postgresStore: pool must be a Pool of pg 8' })
  checkOptions('postgresStore', options, optionRules)
  const {
    createTable = true,
    logger,
    errorDetail,
    operationTimeoutMs: timeoutMs = defaultTimeoutMs,
  } = options
  const { timer }: Timing = { ...realTiming, ...(options as { [timing]?: Partial<Timing> })[timing] }
  const sql = postgresStatements(options.table)
  let writes = 0

  const limit = { engine: 'Postgres', timeoutMs, timing: { timer }, errorDetail }
  const run = <T>(operation: string, start: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    runOperation(start, { ...limit, operation })

  const query = (text: string, values: unknown[], signal: AbortSignal): Promise<QueryRows> =>
    retryConflicts(signal, () => runStatement(pool, text, values, signal))

  const unreported = (text: string) => runUnreported((signal) => query(text, [], signal), limit)

  const withTable = tableCreation((signal) => query(sql.createTable, [], signal), { ...limit, createTable })

  /** Warns if writes are not durable. Nothing waits for this. If it fails, a later operation tries again. */
  const checkDurability = async () => {
    if (checkedPools.has(pool)) return
    checkedPools.add(pool)
    try {
      const [row] = await unreported(sql.synchronousCommit)
      if ((row as { readonly value: unknown }).value === 'off') warn(logger)
    } catch {
      checkedPools.delete(pool)
    }
  }

  const statement = async (text: string, values: unknown[], signal: AbortSignal): Promise<QueryRows> => {
    const rows = await withTable(() => query(text, values, signal))
    void checkDurability()
    return rows
  }

  const rowOf = (operation: Operation, key: string, texts: readonly string[] = [], ttl?: number | null) =>
    run(operation, async (signal) => {
      const entry = await storedEntry(key)
      const values = [entry.key, ...texts.map(entry.encodeValue)]
      const rows = await statement(sql[operation], ttl === undefined ? values : [...values, ttl], signal)
      const row = rows[0] as { readonly value?: unknown; readonly live: boolean } | undefined
      return row && { isLive: row.live, value: () => entry.decodeValue(row.value) }
    })

  const write = async (...[operation, key, texts, ttlMs]: WriteArguments): Promise<boolean> => {
    const row = await rowOf(operation, key, texts, ttl(ttlMs) ?? null)
    writes = (writes + 1) % deleteExpiredEvery
    // Without waiting, because the value is written. If it fails, a later write tries again.
    if (writes === 1) unreported(sql.deleteExpired).catch(() => {})
    return row !== undefined
  }

  /** Yields the keys with a prefix of rows whose key starts with a text. Each page is a statement of its own. */
  async function* scanRows(start: string, prefix: string): AsyncIterable<string> {
    let after: string | undefined
    for (;;) {
      const text = after === undefined ? sql.scanFrom : sql.scanAfter
      const values = [after ?? start, hashedKeyStart]
      const rows = await run('scan', (signal) => statement(text, values, signal))
      for (const row of rows as readonly ScannedRow[]) {
        if (!row.key.startsWith(start)) return
        const key = keyWithPrefix(keyOfRow(row), prefix)
        if (key !== undefined) yield key
        after = row.key
      }
      if (rows.length === 0) return
    }
  }

  return limitingItself<ScannableStore>({
    operationTimeoutMs: timeoutMs,
    async get(key: string) {
      const row = await rowOf('get', key)
      return row === undefined ? null : row.value()
    },
    async set(key: string, value: string, { ttlMs, ifAbsent }: StoreSetOptions = {}) {
      return write(ifAbsent === true ? 'setIfAbsent' : 'set', key, [value], ttlMs)
    },
    async compareAndSet(key: string, expected: string, value: string, { ttlMs }: StoreTtlOptions = {}) {
      return write('compareAndSet', key, [value, expected], ttlMs)
    },
    async take(key: string) {
      const row = await rowOf('take', key)
      return row?.isLive === true ? row.value() : null
    },
    async delete(key: string) {
      return (await rowOf('delete', key))?.isLive === true
    },
    async compareAndDelete(key: string, expected: string) {
      return (await rowOf('compareAndDelete', key, [expected])) !== undefined
    },
    async *scan(prefix: string) {
      for (const start of storedStarts(prefix)) yield* scanRows(start, prefix)
    },
  })
}

type Operation = 'get' | 'set' | 'setIfAbsent' | 'compareAndSet' | 'take' | 'delete' | 'compareAndDelete'

type WriteArguments = [
  operation: 'set' | 'setIfAbsent' | 'compareAndSet',
  key: string,
  texts: string[],
  ttlMs: number | undefined,
]

function warn(logger: Logger | undefined): void {
  const message =
    'Postgres confirms writes before they are durable (synchronous_commit = off). After a crash of the database, an ' +
    'event can run again, and a refresh token can be presented twice. Turn it on for the role of this pool: ' +
    'ALTER ROLE ... SET synchronous_commit = on'
  callHook(() => (logger ? logger.warn(message) : console.warn(`identity-service-sdk: ${message}`)))
}
