import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { signWebhook, type WebhookResult } from '../../src/index.ts'
import { describeWith } from '../support/programs.ts'
import { anEvent, secret } from '../support/webhook.ts'
import { type Engine, engines } from './engines.ts'
import { type Process, ProcessEnded, startProcesses } from './process.ts'
import { sized } from './size.ts'

const processes = 8
const eventsPerProcess = sized(500)
const copies = 3
const killed = 2
/** Longer than a busy machine stops a process. */
const leaseMs = 10_000
/** The lease if processes are killed, so that their events are soon taken over. */
const shortLeaseMs = 1_000
/** Concurrent deliveries to each process. */
const atOnce = 8

for (const engine of engines) {
  describeWith(engine.service, `that many processes run one callback for each event on ${engine.name}`, () => {
    it(`runs the callback of each of ${processes * eventsPerProcess} events once over ${processes} processes on ${engine.name}`, async () => {
      const { runs, outcomes, retries, ms } = await campaign(engine)

      expect(runs.size).toBe(processes * eventsPerProcess)
      for (const { ends } of runs.values()) expect(ends).toHaveLength(1)
      expect(outcomes.processed).toBe(processes * eventsPerProcess)
      console.log(`${engine.name}: ${figures(outcomes)}, ${retries} retries, ${ms} ms, every callback exactly once`)
    })

    it(`runs the callback of each event once although its mark fails or hangs, and clocks jump, on ${engine.name}`, async () => {
      const env = { MARK_FAULTS: '1', CLOCK_JUMPS: '1' }
      const { runs, outcomes, retries, ms } = await campaign(engine, { env })

      expect(runs.size).toBe(processes * eventsPerProcess)
      for (const { ends } of runs.values()) expect(ends).toHaveLength(1)
      expect(outcomes.processed).toBe(processes * eventsPerProcess)
      console.log(
        `${engine.name}, three of four marks fail or hang once: ${figures(outcomes)}, ${retries} retries, ${ms} ms, every callback exactly once`,
      )
    })

    it(`handles every event, and none again after its completion, if ${killed} of ${processes} processes are killed on ${engine.name}`, async () => {
      const { runs, outcomes, completedAt, retries, ms } = await campaign(engine, {
        kills: killed,
        env: { LEASE_MS: String(shortLeaseMs) },
      })

      expect(runs.size).toBe(processes * eventsPerProcess)
      const again: string[] = []
      let interrupted = 0
      for (const [id, { starts, ends }] of runs) {
        expect(ends.length, `${id} was handled`).toBeGreaterThan(0)
        const completed = completedAt.get(id)
        if (completed !== undefined && starts.some((start) => start > completed)) again.push(id)
        if (starts.length > ends.length) interrupted++
      }
      expect(again).toEqual([])
      console.log(
        `${engine.name}, ${killed} killed: ${figures(outcomes)}, ${retries} retries, ${interrupted} callbacks interrupted or failed, ${ms} ms, 0 lost, 0 twice after completion`,
      )
    })
  })
}

interface Runs {
  readonly starts: bigint[]
  readonly ends: bigint[]
}

type Reply = Pick<WebhookResult, 'status' | 'outcome'> & { readonly at: string }

/** Delivers each event several times in random order, like the service, until the response is 200. */
async function campaign(
  engine: Engine,
  { kills = 0, env: more = {} }: { kills?: number; env?: Readonly<Record<string, string>> } = {},
) {
  const service = await engine.start()
  const folder = await mkdtemp(join(tmpdir(), 'deliveries-'))
  const log = join(folder, 'callbacks')
  const env = { STORE: engine.name, STORE_URL: service.url, SECRET: secret, LOG: log }
  const settings = { ...env, LEASE_MS: String(leaseMs), FAIL_EVERY: '50', ...more }
  let workers = await startProcesses(processes, 'webhook-receiver.mjs', settings)
  onTestFinished(async () => {
    for (const worker of workers) worker.kill()
    await service.remove()
    await rm(folder, { recursive: true })
  })

  const ids = Array.from({ length: processes * eventsPerProcess }, (_, n) => `evt_${n}`)
  const queue = shuffled(Array.from({ length: copies }, () => ids).flat())
  const outcomes: Record<string, number> = {}
  const completedAt = new Map<string, bigint>()
  let retries = 0
  let delivered = 0
  const doomed = workers.slice(0, kills)

  const deliver = async (id: string): Promise<void> => {
    for (;;) {
      const worker = workers[Math.floor(Math.random() * workers.length)] as Process
      const reply = await send(worker, id)
      if (reply) outcomes[reply.outcome] = (outcomes[reply.outcome] ?? 0) + 1
      if (reply?.outcome === 'processed') completedAt.set(id, BigInt(reply.at))
      if (reply?.status === 200) return
      retries++
      // The service would also wait before it delivers again.
      await pause(20)
    }
  }
  const startedAt = performance.now()
  const lanes = Array.from({ length: processes * atOnce }, async () => {
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      await deliver(id)
      if (++delivered === Math.floor((ids.length * copies) / 3)) {
        for (const worker of doomed) worker.kill()
        await Promise.all(doomed.map(({ ended }) => ended))
        workers = workers.filter((worker) => !doomed.includes(worker))
      }
    }
  })
  await Promise.all(lanes)
  const ms = Math.round(performance.now() - startedAt)
  return { runs: await readLog(log), outcomes, completedAt, retries, ms }
}

/** @returns undefined if the process ended before it replied */
async function send(worker: Process, id: string): Promise<Reply | undefined> {
  try {
    return await worker.request<Reply>(
      await signWebhook({ event: anEvent({ event_id: id, session_id: `sess_${id}` }), secret }),
    )
  } catch (error) {
    if (error instanceof ProcessEnded) return undefined
    throw error
  }
}

async function readLog(path: string): Promise<Map<string, Runs>> {
  const runs = new Map<string, Runs>()
  for (const line of (await readFile(path, 'utf8')).trim().split('\n')) {
    const [what, id = '', , at = ''] = line.split(' ')
    const run = runs.get(id) ?? { starts: [], ends: [] }
    runs.set(id, run)
    run[what === 'start' ? 'starts' : 'ends'].push(BigInt(at))
  }
  return runs
}

function shuffled<T>(list: T[]): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1))
    ;[list[i], list[j]] = [list[j] as T, list[i] as T]
  }
  return list
}

const figures = (outcomes: Record<string, number>) =>
  Object.entries(outcomes)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ')
