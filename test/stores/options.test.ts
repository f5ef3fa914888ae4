import { EventEmitter } from 'node:events'
import { Cluster, Redis } from 'ioredis'
import pg from 'pg'
import { createClient, createClientPool, createCluster, createSentinel } from 'redis'
import { expect, it } from 'vitest'
import { postgresStore, postgresStoreSql } from '../../src/stores/postgres.ts'
import { redisStore } from '../../src/stores/redis.ts'
import { ConfigurationError, type Store, StoreError } from '../../src/webhooks.ts'

const answering = (reply: unknown) => ({ isOpen: true, eval: async () => reply })
const failing = (thrown: unknown) => {
  const fail = () => Promise.reject(thrown)
  return [redisStore({ isOpen: true, eval: fail }), postgresStore({ query: fail })]
}
const causeOf = async (store: Store, ...[key, value]: [key?: string, value?: string]) => {
  const error = await store.set(key ?? 'key', value ?? 'value').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StoreError)
  return (error as StoreError).cause as Error & { code?: string }
}

it('redisStore takes every kind of client of node-redis and ioredis', () => {
  const address = { url: 'redis://127.0.0.1:1' }
  redisStore(createClient(address))
  redisStore(createClientPool(address))
  redisStore(createCluster({ rootNodes: [address] }))
  redisStore(createSentinel({ name: 'main', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] }))
  redisStore(new Redis({ lazyConnect: true }))
  redisStore(new Cluster([{ port: 1 }], { lazyConnect: true }))
})

it('postgresStore takes a pool or a client of pg', () => {
  postgresStore(new pg.Pool())
  postgresStore(new pg.Client())
})

it.each([undefined, null, 'redis://127.0.0.1', {}, () => {}, { eval() {} }, { get() {}, set() {} }])(
  'redisStore refuses %o as a client',
  (client) => {
    expect(() => redisStore(client as never)).toThrow(ConfigurationError)
    expect(() => redisStore(client as never)).toThrow(/^the client must be one of node-redis 5 or ioredis 5$/)
  },
)

const [method, flag] = [() => {}, true]

it.each([
  { eval: method },
  { isOpen: flag },
  { eval: method, call: method },
  { eval: method, on: method },
  { call: method, on: method },
])('redisStore refuses a client that has no more than %o', (client) => {
  expect(() => redisStore(client as never)).toThrow(ConfigurationError)
})

it.each([5, {}, '\ud800'])('redisStore refuses %o as a prefix', (prefix) => {
  expect(() => redisStore(answering(1), { prefix: prefix as never })).toThrow(ConfigurationError)
  expect(() => redisStore(answering(1), { prefix: prefix as never })).toThrow(/^prefix must be a string/)
})

it.each([undefined, null, 'postgres://127.0.0.1', {}])('postgresStore refuses %o as a pool', (pool) => {
  expect(() => postgresStore(pool as never)).toThrow(ConfigurationError)
  expect(() => postgresStore(pool as never)).toThrow(/^the pool must be a Pool of pg 8$/)
})

it.each(['', 'a b', 'a"b', 'a;b', "a'b", 'a$$b', '1a', 'é', 'a.b.c', '.a', 'a.', 'a'.repeat(51), 5, null])(
  'postgresStore refuses %o as a table',
  (table) => {
    const pool = { query: async () => ({ rows: [] }) }
    expect(() => postgresStore(pool, { table: table as never })).toThrow(ConfigurationError)
    expect(() => postgresStoreSql(table as never)).toThrow(ConfigurationError)
    expect(() => postgresStoreSql(table as never)).toThrow(/^table must be a name/)
  },
)

it.each([
  [undefined, '"svc_store"', '"svc_store_expires_at"'],
  ['_A9', '"_A9"', '"_A9_expires_at"'],
  ['a'.repeat(50), `"${'a'.repeat(50)}"`, `"${'a'.repeat(50)}_expires_at"`],
  ['auth.State', '"auth"."State"', '"State_expires_at"'],
])('the table %s is spelled %s in the statements of a migration', (table, quoted, index) => {
  const sql = postgresStoreSql(table)
  expect(sql).toContain(`CREATE TABLE IF NOT EXISTS ${quoted} (`)
  expect(sql).toContain(`CREATE INDEX IF NOT EXISTS ${index} ON ${quoted} (`)
})

it('postgresStore refuses a createTable that is neither true nor false', () => {
  const pool = { query: async () => ({ rows: [] }) }
  expect(() => postgresStore(pool, { createTable: 'no' as never })).toThrow(ConfigurationError)
  expect(() => postgresStore(pool, { createTable: 'no' as never })).toThrow(
    /^createTable must be true or false$/,
  )
})

/** A pool that notes what it is asked, and answers each statement with a row. */
function notingPool(answer: (text: string) => unknown = () => undefined) {
  const asked: { text: string; values: unknown[] }[] = []
  const query = async (text: string, values: unknown[]) => {
    asked.push({ text, values })
    const thrown = answer(text)
    if (thrown !== undefined) throw thrown
    return { rows: [{ live: true, value: '1' }] }
  }
  return { query, asked, count: (part: string) => asked.filter(({ text }) => text.includes(part)).length }
}

it('a Postgres store makes its table once, before its first statement, or never', async () => {
  const pool = notingPool()
  const store = postgresStore(pool)
  await Promise.all([store.get('a'), store.set('a', '1'), store.take('a')])
  expect(pool.count('CREATE TABLE')).toBe(1)
  expect(pool.asked[0]?.text).toContain('CREATE TABLE')
  const bare = notingPool()
  await postgresStore(bare, { createTable: false }).get('a')
  expect(bare.count('CREATE TABLE')).toBe(0)
})

it('of each hundred writes to a Postgres store the first deletes what has expired', async () => {
  const pool = notingPool()
  const store = postgresStore(pool)
  for (let i = 0; i < 100; i++) await store.set('a', '1')
  expect(pool.count('SKIP LOCKED')).toBe(1)
  await store.compareAndSet('a', '1', '2')
  expect(pool.count('SKIP LOCKED')).toBe(2)
  for (let i = 0; i < 200; i++) await store.get('a')
  expect(pool.count('SKIP LOCKED')).toBe(2)
})

it.each(['40001', '40P01'])(
  'a statement that lost to others (%s) is asked ten times at most',
  async (code) => {
    let left = 9
    const lucky = notingPool((text) => (text.startsWith('SELECT') && left-- > 0 ? { code } : undefined))
    expect(await postgresStore(lucky).get('a')).toBe('1')
    const luckless = notingPool((text) => (text.startsWith('SELECT') ? { code } : undefined))
    await expect(postgresStore(luckless).get('a')).rejects.toMatchObject({ cause: { code } })
    expect(luckless.count('SELECT value')).toBe(10)
  },
)

it('a statement that failed for another reason is asked once', async () => {
  const pool = notingPool((text) => (text.startsWith('SELECT') ? { code: '23505' } : undefined))
  await expect(postgresStore(pool).get('a')).rejects.toMatchObject({ cause: { code: '23505' } })
  expect(pool.count('SELECT value')).toBe(1)
})

it.each([
  ['k'.repeat(1_024), true],
  ['k'.repeat(1_025), false],
  ['é'.repeat(512), true],
  [`é${'k'.repeat(1_023)}`, false],
])(
  'a key of at most 1,024 bytes is held as it is, a longer one by its hash: case %#',
  async (key, isPlain) => {
    const pool = notingPool()
    await postgresStore(pool, { createTable: false }).get(key)
    const held = String(pool.asked[0]?.values[0])
    if (isPlain) expect(held).toBe(key)
    else
      expect([held.slice(0, 1), held.slice(1)]).toEqual([
        '\u0001',
        expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      ])
  },
)

it('a key, value or lifetime of another type is refused, and reaches no engine', async () => {
  let calls = 0
  const count = async () => {
    calls++
    return { rows: [] }
  }
  for (const store of [redisStore({ isOpen: true, eval: count }), postgresStore({ query: count })]) {
    for (const wrong of [undefined, null, 5, {}] as never[]) {
      await expect(store.get(wrong)).rejects.toThrow(new StoreError('a key of a store must be a string'))
      await expect(store.take(wrong)).rejects.toBeInstanceOf(StoreError)
      const refusal = new StoreError('a value of a store must be a string')
      await expect(store.set('key', wrong)).rejects.toThrow(refusal)
      await expect(store.compareAndSet('key', wrong, 'value')).rejects.toBeInstanceOf(StoreError)
      await expect(store.compareAndDelete('key', wrong)).rejects.toBeInstanceOf(StoreError)
    }
    for (const ttlMs of [Number.NaN, null, '5'] as never[]) {
      await expect(store.set('key', 'value', { ttlMs })).rejects.toThrow(
        new StoreError('ttlMs must be a number'),
      )
      await expect(store.compareAndSet('key', 'a', 'b', { ttlMs })).rejects.toBeInstanceOf(StoreError)
    }
  }
  expect(calls).toBe(0)
})

it.each(['close', '-node'])('a "no" of ioredis is a StoreError when it said %s meanwhile', async (event) => {
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
    await expect(call).rejects.toThrow(/whether it took effect is not known/)
  }
})

it('a "yes" of ioredis stands, whatever it said meanwhile', async () => {
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
  'an answer that no script of the store gives, such as %o, is a StoreError',
  async (reply) => {
    const store = redisStore(answering(reply))
    await expect(store.get('key')).rejects.toBeInstanceOf(StoreError)
    await expect(store.take('key')).rejects.toBeInstanceOf(StoreError)
    await expect(store.set('key', 'value')).rejects.toBeInstanceOf(StoreError)
    await expect(store.delete('key')).rejects.toBeInstanceOf(StoreError)
    await expect(store.get('key')).rejects.toThrow(
      /written by this store|gives? values as text|not give values/,
    )
    await expect(store.delete('key')).rejects.toThrow(/an answer that no script of this store gives/)
  },
)

it('a StoreError keeps the name and the code of what the driver threw, and a message in plain words', async () => {
  class SocketClosedUnexpectedlyError extends Error {}
  for (const store of failing(
    Object.assign(new SocketClosedUnexpectedlyError('Socket closed'), { code: 'E1' }),
  )) {
    const cause = await causeOf(store)
    expect([cause.name, cause.message, cause.code]).toEqual([
      'SocketClosedUnexpectedlyError',
      'Socket closed',
      'E1',
    ])
  }
})

it.each([
  "ERR unknown command 'eval', with args beginning with: 'hunter'",
  'duplicate key hunter',
  'password authentication failed for user "hunter"',
  'getaddrinfo ENOTFOUND hunter.internal',
  'hunter',
  'HUNTER said no',
])('a StoreError shows nothing of a message such as %s', async (message) => {
  const thrown = Object.assign(new Error(message), {
    detail: 'Key (key)=(hunter)',
    command: { name: 'eval', args: ['hunter'] },
    parameters: ['hunter'],
    cause: new Error('hunter'),
  })
  for (const store of failing(thrown)) {
    const cause = await causeOf(store, 'HUNTER', 'hunter')
    expect(JSON.stringify([cause, cause.message, cause.stack, cause.code, cause.cause])).not.toMatch(
      /hunter/i,
    )
  }
})

it.each(['dbhost', 'db.internal'])(
  'a StoreError does not name the host %s that was not found',
  async (host) => {
    const thrown = Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' })
    for (const store of failing(thrown)) expect((await causeOf(store)).message).toBe('ENOTFOUND')
  },
)

it.each(['a string', undefined, null, 5, {}, { message: 5 }, { message: 'x1', name: 'Hunter', code: 7 }])(
  'a driver that throws %o causes a StoreError that tells no reason',
  async (thrown) => {
    for (const store of failing(thrown)) {
      const cause = await causeOf(store)
      expect(cause).toBeInstanceOf(Error)
      expect([cause.name, cause.message, cause.code]).toEqual([
        'Error',
        'for a reason that is not shown',
        undefined,
      ])
      expect(cause.stack).toBe('Error: for a reason that is not shown')
    }
  },
)

it.each(['hunter', 'E1 hunter', 'hunter E1', 'E1\nhunter', 'E'.repeat(41), ''])(
  'a code of another form, such as %j, is not shown',
  async (code) => {
    for (const store of failing(Object.assign(new Error('Socket closed'), { code }))) {
      const cause = await causeOf(store)
      expect([cause.message, cause.code]).toEqual(['Socket closed', undefined])
    }
  },
)

it.each([
  ['ECONNRESET', 'E'.repeat(40)],
  ['23505', '_'],
])('codes such as %s and %s are shown', async (...codes) => {
  for (const code of codes)
    for (const store of failing(Object.assign(new Error('x1'), { code }))) {
      const cause = await causeOf(store)
      expect([cause.message, cause.code]).toEqual([code, code])
    }
})

it.each([
  ['WRONGTYPE Operation 1', 'WRONGTYPE'],
  ['ERR 1', 'ERR'],
  [`${'E'.repeat(20)} 1`, 'E'.repeat(20)],
  ['ER 1', undefined],
  [`${'E'.repeat(21)} 1`, undefined],
  [' ERR 1', undefined],
  ['ERR1 1', undefined],
  ['ERR', undefined],
])('of the refusal %j of Redis the code is %j', async (message, code) => {
  for (const store of failing(new Error(message))) expect((await causeOf(store)).code).toBe(code)
})

it.each(['Xx', `X${'x'.repeat(199)}`, "It can't, so it doesn't. Half-way"])(
  'a message in plain words is shown: %s',
  async (message) => {
    for (const store of failing(new Error(message))) expect((await causeOf(store)).message).toBe(message)
  },
)

it.each([`X${'x'.repeat(200)}`, ' Xx', 'Xx\n', 'X: x', 'X2', '-x'])(
  'a message that is not plain words is not shown: %j',
  async (message) => {
    for (const store of failing(new Error(message)))
      expect((await causeOf(store)).message).toBe('for a reason that is not shown')
  },
)

it.each(['Hunter2', 'A hunter', '', 'X'.repeat(65)])(
  'the name %j is no name of a class, and not shown',
  async (name) => {
    for (const store of failing(Object.assign(new Error('Socket closed'), { name })))
      expect((await causeOf(store)).name).toBe('Error')
  },
)

it('the name that a driver gave an error of no class of its own is shown', async () => {
  for (const store of failing(Object.assign(new Error('Socket closed'), { name: 'DatabaseError' })))
    expect((await causeOf(store)).name).toBe('DatabaseError')
})

it('an empty key or value hides no message', async () => {
  for (const store of failing(new Error('Socket closed'))) {
    const error: unknown = await store.set('', '').catch((thrown: unknown) => thrown)
    expect((error as Error).message).toMatch(/^(?:Redis|Postgres) failed at set: Socket closed$/)
  }
})
