import { expect, it, onTestFinished } from 'vitest'
import type { ReconcileSummary } from '../../src/index.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import { startRedisCluster } from '../support/redis-server.ts'
import { startProcesses } from './process.ts'
import { sized } from './size.ts'

const processes = 8
const people = sized(100_000)
/** A busy machine with few cores takes many minutes. */
const longestCampaignMs = 1_800_000

const engines = [
  { name: 'Redis cluster', service: 'redis-server', start: () => startRedisCluster(3) },
  { name: 'Postgres', service: 'postgres', start: async () => [await startPostgres()] },
] as const

for (const { name, service, start } of engines) {
  describeWith(service, `that one reconcile finds what all lost webhooks would have reported on ${name}`, () => {
    it(
      `finds the outcomes of ${people} people whose webhooks were all lost, and then has nothing to do, on ${name}`,
      async () => {
        const servers = await start()
        const env = { STORE: name, STORE_URL: String(servers[0]?.url) }
        const workers = await startProcesses(processes, 'pending-people.mjs', env)
        onTestFinished(async () => {
          for (const worker of workers) worker.kill()
          await Promise.all(workers.map(({ ended }) => ended))
          for (const server of servers) await server.remove()
        })
        const [worker] = workers
        const share = Math.ceil(people / processes)
        const startedAt = performance.now()
        await Promise.all(
          workers.map((one, n) => one.request({ start: [n * share, Math.min(people, (n + 1) * share)] })),
        )
        const pendingAt = performance.now()
        expect(await worker?.request({ count: true })).toBe(people)

        const first = await worker?.request<ReconcileSummary>({ reconcile: true })
        const reconciledAt = performance.now()
        const second = await worker?.request<ReconcileSummary>({ reconcile: true })

        expect(first).toEqual({ visited: people, changed: people, failed: 0, failures: [] })
        expect(second).toEqual({ visited: 0, changed: 0, failed: 0, failures: [] })
        expect(await worker?.request({ count: true })).toBe(0)
        const seconds = (from: number, to: number) => Math.round((to - from) / 1_000)
        console.log(
          `${name}: ${people} people started by ${processes} processes in ${seconds(startedAt, pendingAt)} s; one reconcile found all in ${seconds(pendingAt, reconciledAt)} s, a second one had nothing to do and took ${Math.round(performance.now() - reconciledAt)} ms`,
        )
      },
      longestCampaignMs,
    )
  })
}
