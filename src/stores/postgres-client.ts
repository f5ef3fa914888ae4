/** The part of a `Pool` of pg 8 that the store uses. */
export interface PostgresPool {
  /** Runs one statement with its parameters. Each row is an object. */
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  /** Only a pool has it. A store takes connections from a pool itself, so that it can stop to wait for one. */
  readonly totalCount?: number
  /** Returns a connection of a pool. */
  connect?(): Promise<unknown>
}

/** A connection that was taken from a pool. */
interface PooledConnection extends Pick<PostgresPool, 'query'> {
  release(destroy: boolean): void
  on(event: 'error', listener: () => void): unknown
  off(event: 'error', listener: () => void): unknown
}

export type Rows = readonly unknown[]

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
): Promise<Rows> {
  signal.throwIfAborted()
  if (pool.totalCount === undefined || pool.connect === undefined)
    return (await pool.query(text, values)).rows
  const connection = (await pool.connect()) as PooledConnection
  if (signal.aborted) {
    connection.release(false)
    throw signal.reason
  }
  let isReleased = false
  const release = (destroy: boolean) => {
    if (isReleased) return
    isReleased = true
    connection.release(destroy)
    connection.off('error', ignore)
  }
  const destroy = () => release(true)
  signal.addEventListener('abort', destroy, { once: true })
  // Without a listener, a lost connection would end the process. The statement rejects too.
  connection.on('error', ignore)
  try {
    const { rows } = await connection.query(text, values)
    release(false)
    return rows
  } catch (thrown) {
    // As `pool.query` does, because the connection may be broken.
    release(true)
    throw thrown
  } finally {
    signal.removeEventListener('abort', destroy)
  }
}

const ignore = () => {}
