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
  query(text: string, values: unknown[]): Promise<{ readonly rows: QueryRows }>
  release(destroy: boolean): void
  on(event: 'error', listener: () => void): unknown
  off(event: 'error', listener: () => void): unknown
}

export type QueryRows = readonly unknown[]

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
  if (pool.totalCount === undefined || pool.connect === undefined) {
    const { rows }: { readonly rows?: unknown } = Object(await pool.query(text, values))
    if (Array.isArray(rows)) return rows
    throw new StoreError({
      message: 'postgresStore: pool.query returned no rows: pass a Pool of pg 8',
      mayHaveHappened: true,
    })
  }
  const client = (await pool.connect()) as PooledClient
  if (signal.aborted) {
    client.release(false)
    throw signal.reason
  }
  // Without a listener, a lost connection would end the process. The statement rejects too.
  const onLost = () => {}
  client.on('error', onLost)
  let isReleased = false
  const release = (destroy: boolean) => {
    if (isReleased) return
    isReleased = true
    client.release(destroy)
    client.off('error', onLost)
  }
  signal.addEventListener('abort', () => release(true))
  try {
    const { rows } = await client.query(text, values)
    release(false)
    return rows
  } catch (thrown) {
    // Closed, as `pool.query` does, because the connection may be broken.
    release(true)
    throw thrown
  }
}

/**
 * Serialization failure and deadlock: another transaction interfered, and the statement had no effect. They occur if
 * the default isolation level of the database is stricter than READ COMMITTED.
 */
const conflicts: ReadonlySet<unknown> = new Set(['40001', '40P01'])
const maxAttempts = 10

/** Runs an attempt again if other transactions interfered. */
export async function retryConflicts<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await attempt()
    } catch (thrown) {
      if (made === maxAttempts || signal.aborted || !conflicts.has(driverCode(thrown))) throw thrown
    }
  }
}
