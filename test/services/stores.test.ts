import type { Redis } from 'ioredis'
import pg from 'pg'
import { createClient, RESP_TYPES } from 'redis'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { postgresStatements } from '../../src/stores/postgres/statements.ts'
import { postgresStore, postgresStoreSql } from '../../src/stores-postgres.ts'
import { redisStore } from '../../src/stores-redis.ts'
import { testStore } from '../../src/stores-testing.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Service } from '../support/service-process.ts'
import { ioRedisClient, nodeRedisClient, pgPool, postgresOfTests } from '../support/store-clients.ts'
import { testRules } from '../support/store-rules.ts'

/** The newest ones have tests of their own. Those that are in use less run at night. */
const olderClients = ['redis-5', 'ioredis-5', ...(process.env.WHOLE ? ['redis-4', 'iovalkey'] : [])]

describeWith('redis-server', 'that redisStore follows the rules of stores', () => {
  let server: Service
  let nodeRedis: Awaited<ReturnType<typeof nodeRedisClient>>
  let ioRedis: Redis

  beforeAll(async () => {
    server = await startRedis()
    nodeRedis = await nodeRedisClient(server.url)
    ioRedis = await ioRedisClient(server.url)
  })

  afterAll(async () => {
    nodeRedis?.destroy()
    ioRedis?.disconnect()
    await server?.remove()
  })

  testRules('the Redis store on node-redis', () => redisStore(nodeRedis, { prefix: 'n:' }))
  testRules('the Redis store on ioredis', () => redisStore(ioRedis, { prefix: 'i:' }))

  it.each(olderClients)('the Redis store follows every rule of stores on %s', async (name) => {
    const library = await import(name)
    // ioredis has a function createClient too.
    const client = name.startsWith('io')
      ? new library.Redis(server.url)
      : await library.createClient({ url: server.url }).connect()
    onTestFinished(() => void client.disconnect())

    for (const rule of testStore(() => redisStore(client, { prefix: `${name}:` }))) await rule.run()
  })

  it('stores with different prefixes in one Redis do not see each other', async () => {
    const [a, b] = [redisStore(nodeRedis, { prefix: 'a:' }), redisStore(ioRedis, { prefix: 'b:' })]
    await a.set('key', '1')
    expect(await b.get('key')).toBeNull()
    expect(await b.set('key', '2', { ifAbsent: true })).toBe(true)
    expect(await b.delete('key')).toBe(true)
    expect(await a.get('key')).toBe('1')
  })

  it('node-redis and ioredis share one store', async () => {
    const [a, b] = [redisStore(nodeRedis), redisStore(ioRedis)]
    await a.set('\ud83dkey', 'value \udc00')
    expect(await b.take('\ud83dkey')).toBe('value \udc00')
    await a.set('key', 'value')
    expect(await ioRedis.get('svc:{6c}key')).toBe('value')
  })

  it('the Redis store returns the time of each entry as it was written, also after the year 2248', async () => {
    const { lists } = redisStore(nodeRedis, { prefix: 'times:' })
    const times = [2 ** 43 + 1, 2 ** 44 - 1, 8.64e15, Number.MAX_SAFE_INTEGER]
    for (const at of times)
      for (let i = 0; i < 20; i++) await lists.replace(`${at} ${i}`, { value: null }, { value: '1', list: 'late', at })

    const found = []
    for await (const { key, at } of lists.range('late')) found.push([key.split(' ')[0], String(at)])

    expect(found).toHaveLength(80)
    expect(found.filter(([written, read]) => written !== read)).toEqual([])
  })

  it('redisStore works with a client of node-redis that maps the types of replies', async () => {
    const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.NUMBER]: String }
    const client = await createClient({ url: server.url, commandOptions: { typeMapping } }).connect()
    onTestFinished(() => client.destroy())

    for (const rule of testStore(() => redisStore(client, { prefix: 'mapped:' }))) await rule.run()
  })

  it('redisStore works with a client that returns numbers as strings and has its own prefix', async () => {
    const client = ioRedis.duplicate({ stringNumbers: true, keyPrefix: 'own:' })
    const store = redisStore(client)
    expect(await store.set('key', '1', { ttlMs: 5000 })).toBe(true)
    expect(await store.set('key', '1', { ifAbsent: true })).toBe(false)
    expect(await ioRedis.get('own:svc:{6c}key')).toBe('1')
    expect(await store.delete('key')).toBe(true)
    client.disconnect()
  })
})

describeWith('postgres', 'that postgresStore follows the rules of stores', () => {
  const postgres = postgresOfTests()

  testRules('the Postgres store', () => postgresStore(postgres.pool))

  it('stores with different tables in one Postgres do not see each other', async () => {
    await postgres.pool.query('CREATE SCHEMA "Apart"')
    const [a, b] = [postgresStore(postgres.pool, { table: 'a' }), postgresStore(postgres.pool, { table: 'Apart.a' })]
    await a.set('key', '1')
    expect(await b.get('key')).toBeNull()
    expect(await b.set('key', '2', { ifAbsent: true })).toBe(true)
    expect((await postgres.pool.query('SELECT key, value FROM "Apart".a')).rows).toEqual([{ key: 'key', value: '2' }])
  })

  it('the table that a store creates is closed to the roles of a public API, and open to others with privileges', async () => {
    await postgres.pool.query(`CREATE ROLE anon; CREATE ROLE app; GRANT USAGE ON SCHEMA public TO anon, app;
      ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, app`)
    const store = postgresStore(postgres.pool, { table: 'exposed' })
    await store.set('key', 'secret')
    const visitor = await postgres.pool.connect()
    onTestFinished(async () => {
      await visitor.query('RESET ROLE; ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON TABLES FROM anon, app')
      visitor.release()
    })
    await visitor.query('SET ROLE anon')
    await expect(visitor.query('SELECT * FROM exposed')).rejects.toMatchObject({ code: '42501' })
    await visitor.query('SET ROLE app')
    expect((await visitor.query('SELECT value FROM exposed')).rows).toEqual([{ value: 'secret' }])
  })

  it('a caller cannot use the stored form of a long key in Postgres as a key', async () => {
    const store = postgresStore(postgres.pool, { table: 'long_keys' })
    const long = 'k'.repeat(5_000)
    await store.set(long, '1')
    const { rows } = await postgres.pool.query('SELECT key FROM long_keys')
    expect(rows[0].key).toHaveLength('.sha256:'.length + 64)
    expect(await store.get(rows[0].key)).toBeNull()
    expect(await store.get(long)).toBe('1')
  })

  it('postgresStore uses a table of a migration, with a role that may not create tables', async () => {
    await postgres.pool.query(postgresStoreSql('migrated'))
    await postgres.pool.query(postgresStoreSql('migrated'))
    await postgres.pool.query('CREATE ROLE guest LOGIN')
    await postgres.pool.query('GRANT SELECT, INSERT, UPDATE, DELETE ON migrated TO guest')
    const guests = pgPool(postgres.server.url.replace('tester', 'guest'))
    for (const createTable of [true, false]) {
      const store = postgresStore(guests, { table: 'migrated', createTable })
      await store.set('key', '1')
      expect(await store.take('key')).toBe('1')
    }
    await guests.end()
  })

  it('creates no table if createTable is false', async () => {
    const store = postgresStore(postgres.pool, { table: 'absent', createTable: false })
    await expect(store.get('key')).rejects.toMatchObject({
      code: 'store_failed',
      cause: { code: '42P01' },
      message: expect.stringContaining('run the SQL of postgresStoreSql() in a migration'),
    })
    expect((await postgres.pool.query(`SELECT to_regclass('absent') AS found`)).rows).toEqual([{ found: null }])
  })

  it('creates a table at the next use if it was dropped or its creation failed', async () => {
    const store = postgresStore(postgres.pool, { table: 'late.dropped' })
    await expect(store.get('key')).rejects.toMatchObject({ cause: { code: '3F000' } })
    await postgres.pool.query('CREATE SCHEMA late')
    expect(await store.get('key')).toBeNull()
    await postgres.pool.query('DROP TABLE late.dropped')
    await expect(store.get('key')).rejects.toMatchObject({ cause: { code: '42P01' } })
    expect(await store.set('key', '1')).toBe(true)
  })

  it('deletes expired values during later writes, a bounded number at a time', async () => {
    let deletions = 0
    const counting = {
      query: async (text: string, values: unknown[]) => {
        const result = await postgres.pool.query(text, values)
        if (text.includes('SKIP LOCKED')) deletions++
        return result
      },
    }
    const store = postgresStore(counting, { table: 'cleaned' })
    await store.set('kept', '1')
    // The deletion of the first write must end before there is anything to delete.
    await expect.poll(() => deletions).toBe(1)
    await store.set('living', '1', { ttlMs: 60_000 })
    await postgres.pool.query(`INSERT INTO cleaned SELECT 'old ' || n, '1', now() - interval '1 minute'
      FROM generate_series(1, 1500) AS n`)
    const count = async () => Number((await postgres.pool.query('SELECT count(*) FROM cleaned')).rows[0].count)
    for (let i = 0; i < 100; i++) await store.set('kept', String(i))
    await expect.poll(() => deletions).toBe(2)
    expect(await count()).toBe(502)
    for (let i = 0; i < 100; i++) await store.set('kept', String(i))
    await expect.poll(() => deletions).toBe(3)
    expect(await count()).toBe(2)
    expect(await store.get('living')).toBe('1')
  })

  it('uses the index of a large table to delete expired values', async () => {
    await postgresStore(postgres.pool, { table: 'large' }).get('')
    await postgres.pool.query(`INSERT INTO large SELECT 'k' || n, '1', now() + interval '1 day'
      FROM generate_series(1, 5000) AS n`)
    await postgres.pool.query('ANALYZE large')
    const { rows } = await postgres.pool.query(`EXPLAIN SELECT key FROM large
      WHERE expires_at <= now() AND expires_at < 'infinity' ORDER BY expires_at LIMIT 1000`)
    expect(JSON.stringify(rows)).toContain('large_expires_at')
  })

  it('reads a list through its index, however large the table is', async () => {
    const store = postgresStore(postgres.pool, { table: 'listing' })
    await store.get('')
    await postgres.pool.query(`INSERT INTO listing SELECT 'k' || n, '1', 'infinity'
      FROM generate_series(1, 20000) AS n`)
    for (let at = 0; at < 20; at++)
      await store.lists.replace(`pending ${at}`, { value: null }, { value: '1', list: 'open', at })
    await postgres.pool.query('ANALYZE listing')
    const { range, count } = postgresStatements('listing')
    const planOf = async (statement: string, values: unknown[]) => {
      const { rows } = await postgres.pool.query(`EXPLAIN ${statement}`, values)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }

    const page = await planOf(range, ['open', 10, Number.NEGATIVE_INFINITY, '', ''])
    expect(page).toContain('Index Scan using listing_list')
    expect(page).not.toMatch(/Seq Scan|Sort/)
    expect(await planOf(count, ['open'])).toContain('listing_list')
  })

  it.each([
    ['a text with a mark', (text: string) => `parsed ${text}`],
    ['a Date', (text: string) => new Date(text)],
    ['null', () => null],
    ['an object', (text: string) => ({ text })],
  ])('the Postgres store follows every rule if the application parses other types as %s', async (_, parse) => {
    const types = {
      getTypeParser: (type: number) => (type === pg.types.builtins.TEXT ? (text: string) => text : parse),
    }
    const pool = new pg.Pool({ connectionString: postgres.server.url, types, max: 20 } as pg.PoolConfig)
    onTestFinished(() => pool.end())
    let tables = 0

    for (const rule of testStore(() => postgresStore(pool, { table: `parsed_${tables++}` }))) await rule.run()
  })

  it('a write succeeds if the deletion of expired values fails', async () => {
    const failing = {
      query: (text: string, values: unknown[]) =>
        text.includes('SKIP LOCKED') ? Promise.reject(new Error('no')) : postgres.pool.query(text, values),
    }
    const store = postgresStore(failing, { table: 'not_cleaned' })
    expect(await store.set('key', '1')).toBe(true)
    expect(await store.get('key')).toBe('1')
  })

  it('measures lifetimes by the clock of Postgres, not from the start of the transaction', async () => {
    const client = await postgres.pool.connect()
    onTestFinished(() => client.release(true))
    const store = postgresStore(client, { table: 'in_transaction' })
    await store.get('')
    await client.query('BEGIN')
    await client.query('SELECT 1')
    await store.set('key', '1', { ttlMs: 30 })
    await client.query('SELECT pg_sleep(1.6)')
    expect(await store.get('key')).toBeNull()
    // Shorter than the transaction so far, and long enough for the next call on a busy machine.
    expect(await store.set('key', '2', { ifAbsent: true, ttlMs: 1_500 })).toBe(true)
    expect(await store.get('key')).toBe('2')
    await client.query('COMMIT')
  })

  it('treats a value as expired if it expires while a caller waits for its row', async () => {
    const store = postgresStore(postgres.pool, { table: 'awaited' })
    await store.set('key', '1', { ttlMs: 100 })
    const holder = await postgres.pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT * FROM awaited FOR UPDATE')
    const waiting = store.compareAndSet('key', '1', '2')
    await holder.query('SELECT pg_sleep(0.15)')
    await holder.query(`UPDATE awaited SET value = value`)
    await holder.query('COMMIT')
    holder.release()
    expect(await waiting).toBe(false)
  })

  it.each(['serializable', 'repeatable read'])(
    'compareAndSet returns false after a conflicting transaction if the default isolation level is %s',
    async (level) => {
      const strict = pgPool(postgres.server.url)
      strict.on('connect', (client) => {
        client.query(`SET default_transaction_isolation = '${level}'`)
      })
      const store = postgresStore(strict, { table: 'strict' })
      await store.set('key', '1')
      const winner = await postgres.pool.connect()
      await winner.query('BEGIN')
      await winner.query(`UPDATE strict SET value = '2'`)
      const waiting = [store.compareAndSet('key', '1', '3'), store.compareAndDelete('key', '1')]
      await expect
        .poll(async () => (await postgres.pool.query('SELECT FROM pg_locks WHERE NOT granted')).rows.length)
        .toBe(2)
      await winner.query('COMMIT')
      winner.release()
      expect(await Promise.all(waiting)).toEqual([false, false])
      await strict.end()
    },
  )
})
