// One of several processes that use a store concurrently. It connects, waits for a line, works, and prints a report.
import { once } from 'node:events'
import { postgresStore } from 'identity-service-sdk/stores/postgres'
import { redisStore } from 'identity-service-sdk/stores/redis'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createClient } from 'redis'

const [, , engine = '', url = ''] = process.argv
const increments = 100
const claims = 100
const tables = 5

async function connect() {
  if (engine === 'ioredis') {
    const client = new Redis(url)
    await client.ping()
    return { open: () => redisStore(client), end: () => client.disconnect() }
  }
  if (engine === 'node-redis') {
    const client = await createClient({ url }).connect()
    return { open: () => redisStore(client), end: () => client.destroy() }
  }
  const pool = new pg.Pool({ connectionString: url, max: 5 })
  await pool.query('SELECT 1')
  return { open: (/** @type {string} */ table) => postgresStore(pool, { table }), end: () => pool.end() }
}

const { open, end } = await connect()
process.stdout.write('ready\n')
await once(process.stdin, 'data')

const stores = Array.from({ length: tables }, (_, i) => open(`store_${i}`))
await Promise.all(stores.map((store, i) => store.set(`process ${process.pid} ${i}`, 'made')))

const store = open('store_0')
for (let done = 0; done < increments; ) {
  const was = await store.get('count')
  const now = String(Number(was ?? 0) + 1)
  const won =
    was === null ? await store.set('count', now, { ifAbsent: true }) : await store.compareAndSet('count', was, now)
  if (won) done++
}

const won = []
for (let i = 0; i < claims; i++) {
  if (await store.set(`claim ${i}`, String(process.pid), { ifAbsent: true, ttlMs: 60_000 })) won.push(i)
}

const gifts = open('gifts')
const taken = []
for (let i = 0; i < claims; i++) {
  const value = await gifts.take(`gift ${i}`)
  if (value !== null) taken.push(value)
}

await end()
process.stdout.write(`${JSON.stringify({ increments, won, taken })}\n`)
process.stdin.destroy()
