import { Redis } from 'ioredis'
import pg from 'pg'
import { createClient } from 'redis'
import { afterAll, beforeAll } from 'vitest'
import { startDatabase } from './postgres-server.ts'
import type { Service } from './service-process.ts'

/** Clients that reconnect at once. Their `error` events are ignored, so that only the caller of a store sees errors. */
export async function nodeRedisClient(url: string) {
  const socket = { reconnectStrategy: () => 20, connectTimeout: 1000 }
  const client = createClient({ url, socket }).on('error', () => {})
  return client.connect()
}

export async function ioRedisClient(url: string) {
  const client = new Redis(url, { retryStrategy: () => 20, lazyConnect: true }).on('error', () => {})
  await client.connect()
  return client
}

/**
 * A Postgres server that is started before the tests of a file and removed after them. Read its members in a test.
 *
 * @param start pass `startPostgres` if the tests stop the server
 */
export function postgresOfTests(start = startDatabase) {
  const postgres = {} as { server: Service; pool: pg.Pool }
  beforeAll(async () => {
    postgres.server = await start()
    postgres.pool = pgPool(postgres.server.url)
  })
  afterAll(async () => {
    await postgres.pool?.end()
    await postgres.server?.remove()
  })
  return postgres
}

export const pgPool = (url: string) =>
  new pg.Pool({ connectionString: url, max: 20, connectionTimeoutMillis: 30_000 }).on('error', () => {})
