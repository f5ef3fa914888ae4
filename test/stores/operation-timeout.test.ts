import { expect, it } from 'vitest'
import { ConfigurationError } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { guardedStore } from '../../src/stores/operation.ts'
import type { StoreTimeLimit } from '../../src/stores/store.ts'
import { postgresStore } from '../../src/stores-postgres.ts'
import { redisStore } from '../../src/stores-redis.ts'

const redis = { isOpen: true, eval: async () => null }
const pool = { query: async () => ({ rows: [] }) }

const takers: [name: string, take: (limit: StoreTimeLimit) => unknown][] = [
  ['redisStore', (limit) => redisStore(redis, limit)],
  ['postgresStore', (limit) => postgresStore(pool, limit)],
  ['owner: store', (limit) => guardedStore('owner', { ...memoryStore(), ...limit }, 'the store')],
]

it.each(takers)('%s accepts an operationTimeoutMs from 1 to 2,147,483,647', (_, take) => {
  for (const operationTimeoutMs of [undefined, 1, 2_147_483_647]) {
    expect(() => take({ operationTimeoutMs })).not.toThrow()
  }
})

it.each(takers)('%s rejects any other operationTimeoutMs, with the name of what it limits', (name, take) => {
  const message = `${name}: operationTimeoutMs must be a whole number of milliseconds from 1 to 2147483647`
  for (const operationTimeoutMs of [0, -1, 1.5, 2 ** 31, Number.NaN, '5', null] as never[]) {
    expect(() => take({ operationTimeoutMs })).toThrow(new ConfigurationError({ message }))
  }
})
