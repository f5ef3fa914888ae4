import { inspect } from 'node:util'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { postgresStore } from '../../src/stores-postgres.ts'
import { redisStore } from '../../src/stores-redis.ts'
import { type Store, StoreError } from '../../src/webhooks.ts'
import { showOnlyOurWords } from '../support/error-detail.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import { responseLosingProxy } from '../support/response-losing-proxy.ts'
import type { Service } from '../support/service-process.ts'
import { ioRedisClient, nodeRedisClient, postgresOfTests } from '../support/store-clients.ts'

showOnlyOurWords()

const secret = 'a-secret-that-no-error-shows'

/** Returns the StoreError of a call, after checking that it shows no key, value, address or script. */
async function failureOf(call: Promise<unknown>): Promise<StoreError & { cause: { code?: string } }> {
  const error = await call.then(
    (result) => expect.fail(`returned ${result}`),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(StoreError)
  const { cause } = error as StoreError
  for (const shown of [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), String(cause)]) {
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain('127.0.0.1')
    expect(shown).not.toContain('redis.call')
  }
  return error as StoreError & { cause: { code?: string } }
}

/** Each operation whose negative result could be caused by its own first run. */
const operations: [name: string, run: (store: Store) => Promise<unknown>][] = [
  ['set', (store) => store.set('absent', secret, { ifAbsent: true })],
  ['compareAndSet', (store) => store.compareAndSet('key', secret, '2')],
  ['take', (store) => store.take('key')],
  ['delete', (store) => store.delete('key')],
  ['compareAndDelete', (store) => store.compareAndDelete('key', secret)],
]

/** Makes calls while a server crashes and starts again, and returns their results. */
async function whileItCrashes<T>(server: Service, call: (i: number) => Promise<T>) {
  const results: T[] = []
  let failures = 0
  let calling = true
  const callers = Array.from({ length: 4 }, async (_, caller) => {
    for (let i = 0; calling; i++) {
      try {
        results.push(await call(caller + 4 * i))
      } catch (error) {
        expect(error).toBeInstanceOf(StoreError)
        failures++
        // A pool that cannot connect fails at once.
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
  })
  await expect.poll(() => results.length).toBeGreaterThan(50)
  await server.stop('SIGKILL')
  await server.start()
  const before = results.length
  await expect.poll(() => results.length, { timeout: 10_000 }).toBeGreaterThan(before + 50)
  calling = false
  await Promise.all(callers)
  return { results, failures }
}

describeWith('redis-server', 'that redisStore distinguishes a failing Redis from a result', () => {
  let server: Service
  const clients = { 'node-redis': nodeRedisClient, ioredis: ioRedisClient }
  const names = ['node-redis', 'ioredis'] as const

  const connected = async (name: (typeof names)[number], port = server.port) => {
    const client = await clients[name](`redis://127.0.0.1:${port}`)
    onTestFinished(() => {
      if (client instanceof Redis) client.disconnect()
      else client.destroy()
    })
    return client
  }

  beforeAll(async () => {
    server = await startRedis()
  })

  afterAll(() => server?.remove())

  it.each(names.flatMap((name) => operations.map(([operation, run]) => [name, operation, run] as const)))(
    'with %s, a lost reply to %s is a StoreError',
    async (name, _, run) => {
      const proxy = await responseLosingProxy(server.port)
      const [direct, store] = [redisStore(await connected(name)), redisStore(await connected(name, proxy.port))]
      await direct.delete('absent')
      await direct.set('key', secret)
      proxy.loseResponse()
      await failureOf(run(store))
      const now = [await direct.get('key'), await direct.get('absent')]
      expect(now).not.toEqual([secret, null])
    },
  )

  it.each(names)('with %s, a value of another type is a StoreError, not an absent value', async (name) => {
    const client = await connected(name)
    const store = redisStore(client)
    await command(client, 'DEL', 'svc:{81}list')
    await command(client, 'RPUSH', 'svc:{81}list', secret)
    for (const call of [
      store.get('list'),
      store.set('list', secret, { ifAbsent: true }),
      store.compareAndSet('list', secret, '1'),
      store.take('list'),
      store.compareAndDelete('list', secret),
    ]) {
      expect((await failureOf(call)).message).toContain('(WRONGTYPE)')
    }
  })

  it.each(names)('with %s, every operation on a replica is a StoreError', async (name) => {
    const replica = await startRedis()
    onTestFinished(() => replica.remove())
    const [client, store] = [await connected(name, replica.port), redisStore(await connected(name, replica.port))]
    await store.set('key', secret)
    await command(client, 'REPLICAOF', '127.0.0.1', '1')
    const calls = [...operations.map(([, run]) => run(store)), store.get('key'), store.get('none')]
    for (const call of calls) expect((await failureOf(call)).message).toContain('(READONLY)')
  })

  it('a Redis that forbids scripts is a StoreError that does not show the quoted command', async () => {
    const client = new Redis({ port: server.port, host: '127.0.0.1', username: 'limited', lazyConnect: true })
    onTestFinished(() => client.disconnect())
    const admin = await connected('ioredis')
    await command(admin, 'ACL', 'SETUSER', 'limited', 'on', 'nopass', '~*', '+@all', '-eval')
    const { message } = await failureOf(redisStore(client).set('key', secret))
    expect(message).toContain('(NOPERM)')
  })

  it('a Redis that does not reply in time is a StoreError', async () => {
    const proxy = await responseLosingProxy(server.port)
    const client = new Redis(proxy.port, { lazyConnect: true })
    onTestFinished(() => client.disconnect())
    const store = redisStore(client)
    await store.get('key')
    client.options.commandTimeout = 100
    proxy.loseResponse('silence')
    const error = await failureOf(store.set('key', secret))
    expect(error).toMatchObject({ original: { message: 'Command timed out' } })
  })

  it.each(names)('with %s, a closed client is a StoreError', async (name) => {
    const client = await connected(name)
    const store = redisStore(client)
    if (client instanceof Redis) client.disconnect()
    else client.destroy()
    for (const [, run] of operations) await failureOf(run(store))
    await failureOf(store.get('key'))
    await client.connect()
  })

  it.each(names)(
    'with %s, calls during a crash give correct results or StoreErrors, and the store works again afterwards',
    async (name) => {
      const store = redisStore(await connected(name), { prefix: `${name}:` })
      const { results } = await whileItCrashes(server, (i) => store.set(String(i), secret, { ifAbsent: true }))
      expect(results.every((written) => written)).toBe(true)
      expect(await store.set('after', '1')).toBe(true)
      expect(await store.take('after')).toBe('1')
    },
  )
})

const command = (client: Awaited<ReturnType<typeof nodeRedisClient>> | Redis, name: string, ...args: string[]) =>
  client instanceof Redis ? client.call(name, ...args) : client.sendCommand([name, ...args])

describeWith('postgres', 'that postgresStore distinguishes a failing Postgres from a result', () => {
  const postgres = postgresOfTests(startPostgres)

  const pooled = (options: pg.PoolConfig) => {
    const own = new pg.Pool({ host: '127.0.0.1', user: 'tester', database: 'postgres', max: 1, ...options })
    own.on('error', () => {})
    onTestFinished(() => own.end())
    return own
  }

  it.each(operations)('a lost reply to %s is a StoreError', async (_, run) => {
    const proxy = await responseLosingProxy(postgres.server.port)
    const [direct, store] = [postgresStore(postgres.pool), postgresStore(pooled({ port: proxy.port }))]
    await direct.delete('absent')
    await direct.set('key', secret)
    await store.set('else', '1')
    // The only connection first completes what the store does at its first write.
    await store.get('else')
    proxy.loseResponse()
    await failureOf(run(store))
    const now = [await direct.get('key'), await direct.get('absent')]
    expect(now).not.toEqual([secret, null])
  })

  it('a Postgres that does not reply in time is a StoreError', async () => {
    const proxy = await responseLosingProxy(postgres.server.port)
    const store = postgresStore(pooled({ port: proxy.port, query_timeout: 2_000 }))
    await store.get('key')
    await store.get('key')
    proxy.loseResponse('silence')
    const error = await failureOf(store.set('key', secret))
    expect(error).toMatchObject({ original: { message: 'Query read timeout' } })
  })

  it('a write to a read-only Postgres is a StoreError', async () => {
    await postgresStore(postgres.pool).get('key')
    const store = postgresStore(pooled({ port: postgres.server.port, options: '-c default_transaction_read_only=on' }))
    for (const [, run] of operations) expect((await failureOf(run(store))).cause.code).toBe('25006')
  })

  it('a rejected row or statement is a StoreError that does not show it', async () => {
    await postgres.pool.query(`CREATE TABLE odd (key text PRIMARY KEY, value text CHECK (value <> '${secret}'),
      expires_at timestamptz)`)
    const store = postgresStore(postgres.pool, { table: 'odd' })
    expect((await failureOf(store.set('key', secret))).cause.code).toBe('23514')
    await postgres.pool.query('ALTER TABLE odd DROP value, ADD value uuid')
    expect((await failureOf(store.set('key', secret))).cause.code).toBe('22P02')
  })

  it('a Postgres that is down, or rejects the user, is a StoreError that shows neither address nor user', async () => {
    const down = postgresStore(pooled({ port: 1 }))
    expect((await failureOf(down.get('key'))).cause.code).toBe('ECONNREFUSED')
    const rejecting = postgresStore(pooled({ port: postgres.server.port, user: secret }))
    expect((await failureOf(rejecting.get('key'))).cause.code).toBe('28000')
  })

  it('a call on an ended pool is a StoreError', async () => {
    const own = new pg.Pool({ connectionString: postgres.server.url })
    const store = postgresStore(own)
    await own.end()
    const error = await failureOf(store.get('key'))
    expect(error).toMatchObject({ original: { message: 'Cannot use a pool after calling end on the pool' } })
  })

  it('a crash of Postgres loses no update that was reported as done', async () => {
    const store = postgresStore(postgres.pool, { table: 'counter' })
    await store.set('count', '0')
    const { results, failures } = await whileItCrashes(postgres.server, async () => {
      const was = await store.get('count')
      expect(was).not.toBeNull()
      return store.compareAndSet('count', String(was), String(Number(was) + 1))
    })
    const done = results.filter(Boolean).length
    const count = Number(await store.get('count'))
    expect(count).toBeGreaterThanOrEqual(done)
    expect(count).toBeLessThanOrEqual(done + failures)
  })
})
