import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import { Redis } from 'ioredis'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { startProcesses } from '../campaigns/process.ts'
import { documentedCode } from '../support/documented-code.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'

const guide = documentedCode('docs/guides/spend-limits.md')
const { emulator } = guide

/** Sends calls at once, when the test requests it. The clock is that of the request. */
const driver = `
process.on('message', async ({ id, params: { now, users, key } }) => {
  const check = createChecks(() => new Date(now))
  process.send({ id, value: await Promise.all(users.map((user) => check(user, '1990-01-01', key))) })
})
process.on('disconnect', () => process.exit())
process.send({ ready: true })
`

/** A call by a path that no method has, which has no idempotency key. */
const rawCall = `
if (idempotencyKey === 'none') {
  const path = '/api/v2/age-verification/'
  await client.request({ method: 'POST', path, body: { dob, bands: [18] } }, { spendKey: userId })
  return 'passed'
}
`

interface Counters {
  /** Removes the counters of a minute, as its end does. */
  endMinute(): Promise<unknown>
  /** What each counter has counted. */
  counts(): Promise<number[]>
  /** How long each counter is kept, in seconds. */
  lifetimes(): Promise<number[]>
  end(): Promise<unknown>
}

const engines = {
  Redis: {
    start: startRedis,
    async counters(url: string): Promise<Counters> {
      const client = new Redis(url)
      return {
        endMinute: async () => client.del(await client.keys('*-minute:*')),
        counts: async () => (await client.mget(await client.keys('*'))).map(Number),
        lifetimes: async () => Promise.all((await client.keys('*')).map((key) => client.ttl(key))),
        end: async () => client.disconnect(),
      }
    },
  },
  Postgres: {
    start: startPostgres,
    async counters(url: string): Promise<Counters> {
      const client = new pg.Client(url)
      await client.connect()
      await client.query(String(/'(CREATE TABLE .+)'/.exec(guide.code('Count in Postgres'))?.[1]))
      const lifetime = 'SELECT coalesce(expire / 1000 - extract(epoch FROM now()), -1)::float AS seconds FROM budgets'
      return {
        endMinute: () => client.query("DELETE FROM budgets WHERE key LIKE '%-minute:%'"),
        counts: async () =>
          (await client.query<{ points: number }>('SELECT points FROM budgets')).rows.map(({ points }) => points),
        lifetimes: async () => (await client.query<{ seconds: number }>(lifetime)).rows.map(({ seconds }) => seconds),
        end: () => client.end(),
      }
    },
  },
}

describeWith(['redis-server', 'postgres'], 'that processes share budgets', () => {
  it.each(['Redis', 'Postgres'] as const)(
    'four processes spend exactly the budgets of a minute and a month, for a person and for all, and a month counts a repeated call once, on %s',
    async (engine) => {
      const server = await engines[engine].start()
      onTestFinished(() => server.remove())
      const counters = await engines[engine].counters(server.url)
      const source = guide
        .code(`Count in ${engine}`, 'Set budgets')
        .replace(/^import .*limiter\.ts'.*$/m, '')
        .replace('return (await client.checks.age(', `${rawCall}$&`)
      const file = join(guide.installed.project, `budgets-${engine}.mjs`)
      await writeFile(file, (await transform(source + driver, { loader: 'ts' })).code)
      const budgets = {
        PERSON_PER_MINUTE: '10',
        ALL_PER_MINUTE: '25',
        PERSON_PER_MONTH: '15',
        ALL_PER_MONTH: '40',
      }
      const urls = { REDIS_URL: server.url, DATABASE_URL: server.url }
      const env = guide.environment({ ...budgets, ...urls })
      const processes = await startProcesses(4, pathToFileURL(file).href, env)
      onTestFinished(() => {
        for (const { kill } of processes) kill()
      })

      /** Sends five calls of each user from each process. @returns how many were sent, and how the others ended */
      async function send(people: string[], now: string) {
        const before = emulator.ledger.length
        const users = people.flatMap((user) => Array<string>(5).fill(user))
        const results = await Promise.all(processes.map(({ request }) => request<string[]>({ now, users })))
        const sent = emulator.ledger.length - before
        const others = results.flat().filter((result) => result !== 'passed')
        expect(others).toHaveLength(users.length * processes.length - sent)
        return [sent, ...new Set(others)]
      }
      const [october, november] = ['2026-10-31T23:59:59.999Z', '2026-11-01T00:00:00.000Z']

      const isUsedUp = 'budget used up'
      expect(await send(['ada'], october)).toEqual([10, isUsedUp])
      expect(await send(['bo', 'cy'], october)).toEqual([15, isUsedUp])
      await counters.endMinute()
      expect(await send(['ada'], october)).toEqual([5, isUsedUp])
      await counters.endMinute()
      expect(await send(['di', 'ed'], october)).toEqual([10, isUsedUp])
      await counters.endMinute()
      expect(await send(['ada'], november)).toEqual([10, isUsedUp])
      await counters.endMinute()
      expect(await send(['ada'], november)).toEqual([5, isUsedUp])

      const [december, sentBefore] = ['2026-12-01T00:00:00.000Z', emulator.ledger.length]
      const click = (key: string, times = 4) =>
        Promise.all(
          processes.slice(0, times).map(async ({ request }) => {
            const call = { now: december, users: ['gil'], key: `${engine}-${key}` }
            return (await request<string[]>(call))[0]
          }),
        )
      for (let photo = 0; photo < 15; photo++) {
        await counters.endMinute()
        expect(await click(String(photo), 1)).toEqual(['passed'])
      }
      expect(await click('another', 1)).toEqual([isUsedUp])
      expect(await click('14'), 'a call that is made again').toEqual(Array(4).fill('passed'))
      for (const times of [4, 1]) await click('14', times)
      expect(await click('14', 1), 'a minute counts each').toEqual([isUsedUp])
      expect(emulator.ledger.length - sentBefore).toBe(15)

      const raw = async () => {
        await counters.endMinute()
        const call = { now: '2027-01-01T00:00:00.000Z', users: Array<string>(10).fill('hal'), key: 'none' }
        return (await processes[0]?.request<string[]>(call))?.filter((result) => result === 'passed').length
      }
      expect([await raw(), await raw(), await raw()], 'a call without a key counts each time').toEqual([10, 5, 0])

      const total = async () => (await counters.counts()).reduce((sum, count) => sum + count, 0)
      const before = await total()
      expect(await send(['hal'], '2027-01-02T00:00:00.000Z')).toEqual([0, isUsedUp])
      expect(await total(), 'a call that a budget rejects is not counted').toBe(before)
      const lifetimes = await counters.lifetimes()
      expect(Math.min(...lifetimes)).toBeGreaterThan(0)
      expect(Math.max(...lifetimes)).toBeLessThanOrEqual(32 * 86_400)
      await counters.end()
      await server.stop()
      expect(await send(['fay'], november)).toEqual([0, 'limiter failed'])
    },
  )
})
