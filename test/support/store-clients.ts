import { Redis } from 'ioredis'
import pg from 'pg'
import { createClient } from 'redis'

/** Clients that come back soon, and whose errors reach nobody but the callers of a store. */
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

export const pgPool = (url: string) =>
  new pg.Pool({ connectionString: url, max: 20, connectionTimeoutMillis: 2000 }).on('error', () => {})
