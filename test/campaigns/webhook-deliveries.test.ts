import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { signWebhook, type WebhookResult } from '../../src/index.ts'
import { describeWith } from '../support/programs.ts'
import { anEvent, secret } from '../support/webhook.ts'
import { engine } from './engines.ts'
import { type Process, ProcessEnded, startProcesses } from './process.ts'
import { sized } from './size.ts'

const processes = 8
const eventsPerProcess = sized(500)
const copies = 3
const killed = 2
/** So short that the events of a process that is killed are soon taken over. */
const leaseMs = 1_000
/** Concurrent deliveries to each process. */
const atOnce = 8

describeWith(engine.service, 'that processes that are killed lose no event', () => {
  it(`handles every event, and none again after its completion, if ${killed} of ${processes} processes are killed`, async () => {
    const { runs, completedAt } = await campaign()

    expect(runs.size).toBe(processes * eventsPerProcess)
    const again: string[] = []
    for (const [id, { starts, ends }] of runs) {
      expect(ends.length, `${id} was handled`).toBeGreaterThan(0)
      const completed = completedAt.get(id)
      if (completed !== undefined && starts.some((start) => start > completed)) again.push(id)
    }
    expect(again).toEqual([])
  })
})

interface Runs {
  readonly starts: bigint[]
  readonly ends: bigint[]
}

type Reply = Pick<WebhookResult, 'status' | 'outcome'> & { readonly at: string }

/** Delivers each event several times in random order, like the service, until the response is 200. */
async function campaign() {
  const service = await engine.start()
  const folder = await mkdtemp(join(tmpdir(), 'deliveries-'))
  const log = join(folder, 'callbacks')
  const settings = { STORE_URL: service.url, SECRET: secret, LOG: log, LEASE_MS: String(leaseMs), FAIL_EVERY: '50' }
  let workers = await startProcesses(processes, 'webhook-receiver.mjs', settings)
  onTestFinished(async () => {
    for (const worker of workers) worker.kill()
    await service.remove()
    await rm(folder, { recursive: true })
  })

  const ids = Array.from({ length: processes * eventsPerProcess }, (_, n) => `evt_${n}`)
  const queue = shuffled(Array.from({ length: copies }, () => ids).flat())
  const completedAt = new Map<string, bigint>()
  let delivered = 0
  const doomed = workers.slice(0, killed)

  const deliver = async (id: string): Promise<void> => {
    for (;;) {
      const worker = workers[Math.floor(Math.random() * workers.length)] as Process
      const reply = await send(worker, id)
      if (reply?.outcome === 'processed') completedAt.set(id, BigInt(reply.at))
      if (reply?.status === 200) return
      // The service would also wait before it delivers again.
      await pause(20)
    }
  }
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
  return { runs: await readLog(log), completedAt }
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
