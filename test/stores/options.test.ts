import { EventEmitter } from 'node:events'
import { Cluster, Redis } from 'ioredis'
import pg from 'pg'
import { createClient, createClientPool, createCluster, createSentinel } from 'redis'
import { expect, it, vi } from 'vitest'
import { postgresStore, postgresStoreSql } from '../../src/stores-postgres.ts'
import { redisStore } from '../../src/stores-redis.ts'
import { ConfigurationError, memoryStore, type ScannableStore, StoreError } from '../../src/webhooks.ts'
import { showOnlyOurWords } from '../support/error-detail.ts'
import { printed } from '../support/printed.ts'
import { thrownBy } from '../support/thrown-by.ts'

showOnlyOurWords()

const replying = (reply: unknown) => ({ isOpen: true, eval: async () => reply })
const failing = (thrown: unknown) => {
  const fail = () => Promise.reject(thrown)
  return [redisStore({ isOpen: true, eval: fail }), postgresStore({ query: fail })]
}

it('redisStore accepts every kind of client of node-redis and ioredis', () => {
  const address = { url: 'redis://127.0.0.1:1' }
  redisStore(createClient(address))
  redisStore(createClientPool(address))
  redisStore(createCluster({ rootNodes: [address] }))
  redisStore(new Redis({ lazyConnect: true }))
  redisStore(new Cluster([{ port: 1 }], { lazyConnect: true }))
})

const sentinel = createSentinel({ name: 'main', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] })
const lease = { isOpen: true, eval: async () => 1, release() {}, watch() {} }

it.each([
  ['sentinel client', sentinel],
  ['lease of a sentinel client', lease],
])('redisStore rejects a %s of node-redis, because it sends scripts again', (_, client) => {
  const create = () => redisStore(client as never)
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(
    /^redisStore: client must not be a sentinel client of node-redis.*Use a sentinel client of ioredis: new Redis\(\{ sentinels, name \}\)$/,
  )
})

it('redisStore rejects a client of node-redis that a silence would close for good', () => {
  const create = (socket: object) => () => redisStore(createClient({ socket }))

  expect(create({ socketTimeout: 10_000 })).toThrow(ConfigurationError)
  expect(create({ socketTimeout: 10_000 })).toThrow(/socketTimeout.*unless socket\.reconnectStrategy is set/)
  expect(create({ socketTimeout: 10_000, reconnectStrategy: 100 })).not.toThrow()
})

it('postgresStore accepts a pool or a client of pg', () => {
  postgresStore(new pg.Pool())
  postgresStore(new pg.Client())
})

it.each([undefined, null, 'redis://127.0.0.1', {}, () => {}, { eval() {} }, { get() {}, set() {} }])(
  'redisStore rejects %o as a client',
  (client) => {
    expect(() => redisStore(client as never)).toThrow(ConfigurationError)
    expect(() => redisStore(client as never)).toThrow(
      /^redisStore: client must be a client of node-redis \(redis 4 or later\) or ioredis \(5 or later\)$/,
    )
  },
)

const [method, flag] = [() => {}, true]

it.each([
  { eval: method },
  { isOpen: flag },
  { eval: method, call: method },
  { eval: method, on: method },
  { call: method, on: method },
])('redisStore rejects a client that has only %o', (client) => {
  expect(() => redisStore(client as never)).toThrow(ConfigurationError)
})

it.each([5, {}, '\ud800'])('redisStore rejects %o as a prefix', (prefix) => {
  expect(() => redisStore(replying(1), { prefix: prefix as never })).toThrow(ConfigurationError)
  expect(() => redisStore(replying(1), { prefix: prefix as never })).toThrow(/^redisStore: prefix must be a string/)
})

it.each([undefined, null, 'postgres://127.0.0.1', {}])('postgresStore rejects %o as a pool', (pool) => {
  expect(() => postgresStore(pool as never)).toThrow(ConfigurationError)
  expect(() => postgresStore(pool as never)).toThrow(/^postgresStore: pool must be a Pool of pg 8$/)
})

it.each(['', 'a b', 'a"b', 'a;b', "a'b", 'a$$b', '1a', 'é', 'a.b.c', '.a', 'a.', 'a'.repeat(51), 5, null])(
  'postgresStore rejects %o as a table',
  (table) => {
    const pool = { query: async () => ({ rows: [] }) }
    expect(() => postgresStore(pool, { table: table as never })).toThrow(ConfigurationError)
    expect(() => postgresStoreSql(table as never)).toThrow(ConfigurationError)
    expect(() => postgresStoreSql(table as never)).toThrow(/^postgresStoreSql: table must be a name/)
  },
)

it.each([
  [undefined, '"svc_store"', '"svc_store_expires_at"'],
  ['_A9', '"_A9"', '"_A9_expires_at"'],
  ['a'.repeat(50), `"${'a'.repeat(50)}"`, `"${'a'.repeat(50)}_expires_at"`],
  ['auth.State', '"auth"."State"', '"State_expires_at"'],
])('postgresStoreSql quotes the table %s as %s', (table, quoted, index) => {
  const sql = postgresStoreSql(table)
  expect(sql).toContain(`CREATE TABLE IF NOT EXISTS ${quoted} (`)
  expect(sql).toContain(`CREATE INDEX IF NOT EXISTS ${index} ON ${quoted} (`)
})

it('postgresStore rejects a createTable that is not a boolean', () => {
  const pool = { query: async () => ({ rows: [] }) }
  expect(() => postgresStore(pool, { createTable: 'no' as never })).toThrow(ConfigurationError)
  expect(() => postgresStore(pool, { createTable: 'no' as never })).toThrow(
    /^postgresStore: createTable must be true or false$/,
  )
})

const failure = (code: string) => Object.assign(new Error('failed'), { code })

/** A pool that records its statements, and returns one row for each unless `failureOf` returns an error. */
function recordingPool(failureOf: (text: string) => unknown = () => undefined) {
  const statements: { text: string; values: unknown[] }[] = []
  const query = async (text: string, values: unknown[]) => {
    statements.push({ text, values })
    const thrown = failureOf(text)
    if (thrown !== undefined) throw thrown
    return { rows: [{ live: 'true', value: '1' }] }
  }
  const count = (part: string) => statements.filter(({ text }) => text.includes(part)).length
  return { query, statements, count }
}

it('a Postgres store creates its table once, before its first statement, or never', async () => {
  const pool = recordingPool()
  const store = postgresStore(pool)
  await Promise.all([store.get('a'), store.set('a', '1'), store.take('a')])
  expect(pool.count('CREATE TABLE')).toBe(1)
  expect(pool.statements[0]?.text).toContain('CREATE TABLE')
  const bare = recordingPool()
  await postgresStore(bare, { createTable: false }).get('a')
  expect(bare.count('CREATE TABLE')).toBe(0)
})

it.each(['40001', '40P01'])('a Postgres store tries a statement at most ten times after the error %s', async (code) => {
  let left = 9
  const lucky = recordingPool((text) => (text.startsWith('SELECT') && left-- > 0 ? failure(code) : undefined))
  expect(await postgresStore(lucky).get('a')).toBe('1')
  const luckless = recordingPool((text) => (text.startsWith('SELECT') ? failure(code) : undefined))
  await expect(postgresStore(luckless).get('a')).rejects.toMatchObject({ cause: { code } })
  expect(luckless.count('SELECT value')).toBe(10)
})

it('a Postgres store does not retry a statement after another error', async () => {
  const pool = recordingPool((text) => (text.startsWith('SELECT') ? failure('23505') : undefined))
  await expect(postgresStore(pool).get('a')).rejects.toMatchObject({ cause: { code: '23505' } })
  expect(pool.count('SELECT value')).toBe(1)
})

it.each([
  ['k'.repeat(1_024), true],
  ['k'.repeat(1_025), false],
  ['é'.repeat(512), true],
  [`é${'k'.repeat(1_023)}`, false],
])(
  'a Postgres store stores a key of at most 1,024 bytes unchanged, and a longer one as its hash: case %#',
  async (key, isPlain) => {
    const pool = recordingPool()
    await postgresStore(pool, { createTable: false }).delete(key)
    const stored = String(pool.statements[0]?.values[0])
    if (isPlain) expect(stored).toBe(key)
    else
      expect([stored.slice(0, 1), stored.slice(1)]).toEqual(['\u0001', expect.stringMatching(/^sha256:[0-9a-f]{64}$/)])
  },
)

it('rejects a key, value or lifetime of another type before it reaches the engine', async () => {
  let calls = 0
  const count = async () => {
    calls++
    return { rows: [] }
  }
  for (const store of [redisStore({ isOpen: true, eval: count }), postgresStore({ query: count })]) {
    for (const wrong of [undefined, null, 5, {}] as never[]) {
      await expect(store.get(wrong)).rejects.toThrow(new StoreError({ message: 'the key must be a string' }))
      await expect(store.take(wrong)).rejects.toBeInstanceOf(StoreError)
      const valueError = new StoreError({ message: 'the value must be a string' })
      await expect(store.set('key', wrong)).rejects.toThrow(valueError)
      await expect(store.compareAndSet('key', wrong, 'value')).rejects.toBeInstanceOf(StoreError)
      await expect(store.compareAndDelete('key', wrong)).rejects.toBeInstanceOf(StoreError)
    }
    for (const ttlMs of [Number.NaN, null, '5'] as never[]) {
      await expect(store.set('key', 'value', { ttlMs })).rejects.toThrow(
        new StoreError({ message: 'ttlMs must be a number' }),
      )
      await expect(store.compareAndSet('key', 'a', 'b', { ttlMs })).rejects.toBeInstanceOf(StoreError)
    }
  }
  expect(calls).toBe(0)
})

it.each<[name: string, store: ScannableStore]>([
  ['memoryStore', memoryStore()],
  ['redisStore', redisStore(replying(['0', []]))],
  ['postgresStore', postgresStore({ query: async () => ({ rows: [] }) })],
])('%s rejects a scan whose prefix is not a string', async (_, store) => {
  for (const prefix of [undefined, null, 5, ['a']] as never[]) {
    const scanning = store.scan(prefix)[Symbol.asyncIterator]().next()

    await expect(scanning).rejects.toThrow(new StoreError({ message: 'the prefix must be a string' }))
  }
})

it.each(['close', '-node'])(
  'a negative reply of ioredis is a StoreError if it emitted %s during the call',
  async (event) => {
    const client = Object.assign(new EventEmitter(), {
      status: 'ready',
      call: () => {},
      eval: async (script: string) => {
        client.emit(event)
        return script.includes('GETDEL') ? null : 0
      },
    })
    const store = redisStore(client)
    for (const call of [
      store.set('key', '1', { ifAbsent: true }),
      store.compareAndSet('key', '1', '2'),
      store.take('key'),
      store.delete('key'),
      store.compareAndDelete('key', '1'),
    ]) {
      await expect(call).rejects.toMatchObject({
        message: expect.stringContaining('may or may not have taken effect'),
        mayHaveHappened: true,
      })
    }
  },
)

it('a positive reply of ioredis is valid also if the connection was lost during the call', async () => {
  const client = Object.assign(new EventEmitter(), {
    status: 'ready',
    call: () => {},
    eval: async (script: string) => {
      client.emit('close')
      return script.includes('GETDEL') ? 'value' : 1
    },
  })
  const store = redisStore(client)
  expect(await store.set('key', '1', { ifAbsent: true })).toBe(true)
  expect(await store.take('key')).toBe('value')
  expect(await store.delete('key')).toBe(true)
})

it('stores on one ioredis client add one set of listeners to it', () => {
  const client = new Redis({ lazyConnect: true })
  for (let i = 0; i < 20; i++) redisStore(client, { prefix: `${i}:` })
  expect(client.listenerCount('close')).toBe(1)
})

it.each([undefined, 7, Buffer.from('value'), ['value'], '\u0001', '\u00015', '\u0001{"a":1}'])(
  'a reply that no script of the store returns, such as %o, is a StoreError',
  async (reply) => {
    const store = redisStore(replying(reply))
    await expect(store.get('key')).rejects.toBeInstanceOf(StoreError)
    await expect(store.take('key')).rejects.toBeInstanceOf(StoreError)
    await expect(store.set('key', 'value')).rejects.toBeInstanceOf(StoreError)
    await expect(store.delete('key')).rejects.toBeInstanceOf(StoreError)
    await expect(store.get('key')).rejects.toThrow(/not written by this store|must return values as strings/)
    await expect(store.delete('key')).rejects.toThrow(/a reply that no script of this store returns/)
  },
)

it('a safe StoreError shows the class and the code of what the driver threw, and no word of it', async () => {
  class SocketClosedUnexpectedlyError extends Error {}
  const thrown = Object.assign(new SocketClosedUnexpectedlyError('hunter'), {
    code: 'ECONNRESET',
    detail: 'Key (key)=(hunter)',
    command: { name: 'eval', args: ['hunter'] },
    cause: new Error('hunter'),
  })
  for (const store of failing(thrown)) {
    const error = await thrownBy(store.set('key', 'value'))
    expect(printed(error)).not.toContain('hunter')
    expect(error).toMatchObject({
      original: thrown,
      message: expect.stringMatching(/^(?:Redis|Postgres) failed at set \(ECONNRESET\): for the message of the driver/),
      cause: { name: 'SocketClosedUnexpectedlyError', code: 'ECONNRESET' },
    })
  }
})

it('a full StoreError shows the message of the driver, and has its error as the cause', async () => {
  vi.stubEnv('SVC_ERROR_DETAIL', 'full')
  const thrown = new Error('Socket closed')
  for (const store of failing(thrown)) {
    const error = await thrownBy(store.set('key', 'value'))
    expect(error).toMatchObject({
      message: expect.stringMatching(/ failed at set: Socket closed$/),
      cause: thrown,
    })
  }
})

it('a StoreError of Redis has the code that its protocol starts an error with', async () => {
  const [redis] = failing(new Error('WRONGTYPE Operation against hunter'))
  const error = await thrownBy(Promise.resolve(redis?.set('key', 'value')))
  expect(error).toMatchObject({ message: expect.stringMatching(/^Redis failed at set \(WRONGTYPE\): /) })
  expect(printed(error)).not.toContain('hunter')
})

it.each([
  ['a database of pg-promise', { query: async () => [], $pool: {} }, 'is a database of pg-promise: pass its $pool'],
  ['a DataSource of TypeORM', { query: async () => [], createQueryRunner: () => ({}) }, 'is a DataSource of TypeORM'],
])('postgresStore rejects %s, whose query returns no rows, with what to pass', (_, pool, message) => {
  expect(() => postgresStore(pool as never)).toThrow(`postgresStore: pool ${message}`)
})

it('an operation on a pool whose query returns no rows says what to pass', async () => {
  const store = postgresStore({ query: async () => [] as never }, { createTable: false })

  await expect(store.get('key')).rejects.toThrow('postgresStore: pool.query returned no rows: pass a Pool of pg 8')
})

it('a node-redis client that is not connected is a StoreError that says to connect it', async () => {
  await expect(redisStore(createClient()).get('key')).rejects.toThrow(
    'await client.connect() before the first operation',
  )
})
