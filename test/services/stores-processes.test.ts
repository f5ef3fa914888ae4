import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { postgresStore } from '../../src/stores-postgres.ts'
import { redisStore } from '../../src/stores-redis.ts'
import type { Store } from '../../src/webhooks.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import { ioRedisClient, pgPool } from '../support/store-clients.ts'

interface Work {
  readonly increments: number
  readonly won: number[]
  readonly taken: string[]
}

const program = fileURLToPath(new URL('store-process.mjs', import.meta.url))
const processes = 4
const gifts = Array.from({ length: 100 }, (_, i) => `gift of ${i}`)

/** Runs the built package in several processes, which start their work at the same time. */
async function workOf(engines: readonly string[], url: string): Promise<Work[]> {
  const children = engines.map((engine) => {
    const child = spawn(process.execPath, [program, engine, url], { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() }
  })
  const line = async ({ lines, child }: { lines: AsyncIterator<string>; child: ChildProcess }) => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error(`a process ended with ${child.exitCode ?? child.signalCode}`)
    return value
  }
  for (const each of children) expect(await line(each)).toBe('ready')
  for (const { child } of children) child.stdin.write('go\n')
  const work = await Promise.all(children.map(async (each) => JSON.parse(await line(each)) as Work))
  await Promise.all(children.map(({ child }) => child.exitCode ?? once(child, 'exit')))
  expect(children.map(({ child }) => child.exitCode)).toEqual(engines.map(() => 0))
  return work
}

/** Checks that nothing was lost, and that nothing happened twice. */
async function expectOneOfEach(work: Work[], store: Store) {
  expect(await store.get('count')).toBe(String(work.reduce((sum, { increments }) => sum + increments, 0)))
  const won = work.flatMap((each) => each.won).sort((a, b) => a - b)
  expect(won).toEqual(Array.from({ length: 100 }, (_, i) => i))
  expect(work.flatMap(({ taken }) => taken).sort()).toEqual([...gifts].sort())
}

describeWith('redis-server', 'that processes that share a redisStore lose and duplicate nothing', () => {
  it('processes that share a Redis lose no update and win each key once, with both clients', async () => {
    const server = await startRedis()
    const client = await ioRedisClient(server.url)
    onTestFinished(async () => {
      client.disconnect()
      await server.remove()
    })
    const store = redisStore(client)
    for (const [i, gift] of gifts.entries()) await store.set(`gift ${i}`, gift)

    const work = await workOf(['ioredis', 'node-redis', 'ioredis', 'node-redis'], server.url)

    await expectOneOfEach(work, store)
  })
})

describeWith('postgres', 'that processes that share a postgresStore lose and duplicate nothing', () => {
  it('processes that share a Postgres create its tables, lose no update and win each key once', async () => {
    const server = await startPostgres()
    const pool = pgPool(server.url)
    onTestFinished(async () => {
      await pool.end()
      await server.remove()
    })
    const gifted = postgresStore(pool, { table: 'gifts' })
    for (const [i, gift] of gifts.entries()) await gifted.set(`gift ${i}`, gift)

    const work = await workOf(
      Array.from({ length: processes }, () => 'pg'),
      server.url,
    )

    await expectOneOfEach(work, postgresStore(pool, { table: 'store_0' }))
    for (let i = 0; i < 5; i++) {
      const created = await pool.query(`SELECT key FROM store_${i} WHERE key LIKE 'process % ${i}'`)
      expect(created.rows).toHaveLength(processes)
      const indexes = await pool.query('SELECT 1 FROM pg_indexes WHERE tablename = $1', [`store_${i}`])
      expect(indexes.rows).toHaveLength(3)
    }
  })
})
