import fc from 'fast-check'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, it } from 'vitest'
import { postgresStore } from '../../src/stores-postgres.ts'
import { redisStore } from '../../src/stores-redis.ts'
import type { ListingStore } from '../../src/webhooks.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Service } from '../support/service-process.ts'
import { ioRedisClient, nodeRedisClient, postgresOfTests } from '../support/store-clients.ts'
import { StoreModel, storeCommands } from '../support/store-commands.ts'

/** Lifetimes that are over, and that do not end during the test, because the time is that of the engine. */
const lifetimes = fc.constantFrom(undefined, -5, 0, 3_600_000.5, 6e15, Number.MAX_SAFE_INTEGER + 1)

/** Compares a new store for each run. */
const compare = (makeStore: (run: number) => ListingStore, numRuns: number) => {
  let run = 0
  return fc.assert(
    fc.asyncProperty(storeCommands(lifetimes, 100), (commands) =>
      fc.asyncModelRun(() => ({ model: new StoreModel(), real: { store: makeStore(++run) } }), commands),
    ),
    { numRuns },
  )
}

describeWith('redis-server', 'that redisStore does what a Map does', () => {
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

  it('the Redis store on node-redis does what a Map does, for any operations', () =>
    compare((run) => redisStore(nodeRedis, { prefix: `n${run}:` }), 100))

  it('the Redis store on ioredis does what a Map does, for any operations', () =>
    compare((run) => redisStore(ioRedis, { prefix: `i${run}:` }), 100))
})

describeWith('postgres', 'that postgresStore does what a Map does', () => {
  const postgres = postgresOfTests()

  it('the Postgres store does what a Map does, for any operations', () =>
    compare((run) => postgresStore(postgres.pool, { table: `model_${run}` }), 50))
})
