import type { ErrorDetail } from '../../errors/error-detail.ts'
import { ConfigurationError, StoreError } from '../../errors/sdk-error.ts'
import type { ObservationOptions } from '../../observe/observation.ts'
import { checkOptions, errorDetailRule, timeSpan, trueOrFalse } from '../../options/rules.ts'
import { realTiming, type Timing, timing } from '../../runtime/timing.ts'
import type { EventInbox, EventOutcome, InboxEntry, TransactionContext } from '../event-inbox.ts'
import { defaultTimeoutMs, driverCode, driverError, type EngineLimit, runOperation, ttl } from '../operation.ts'
import { RunningEvents } from '../running-events.ts'
import type { StoreTimeLimit } from '../store.ts'
import {
  type Connection,
  isConflict,
  type PostgresPool,
  retryConflicts,
  runStatement,
  takeConnection,
} from './client.ts'
import { storedEntry } from './entry.ts'
import { deletedAtOnce, inboxStatements } from './statements.ts'
import { runUnreported, tableCreation } from './table.ts'
import { transactionClient } from './transaction-client.ts'

/** The part of a `Pool` of pg 8 that an inbox uses. `Client` is what its `connect` returns. */
export interface PostgresInboxPool<Client> extends PostgresPool {
  /** The number of connections. A single client does not have it. */
  readonly totalCount: number
  /** Takes a connection. */
  connect(): Promise<Client>
  /** Takes a connection. The inbox does not use this form, but the type of the client is read from it. */
  connect(
    callback: (error: Error | undefined, client: Client | undefined, done: (release?: boolean | Error) => void) => void,
  ): void
}

/** Options of a Postgres inbox. They are read once. Later changes to the object have no effect. */
export interface PostgresInboxOptions extends StoreTimeLimit, Pick<ObservationOptions, 'errorDetail'> {
  /**
   * Name of the table, or `schema.table`, as in the options of `postgresStore`. Next to it is an empty table with the
   * suffix `_uncommitted`. Inboxes with different tables each handle every event once. Name the schema, for the same
   * reason as there.
   *
   * @default 'svc_inbox'
   * @throws {ConfigurationError} if the name is not a valid table name
   */
  readonly table?: string | undefined

  /**
   * Whether the inbox creates its tables at its first use, if they do not exist. With `false`, run
   * {@link postgresInboxSql} in a migration.
   *
   * @default true
   */
  readonly createTable?: boolean | undefined
}

/** How long a duplicate waits for the end of its event. */
const longestWaitMs = 2_000

/** Expired rows are deleted after so many events, and with the first event after so much time. */
const deleteExpiredEvery = 1_000
const deleteExpiredAfterMs = 3_600_000

const lockNotAvailable = '55P03'
const inFailedTransaction = '25P02'

/** Whether a statement failed because of another transaction, and not because of its connection. */
const othersInterfered = (thrown: unknown) => isConflict(thrown) || driverCode(thrown) === lockNotAvailable

interface Beginning {
  readonly retainMs: number
  /** Identifies the transaction. */
  readonly token: string
  /** How long the insertion waits for another transaction that inserts the event. */
  readonly lockMs: number
  onLost(error: unknown): void
}

/** The transactions that record events. */
class InboxTransactions<Client extends object> {
  readonly #pool: PostgresInboxPool<Client>
  readonly #sql: ReturnType<typeof inboxStatements>
  readonly #limit: EngineLimit
  readonly #now: () => number
  readonly #withTable: ReturnType<typeof tableCreation>
  #events = 0
  #deletedAt = 0

  constructor(
    pool: PostgresInboxPool<Client>,
    { createTable = true, table }: PostgresInboxOptions,
    limit: EngineLimit,
    now: () => number,
  ) {
    this.#pool = pool
    this.#sql = inboxStatements(table)
    this.#limit = limit
    this.#now = now
    const create = (signal: AbortSignal) => runStatement(pool, this.#sql.createTable, [], signal)
    this.#withTable = tableCreation(create, { ...limit, createTable })
  }

  /** Handles an event that no other call of this process is handling. */
  async handle(
    key: string,
    retainMs: number,
    lockMs: number,
    work: (context: TransactionContext<Client>) => Promise<void>,
  ): Promise<EventOutcome> {
    const lost = new AbortController()
    const onLost = (error: unknown) => lost.abort(connectionLost(error, this.#limit.errorDetail))
    const token = crypto.randomUUID()
    const transaction = await this.#begin(key, { retainMs, token, lockMs, onLost })
    if (typeof transaction === 'string') return transaction
    // The pool returns its clients as this type.
    const { tx, end } = transactionClient(transaction.client as object as Client)
    try {
      await work({ tx, signal: lost.signal })
    } catch (thrown) {
      end()
      await this.#rollBack(transaction)
      throw thrown
    }
    end()
    if (lost.signal.aborted) {
      transaction.release(true)
      throw lost.signal.reason
    }
    await this.#commit(transaction, key, token)
    return 'processed'
  }

  /** Deletes expired rows from time to time. Nothing waits for this. If it fails, a later event tries again. */
  deleteExpired(): void {
    this.#events = (this.#events + 1) % deleteExpiredEvery
    const isDue = this.#events === 1 || this.#now() - this.#deletedAt >= deleteExpiredAfterMs
    if (!isDue) return
    this.#deletedAt = this.#now()
    const deleteSome = async (): Promise<void> => {
      const statement = (signal: AbortSignal) => runStatement(this.#pool, this.#sql.deleteExpired, [], signal)
      const rows = await runUnreported(statement, this.#limit)
      if (rows.length === deletedAtOnce) return deleteSome()
    }
    deleteSome().catch(() => {})
  }

  /** Returns a connection whose transaction has inserted the event, or the outcome if it cannot be inserted. */
  #begin(
    key: string,
    { retainMs, token, lockMs, onLost }: Beginning,
  ): Promise<Connection | 'duplicate' | 'in_progress'> {
    const insertion = (signal: AbortSignal) =>
      retryConflicts(signal, async () => {
        const connection = await takeConnection(this.#pool, signal, onLost)
        const values = [key, ttl(retainMs) ?? null, token]
        return (await this.#insert(connection, signal, values, lockMs)) ? connection : 'duplicate'
      })
    return runOperation(
      (signal) =>
        this.#withTable(() => insertion(signal)).catch((thrown) => {
          if (driverCode(thrown) === lockNotAvailable) return 'in_progress'
          throw thrown
        }),
      { ...this.#limit, operation: 'the insertion of an event', mayHaveHappened: false },
    )
  }

  /** Begins a transaction and inserts the event. Returns false if the event is there. */
  async #insert(connection: Connection, signal: AbortSignal, values: unknown[], lockMs: number): Promise<boolean> {
    const isInserted = await connection.use(signal, async (client) => {
      // pg returns an array of results for several statements.
      // The statement that waits must not be ended before its wait is, which would look like a failure of the database.
      const ownLockMs = Math.min(lockMs, Math.ceil(connection.statementLimitMs / 2))
      const results: unknown = await client.query(this.#sql.begin(ownLockMs))
      const [, lockTimeout] = results as [unknown, { rows: [{ value: string }] }]
      try {
        const inserted = await client.query(this.#sql.insert, [...values, lockTimeout.rows[0].value])
        return inserted.rows.length > 0
      } catch (thrown) {
        // The connection works. After any other failure it is closed, because it may be broken, or read-only for good.
        if (othersInterfered(thrown)) {
          await client.query('ROLLBACK')
          connection.release()
        }
        throw thrown
      }
    })
    if (!isInserted) await this.#rollBack(connection)
    return isInserted
  }

  #commit(connection: Connection, key: string, token: string): Promise<void> {
    return runOperation(
      (signal) =>
        connection.use(signal, async (client) => {
          const { rows } = await client.query(this.#sql.permitCommit, [key, token]).catch((thrown) => {
            throw driverCode(thrown) === inFailedTransaction ? statementFailed() : thrown
          })
          if (rows.length === 0) throw endedByCallback()
          await client.query('COMMIT')
          connection.release()
        }),
      { ...this.#limit, operation: 'the commit of an event' },
    )
  }

  /** Never rejects: if it fails, the connection is closed, and the database rolls the transaction back. */
  #rollBack(connection: Connection): Promise<void> {
    const statement = (signal: AbortSignal) =>
      connection.use(signal, async (client) => {
        await client.query('ROLLBACK')
        connection.release()
      })
    return runUnreported(statement, this.#limit).catch(() => {})
  }
}

/**
 * Creates an inbox in Postgres: it records each event in the transaction in which its callbacks write, so that the
 * effects of an event in this database happen exactly once, whatever crashes. Pass it as `inbox` to a webhook handler
 * or an event processor. Callbacks get `tx`, a client of the pool inside the transaction.
 *
 * - One event takes one connection of the pool while its callbacks run. What needs another one at that time, such as a
 *   verification manager in `consumers`, needs another pool, because events could wait for each other. A duplicate
 *   waits at most 2 seconds for the end of its event, and at most half of the pool's `query_timeout` or
 *   `statement_timeout`, and is then `in_progress` (503). Duplicates that reach one process
 *   wait without a connection.
 * - If a callback throws, everything is rolled back, including the record of the event.
 * - The inbox alone ends the transaction. A COMMIT in a callback fails. If a callback ended the transaction in another
 *   way, or caught the error of a failed statement and went on, the event fails with `ConfigurationError` (500), and
 *   nothing is committed.
 * - `operationTimeoutMs` bounds what the inbox does before and after the callbacks, not the callbacks themselves: set
 *   `query_timeout` of the pool. A failure of the database is a `StoreError` (503).
 * - A lost connection aborts the `signal` of the callbacks.
 *
 * @param pool a `Pool` of pg 8. Add an `error` listener to it, because without one a lost connection crashes the
 *   process
 * @throws {ConfigurationError} `pool` is not a pool, or an option has a wrong value
 *
 * @example
 * const pool = new pg.Pool({ connectionString }).on('error', report)
 * const handler = createWebhookHandler({
 *   secret,
 *   inbox: postgresInbox(pool),
 *   on: {
 *     'verification.approved': async (event, { tx }) => {
 *       await tx.query('UPDATE accounts SET verified = true WHERE id = $1', [event.vendor_data])
 *     },
 *   },
 * })
 */
export function postgresInbox<Client extends object>(
  pool: PostgresInboxPool<Client>,
  options: PostgresInboxOptions = {},
): EventInbox<Client> {
  if (typeof pool?.connect !== 'function' || pool.totalCount === undefined)
    throw new ConfigurationError({ message: 'postgresInbox: pool must be a Pool of pg 8' })
  checkOptions('postgresInbox', options, {
    table: true,
    createTable: trueOrFalse,
    errorDetail: errorDetailRule,
    operationTimeoutMs: timeSpan,
  })
  const { errorDetail, operationTimeoutMs: timeoutMs = defaultTimeoutMs } = options
  const time: Timing = { ...realTiming, ...(options as { [timing]?: Partial<Timing> })[timing] }
  const limit = { engine: 'Postgres', timeoutMs, timing: time, errorDetail }
  // The time limit of the insertion includes this wait.
  const waitMs = Math.min(longestWaitMs, Math.ceil(timeoutMs / 2))
  const running = new RunningEvents(time)
  const transactions = new InboxTransactions(pool, options, limit, time.now)
  const inbox: EventInbox<Client> = {
    async process({ key: eventKey, retainMs }: InboxEntry, work) {
      const { key } = await storedEntry(eventKey)
      const handle = (leftMs: number) => transactions.handle(key, retainMs, leftMs, work)
      const outcome = await running.run(key, waitMs, handle)
      if (outcome === 'processed') transactions.deleteExpired()
      return outcome
    },
  }
  return inbox
}

const connectionLost = (error: unknown, errorDetail: ErrorDetail | undefined) =>
  new StoreError({
    message:
      'The connection to Postgres was lost while the callback of an event ran, so its transaction was rolled back. ' +
      'The event can be delivered again.',
    cause: driverError(error, {
      engine: 'Postgres',
      operation: 'the callback of an event',
      mayHaveHappened: false,
      errorDetail,
    }),
  })

const endedByCallback = () =>
  new ConfigurationError({
    message:
      'postgresInbox: a callback ended the transaction of its event (COMMIT, ROLLBACK or the transaction function of ' +
      'a library), so the event was not recorded. Use savepoints in callbacks, and let the inbox end the transaction.',
  })

const statementFailed = () =>
  new ConfigurationError({
    message:
      'postgresInbox: a statement of a callback failed and the callback caught its error, so Postgres can only roll the ' +
      'transaction back. Let the callback throw, or run a statement that may fail after a SAVEPOINT.',
  })
