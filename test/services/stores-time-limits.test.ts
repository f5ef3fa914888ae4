import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { configure } from '../../src/index.ts'
import { timing } from '../../src/runtime/timing.ts'
import { type PostgresStoreOptions, postgresStore } from '../../src/stores-postgres.ts'
import { type RedisStoreOptions, redisStore } from '../../src/stores-redis.ts'
import { type Store, StoreError } from '../../src/webhooks.ts'
import { collect } from '../support/collect.ts'
import { patient } from '../support/patience.ts'
import { describeWith } from '../support/programs.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Service } from '../support/service-process.ts'
import { ioRedisClient, nodeRedisClient, postgresOfTests } from '../support/store-clients.ts'
import { manualClock } from '../support/timing.ts'

const operations: [name: string, run: (store: Store) => Promise<unknown>][] = [
  ['get', (store) => store.get('key')],
  ['set', (store) => store.set('key', '1')],
  ['compareAndSet', (store) => store.compareAndSet('key', '1', '2')],
  ['take', (store) => store.take('key')],
  ['delete', (store) => store.delete('key')],
  ['compareAndDelete', (store) => store.compareAndDelete('key', '1')],
]

/** Lets the time of an operation pass, and returns its error. */
async function timedOut(call: Promise<unknown>, clock: ReturnType<typeof manualClock>): Promise<StoreError> {
  const failure = call.then(
    (result) => expect.fail(`returned ${result}`),
    (thrown: StoreError) => thrown,
  )
  await clock.advance(5_000)
  const error = await failure
  expect(error).toBeInstanceOf(StoreError)
  expect(clock.pending()).toBe(0)
  return error
}

describeWith('redis-server', 'that operations of redisStore end in time', () => {
  const clients = { 'node-redis': nodeRedisClient, ioredis: ioRedisClient }
  const names = ['node-redis', 'ioredis'] as const
  let server: Service

  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server?.remove())

  const timedStore = async (name: (typeof names)[number]) => {
    const client = await clients[name](server.url)
    onTestFinished(() => (client instanceof Redis ? client.disconnect() : client.destroy()))
    const clock = manualClock()
    const options: RedisStoreOptions = { prefix: `${name}:` }
    return { client, clock, store: redisStore(client, { ...options, [timing]: clock.timing } as never) }
  }

  it.each(names.flatMap((name) => operations.map(([operation, run]) => [name, operation, run] as const)))(
    'with %s, %s on a Redis that goes silent is a StoreError after five seconds',
    async (name, operation, run) => {
      const { clock, store } = await timedStore(name)
      await store.get('key')
      server.signal('SIGSTOP')
      onTestFinished(() => server.signal('SIGCONT'))

      const error = await timedOut(run(store), clock)

      expect(error.message).toBe(`Redis did not respond to ${operation} within 5000 ms (operationTimeoutMs)`)
      expect(error.mayHaveHappened).toBe(operation !== 'get')
    },
  )

  it.each(names)(
    'with %s, a write that timed out while Redis was down is not sent when it is back, and the next one is',
    async (name) => {
      const { client, clock, store } = await timedStore(name)
      await store.get('key')
      await server.stop('SIGKILL')
      await vi.waitUntil(() => (client instanceof Redis ? client.status !== 'ready' : !client.isReady), patient)

      const errors = await Promise.all(
        Array.from({ length: 3 }, (_, i) => timedOut(store.set(`late ${i}`, '1'), clock)),
      )

      expect(errors.map(({ mayHaveHappened }) => mayHaveHappened)).toEqual([true, true, true])
      const waiting = store.set('waiting', '1')
      await server.start()
      expect(await waiting).toBe(true)
      expect([await store.get('late 0'), await store.get('late 1'), await store.get('late 2')]).toEqual([
        null,
        null,
        null,
      ])
    },
  )

  it.each(names)('with %s, operations that wait for a Redis that is down succeed when it is back', async (name) => {
    const { client, store } = await timedStore(name)
    await server.stop('SIGKILL')
    await vi.waitUntil(() => (client instanceof Redis ? client.status !== 'ready' : !client.isReady), patient)
    const waiting = Promise.all(Array.from({ length: 20 }, (_, i) => store.set(`waiting ${i}`, '1')))

    await server.start()

    expect(new Set(await waiting)).toEqual(new Set([true]))
  })

  /** Clients with the settings that docs/guides/scaling.md names, in shorter times. */
  const asDocumented = {
    'node-redis': () =>
      createClient({
        url: server.url,
        pingInterval: 100,
        socket: { socketTimeout: 400, reconnectStrategy: (retries) => Math.min(retries * 50, 2_000) },
      })
        .on('error', () => {})
        .connect(),
    ioredis: async () =>
      new Redis(server.url, { socketTimeout: 400, autoResendUnfulfilledCommands: false }).on('error', () => {}),
  }

  it.each(names)(
    'with the documented settings, %s works after it was idle for longer than socketTimeout',
    async (name) => {
      const client = await asDocumented[name]()
      onTestFinished(() => (client instanceof Redis ? client.disconnect() : client.destroy()))
      const store = redisStore(client)
      await store.set('idle', '1')

      await pause(1_200)

      expect(await store.get('idle')).toBe('1')
    },
  )

  it.each(names)(
    'with the documented settings, %s works again after its server was suspended for longer than socketTimeout',
    async (name) => {
      const client = await asDocumented[name]()
      onTestFinished(() => (client instanceof Redis ? client.disconnect() : client.destroy()))
      const store = redisStore(client, { operationTimeoutMs: 600 })
      await redisStore(client).set('suspended', '1')
      server.signal('SIGSTOP')
      onTestFinished(() => server.signal('SIGCONT'))

      await expect(store.get('suspended')).rejects.toBeInstanceOf(StoreError)
      await pause(1_200)
      server.signal('SIGCONT')

      await expect.poll(() => store.get('suspended').catch(() => null), { timeout: 60_000 }).toBe('1')
    },
  )

  it('a store on an ioredis client with lazyConnect connects at its first operation', async () => {
    const client = new Redis(server.port, '127.0.0.1', { lazyConnect: true })
    onTestFinished(() => client.disconnect())
    const store = redisStore(client)
    expect(await Promise.all([store.set('lazy', '1'), store.set('lazy 2', '1')])).toEqual([true, true])
  })

  it('an ioredis client without an offline queue fails at once if it is not connected', async () => {
    const client = new Redis(server.port, '127.0.0.1', { enableOfflineQueue: false })
    onTestFinished(() => client.disconnect())
    await expect(redisStore(client).get('key')).rejects.toBeInstanceOf(StoreError)
  })

  it('scan with ioredis honors the prefix of the client', async () => {
    const client = new Redis(server.port, '127.0.0.1', { keyPrefix: 'own[*]:' })
    onTestFinished(() => client.disconnect())
    const store = redisStore(client)
    await store.set('scanned', '1')
    expect(await collect(store.scan('scan'))).toEqual(['scanned'])
  })

  it('scan skips keys of another program that start like escaped ones', async () => {
    const client = await ioRedisClient(server.url)
    onTestFinished(() => client.disconnect())
    const store = redisStore(client, { prefix: 'shared:' })
    await client.set('shared:\u0001not json', '1')
    await store.set('a\0b', '1')
    expect(await collect(store.scan(''))).toEqual(['a\0b'])
  })
})

describeWith('postgres', 'that operations of postgresStore end in time', () => {
  const postgres = postgresOfTests()

  const poolOfOne = (config: pg.PoolConfig = {}) => {
    const pool = new pg.Pool({ connectionString: postgres.server.url, max: 1, ...config })
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    return pool
  }
  const timedStore = async (pool: pg.Pool, options: PostgresStoreOptions = {}) => {
    const clock = manualClock()
    const store = postgresStore(pool, { ...options, [timing]: clock.timing } as never)
    await store.set('key', '1')
    await store.get('key')
    return { clock, store }
  }

  it.each(operations)(
    '%s that does not get a connection in time is a StoreError, and is not run when one is free',
    async (operation, run) => {
      const pool = poolOfOne()
      const { clock, store } = await timedStore(pool)
      const holder = await pool.connect()
      const statements = vi.spyOn(holder, 'query')

      const error = await timedOut(run(store), clock)
      expect(error.message).toBe(`Postgres did not respond to ${operation} within 5000 ms (operationTimeoutMs)`)
      expect(error.mayHaveHappened).toBe(operation !== 'get')
      holder.release()

      await expect.poll(() => [pool.idleCount, pool.waitingCount]).toEqual([1, 0])
      expect(statements).not.toHaveBeenCalled()
      expect(await store.get('key')).toBe('1')
    },
  )

  it('a connection that goes silent is replaced, so that the next operation does not wait for it', async () => {
    const pool = poolOfOne()
    const { clock, store } = await timedStore(pool)
    const { rows } = await pool.query('SELECT pg_backend_pid() AS pid')
    process.kill(rows[0].pid, 'SIGSTOP')
    onTestFinished(() => void process.kill(rows[0].pid, 'SIGCONT'))

    await timedOut(store.set('key', 'late'), clock)

    expect(await store.set('other', '1')).toBe(true)
    expect(pool.totalCount).toBe(1)
  })

  it('the creation of a table that never responds is tried again by a later operation', async () => {
    const pool = poolOfOne({ max: 2 })
    const clock = manualClock()
    const connect = vi.spyOn(pool, 'connect').mockImplementationOnce(() => new Promise(() => {}))
    const store = postgresStore(pool, { table: 'unanswered', [timing]: clock.timing } as never)
    await timedOut(store.get('key'), clock)
    expect(connect).toHaveBeenCalledTimes(1)
    expect(await store.set('key', '1')).toBe(true)
  })

  it('a connection that is lost during a statement is a StoreError and ends no process', async () => {
    const pool = poolOfOne()
    const { store } = await timedStore(pool, { table: 'locked' })
    const { rows } = await pool.query('SELECT pg_backend_pid() AS pid')
    const holder = await postgres.pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT * FROM locked FOR UPDATE')
    const failure = expect(store.set('key', '2')).rejects.toBeInstanceOf(StoreError)
    await expect
      .poll(async () => (await postgres.pool.query('SELECT FROM pg_locks WHERE NOT granted')).rows.length)
      .toBe(1)
    await postgres.pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
    await failure
    await holder.query('COMMIT')
    holder.release()
    expect(await store.get('key')).toBe('1')
  })

  it('scan holds no connection while the caller works', async () => {
    const store = postgresStore(poolOfOne(), { table: 'scanned' })
    for (let i = 0; i < 5; i++) await store.set(`key ${i}`, '1')
    const deleted: boolean[] = []
    for await (const key of store.scan('key')) deleted.push(await store.delete(key))
    expect(deleted).toEqual([true, true, true, true, true])
  })

  it('warns once for each pool if writes are confirmed before they are durable', async () => {
    const { logger, warnings } = recordingLogger()
    configure({ logger })
    const hasty = poolOfOne({ options: '-c synchronous_commit=off' })
    const stores = ['hasty_1', 'hasty_2'].map((table) => postgresStore(hasty, { table }))
    for (const store of [...stores, ...stores]) await store.set('key', '1')
    await stores[0]?.get('key')
    expect(warnings).toEqual([[expect.stringContaining('synchronous_commit = off')]])

    const durable = postgresStore(poolOfOne())
    await durable.set('key', '1')
    await durable.get('key')
    expect(warnings).toHaveLength(1)
  })

  it('writes the warning to console.error without a logger', async () => {
    const warned = vi.spyOn(console, 'error').mockReturnValue()
    const store = postgresStore(poolOfOne({ options: '-c synchronous_commit=off' }))
    await store.set('key', '1')
    await store.get('key')
    expect(warned.mock.calls).toEqual([
      [expect.stringMatching(/^identity-service-sdk: Postgres confirms writes before they are durable/)],
    ])
  })
})
