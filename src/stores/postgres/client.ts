import { StoreError } from '../../errors/sdk-error.ts'
import { driverCode } from '../operation.ts'

/** The part of a `Pool` of pg 8 that the store uses. */
export interface PostgresPool {
  /** Runs one statement with its parameters. Each row is an object. */
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  /** Only a pool has it. A store takes connections from a pool itself, so that it can stop to wait for one. */
  readonly totalCount?: number
  /** Returns a connection of a pool. */
  connect?(): Promise<unknown>
}

/** What a connection of a pool has. */
interface PooledClient {
  /** The settings of the pool and of its connection string. */
  readonly connectionParameters?: { readonly query_timeout?: unknown; readonly statement_timeout?: unknown }
  query(text: string, values?: unknown[]): Promise<{ readonly rows: QueryRows }>
  release(destroy: boolean): void
  on(event: 'error', listener: (error: unknown) => void): unknown
  off(event: 'error', listener: (error: unknown) => void): unknown
}

export type QueryRows = readonly unknown[]

/** A connection that was taken from a pool. */
export class Connection {
  readonly client: PooledClient
  readonly #onLost: (error: unknown) => void
  #isReleased = false

  constructor(client: PooledClient, onLost: (error: unknown) => void) {
    this.client = client
    this.#onLost = onLost
    // Without a listener, a lost connection would end the process. What runs on it rejects too.
    client.on('error', onLost)
  }

  /**
   * Milliseconds after which the driver or the server ends a statement, as the pool was set up. Infinite by default.
   */
  get statementLimitMs(): number {
    const { query_timeout, statement_timeout } = this.client.connectionParameters ?? {}
    return Math.min(...[query_timeout, statement_timeout].map((limit) => Number(limit) || Number.POSITIVE_INFINITY))
  }

  /**
   * Runs statements. If they fail, the connection is closed, as `pool.query` does, because it may be broken.
   *
   * @param signal when it aborts, the connection is closed, because what runs on it may never end
   */
  async use<T>(signal: AbortSignal, run: (client: PooledClient) => Promise<T>): Promise<T> {
    const destroy = () => this.release(true)
    signal.addEventListener('abort', destroy)
    try {
      return await run(this.client)
    } catch (thrown) {
      destroy()
      throw thrown
    }
  }

  /** Returns the connection to the pool, unless that was done before. */
  release(destroy = false): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.client.release(destroy)
    this.client.off('error', this.#onLost)
  }
}

/**
 * Takes a connection from a pool.
 *
 * @param signal rejects if it aborts while the call waits for a connection
 * @param onLost called if the connection is lost before it is released
 */
export async function takeConnection(
  pool: Required<Pick<PostgresPool, 'connect'>>,
  signal: AbortSignal,
  onLost: (error: unknown) => void = () => {},
): Promise<Connection> {
  const client = (await pool.connect()) as PooledClient
  if (!signal.aborted) return new Connection(client, onLost)
  client.release(false)
  throw signal.reason
}

/**
 * Runs a statement on a connection of the pool.
 *
 * @param signal when it aborts, a statement that waits for a connection is not run any more, and the connection of a
 *   statement that runs is closed, because it may never respond
 */
export async function runStatement(
  pool: PostgresPool,
  text: string,
  values: unknown[],
  signal: AbortSignal,
): Promise<QueryRows> {
  signal.throwIfAborted()
  const { connect } = pool
  if (pool.totalCount === undefined || connect === undefined) {
    const { rows }: { readonly rows?: unknown } = Object(await pool.query(text, values))
    if (Array.isArray(rows)) return rows
    throw new StoreError({
      message: 'postgresStore: pool.query returned no rows: pass a Pool of pg 8',
      mayHaveHappened: true,
    })
  }
  const connection = await takeConnection({ connect: () => connect.call(pool) }, signal)
  const { rows } = await connection.use(signal, (client) => client.query(text, values))
  connection.release()
  return rows
}

/**
 * Serialization failure and deadlock: another transaction interfered, and the statement had no effect. They occur if
 * the default isolation level of the database is stricter than READ COMMITTED.
 */
const conflicts: ReadonlySet<unknown> = new Set(['40001', '40P01'])
const maxAttempts = 10

export const isConflict = (thrown: unknown): boolean => conflicts.has(driverCode(thrown))

/** Runs an attempt again if other transactions interfered. */
export async function retryConflicts<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await attempt()
    } catch (thrown) {
      if (made === maxAttempts || signal.aborted || !isConflict(thrown)) throw thrown
    }
  }
}
