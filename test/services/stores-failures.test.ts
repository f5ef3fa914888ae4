import { inspect } from 'node:util'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { postgresStore } from '../../src/stores/postgres.ts'
import { redisStore } from '../../src/stores/redis.ts'
import { type Store, StoreError } from '../../src/webhooks.ts'
import { answerLosingProxy } from '../support/answer-losing-proxy.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { startRedis } from '../support/redis-server.ts'
import { describeWith, type Service } from '../support/services.ts'
import { ioRedisClient, nodeRedisClient, postgresOfTests } from '../support/store-clients.ts'

const secret = 'a-secret-nobody-may-read'

/** What a call rejects with, once it is sure that it shows nothing of what the call was about. */
async function failureOf(call: Promise<unknown>): Promise<StoreError & { cause: { code?: string } }> {
  const error = await call.then(
    (answer) => expect.fail(`answered ${answer}`),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(StoreError)
  const { cause } = error as StoreError
  for (const shown of [
    inspect(error, { depth: 9, showHidden: true }),
    JSON.stringify(error),
    String(cause),
  ]) {
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain('127.0.0.1')
    expect(shown).not.toContain('redis.call')
  }
  return error as StoreError & { cause: { code?: string } }
}

/** Each operation whose "no" could be the trace of its own first run. */
const operations: [name: string, run: (store: Store) => Promise<unknown>][] = [
  ['set', (store) => store.set('absent', secret, { ifAbsent: true })],
  ['compareAndSet', (store) => store.compareAndSet('key', secret, '2')],
  ['take', (store) => store.take('key')],
  ['delete', (store) => store.delete('key')],
  ['compareAndDelete', (store) => store.compareAndDelete('key', secret)],
]

/** Calls for as long as a server is crashed and started, and says what they answered. */
async function whileItCrashes<T>(server: Service, call: (i: number) => Promise<T>) {
  const answers: T[] = []
  let failures = 0
  let calling = true
  const callers = Array.from({ length: 4 }, async (_, caller) => {
    for (let i = 0; calling; i++) {
      try {
        answers.push(await call(caller + 4 * i))
      } catch (error) {
        expect(error).toBeInstanceOf(StoreError)
        failures++
        // A pool that cannot connect says so at once.
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
  })
  await expect.poll(() => answers.length).toBeGreaterThan(50)
  await server.stop('SIGKILL')
  await server.start()
  const before = answers.length
  await expect.poll(() => answers.length, { timeout: 10_000 }).toBeGreaterThan(before + 50)
  calling = false
  await Promise.all(callers)
  return { answers, failures }
}

describeWith('redis-server', 'that redisStore tells a failing Redis from an answer', () => {
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
  }, 30_000)

  afterAll(() => server?.remove())

  it.each(names.flatMap((name) => operations.map(([operation, run]) => [name, operation, run] as const)))(
    'with %s, an answer to %s that is lost on its way is a StoreError',
    async (name, _, run) => {
      const proxy = await answerLosingProxy(server.port)
      const [direct, store] = [
        redisStore(await connected(name)),
        redisStore(await connected(name, proxy.port)),
      ]
      await direct.delete('absent')
      await direct.set('key', secret)
      proxy.lose()
      await failureOf(run(store))
      const now = [await direct.get('key'), await direct.get('absent')]
      expect(now).not.toEqual([secret, null])
    },
  )

  it.each(names)('with %s, a value of another type is a StoreError, not an absent value', async (name) => {
    const client = await connected(name)
    const store = redisStore(client)
    await command(client, 'DEL', 'svc:list')
    await command(client, 'RPUSH', 'svc:list', secret)
    for (const call of [
      store.get('list'),
      store.set('list', secret, { ifAbsent: true }),
      store.compareAndSet('list', secret, '1'),
      store.take('list'),
      store.compareAndDelete('list', secret),
    ]) {
      expect((await failureOf(call)).cause.code).toBe('WRONGTYPE')
    }
  })

  it.each(names)('with %s, a replica is a StoreError, whatever is asked of it', async (name) => {
    const replica = await startRedis()
    onTestFinished(() => replica.remove())
    const [client, store] = [
      await connected(name, replica.port),
      redisStore(await connected(name, replica.port)),
    ]
    await store.set('key', secret)
    await command(client, 'REPLICAOF', '127.0.0.1', '1')
    const calls = [...operations.map(([, run]) => run(store)), store.get('key'), store.get('none')]
    for (const call of calls) expect((await failureOf(call)).cause.code).toBe('READONLY')
  })

  it('a Redis without scripts is a StoreError that does not show what the refusal repeats', async () => {
    const client = new Redis({ port: server.port, host: '127.0.0.1', username: 'limited', lazyConnect: true })
    onTestFinished(() => client.disconnect())
    const admin = await connected('ioredis')
    await admin.acl('SETUSER', 'limited', 'on', 'nopass', '~*', '+@all', '-eval')
    const { cause } = await failureOf(redisStore(client).set('key', secret))
    expect(cause.code).toBe('NOPERM')
  })

  it('a Redis that does not answer in time is a StoreError', async () => {
    const proxy = await answerLosingProxy(server.port)
    const client = new Redis(proxy.port, { lazyConnect: true })
    onTestFinished(() => client.disconnect())
    const store = redisStore(client)
    await store.get('key')
    client.options.commandTimeout = 100
    proxy.lose('silence')
    const error = await failureOf(store.set('key', secret))
    expect(error.message).toBe('Redis failed at set: Command timed out')
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
    'with %s, a crash gives right answers or StoreErrors, and then it works again',
    async (name) => {
      const store = redisStore(await connected(name), { prefix: `${name}:` })
      const { answers } = await whileItCrashes(server, (i) =>
        store.set(String(i), secret, { ifAbsent: true }),
      )
      expect(answers.every((written) => written)).toBe(true)
      expect(await store.set('after', '1')).toBe(true)
      expect(await store.take('after')).toBe('1')
    },
  )
})

const command = (
  client: Awaited<ReturnType<typeof nodeRedisClient>> | Redis,
  name: string,
  ...args: string[]
) => (client instanceof Redis ? client.call(name, ...args) : client.sendCommand([name, ...args]))

describeWith('postgres', 'that postgresStore tells a failing Postgres from an answer', () => {
  const postgres = postgresOfTests(startPostgres)

  const pooled = (options: pg.PoolConfig) => {
    const own = new pg.Pool({ host: '127.0.0.1', user: 'tester', database: 'postgres', max: 1, ...options })
    own.on('error', () => {})
    onTestFinished(() => own.end())
    return own
  }

  it.each(operations)('an answer to %s that is lost on its way is a StoreError', async (_, run) => {
    const proxy = await answerLosingProxy(postgres.server.port)
    const [direct, store] = [postgresStore(postgres.pool), postgresStore(pooled({ port: proxy.port }))]
    await direct.delete('absent')
    await direct.set('key', secret)
    await store.set('else', '1')
    proxy.lose()
    await failureOf(run(store))
    const now = [await direct.get('key'), await direct.get('absent')]
    expect(now).not.toEqual([secret, null])
  })

  it('a Postgres that does not answer in time is a StoreError', async () => {
    const proxy = await answerLosingProxy(postgres.server.port)
    const store = postgresStore(pooled({ port: proxy.port, query_timeout: 100 }))
    await store.get('key')
    proxy.lose('silence')
    const error = await failureOf(store.set('key', secret))
    expect(error.message).toBe('Postgres failed at set: Query read timeout')
  })

  it('a Postgres that only reads is a StoreError for what writes', async () => {
    await postgresStore(postgres.pool).get('key')
    const store = postgresStore(
      pooled({ port: postgres.server.port, options: '-c default_transaction_read_only=on' }),
    )
    for (const [, run] of operations) expect((await failureOf(run(store))).cause.code).toBe('25006')
  })

  it('a refused row or statement is a StoreError that does not show it', async () => {
    await postgres.pool.query(`CREATE TABLE odd (key text PRIMARY KEY, value text CHECK (value <> '${secret}'),
      expires_at timestamptz)`)
    const store = postgresStore(postgres.pool, { table: 'odd' })
    expect((await failureOf(store.set('key', secret))).cause.code).toBe('23514')
    await postgres.pool.query('ALTER TABLE odd DROP value, ADD value uuid')
    expect((await failureOf(store.set('key', secret))).cause.code).toBe('22P02')
  })

  it('a Postgres that is not there, or refuses the user, is a StoreError that does not name them', async () => {
    const away = postgresStore(pooled({ port: 1 }))
    expect((await failureOf(away.get('key'))).cause.code).toBe('ECONNREFUSED')
    const refused = postgresStore(pooled({ port: postgres.server.port, user: secret }))
    expect((await failureOf(refused.get('key'))).cause.code).toBe('28000')
  })

  it('an ended pool is a StoreError', async () => {
    const own = new pg.Pool({ connectionString: postgres.server.url })
    const store = postgresStore(own)
    await own.end()
    const error = await failureOf(store.get('key'))
    expect(error.message).toBe('Postgres failed at get: Cannot use a pool after calling end on the pool')
  })

  it('a crash of Postgres loses no update that was told as done', async () => {
    const store = postgresStore(postgres.pool, { table: 'counter' })
    await store.set('count', '0')
    const { answers, failures } = await whileItCrashes(postgres.server, async () => {
      const was = await store.get('count')
      expect(was).not.toBeNull()
      return store.compareAndSet('count', String(was), String(Number(was) + 1))
    })
    const done = answers.filter(Boolean).length
    const count = Number(await store.get('count'))
    expect(count).toBeGreaterThanOrEqual(done)
    expect(count).toBeLessThanOrEqual(done + failures)
  })
})
