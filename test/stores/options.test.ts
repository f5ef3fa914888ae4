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
  },
)

it.each([5, {}, '\ud800'])('redisStore refuses %o as a prefix', (prefix) => {
  expect(() => redisStore(answering(1), { prefix: prefix as never })).toThrow(ConfigurationError)
})

it.each([undefined, null, 'postgres://127.0.0.1', {}])('postgresStore refuses %o as a pool', (pool) => {
  expect(() => postgresStore(pool as never)).toThrow(ConfigurationError)
})

it.each(['', 'a b', 'a"b', 'a;b', "a'b", 'a$$b', '1a', 'é', 'a.b.c', '.a', 'a.', 'a'.repeat(51), 5, null])(
  'postgresStore refuses %o as a table',
  (table) => {
    const pool = { query: async () => ({ rows: [] }) }
    expect(() => postgresStore(pool, { table: table as never })).toThrow(ConfigurationError)
    expect(() => postgresStoreSql(table as never)).toThrow(ConfigurationError)
  },
)

it('postgresStore refuses a createTable that is neither true nor false', () => {
  const pool = { query: async () => ({ rows: [] }) }
  expect(() => postgresStore(pool, { createTable: 'no' as never })).toThrow(ConfigurationError)
})

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
      await expect(store.set('key', 'value', { ttlMs })).rejects.toBeInstanceOf(StoreError)
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

it.each(['a string', undefined, null, 5, {}])(
  'a driver that throws %o causes a StoreError too',
  async (thrown) => {
    for (const store of failing(thrown)) expect(await causeOf(store)).toBeInstanceOf(Error)
  },
)
