import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import type { WebhookResult } from '../../src/index.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import { anEvent } from '../support/webhook.ts'
import { type Process, ProcessEnded, startProcess, startProcesses } from './process.ts'
import { sized } from './size.ts'

const events = sized(2_000)
const copies = 3
const processes = 4
/** Deliveries at the same time, over all processes. */
const atOnce = 16
/** After so many deliveries, a process at random is killed, and another one starts. */
const deliveriesPerKill = sized(200)

describeWith('postgres', 'that the effects of an event in the database of its inbox happen exactly once', () => {
  it(`writes the row of each of ${events} events exactly once with postgresInbox, although processes are killed`, async () => {
    const { rows, figures, kills } = await campaign('inbox')

    expect(kills).toBeGreaterThan(20)
    expect(rows).toEqual({ once: events, again: 0, incomplete: 0 })
    console.log(`postgresInbox: ${figures}, each of ${events} rows written exactly once`)
  })

  it(`writes the row of each of ${events} events at least once with postgresStore, although processes are killed`, async () => {
    const { rows, figures, kills } = await campaign('store')

    expect(kills).toBeGreaterThan(20)
    expect(rows.once + rows.again).toBe(events)
    expect(rows.again).toBeGreaterThan(0)
    console.log(`postgresStore: ${figures}, ${rows.once} rows written once, ${rows.again} more than once`)
  })
})

/** Delivers each event several times in random order, each until the response is 200. */
async function campaign(record: 'inbox' | 'store') {
  const service = await startPostgres()
  const pool = new pg.Pool({ connectionString: service.url, max: 2 }).on('error', () => {})
  await pool.query('CREATE TABLE effects (event_id text, is_complete boolean NOT NULL DEFAULT false)')
  const env = { RECORD: record, DATABASE_URL: service.url }
  const workers = await startProcesses(processes, 'event-worker.mjs', env)
  onTestFinished(async () => {
    for (const worker of workers) worker.kill()
    await pool.end()
    await service.remove()
  })

  const ids = Array.from({ length: events }, (_, n) => `evt_${n}`)
  const queue = Array.from({ length: copies }, () => ids)
    .flat()
    .map((id) => ({ id, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
  const outcomes: Record<string, number> = {}
  let [delivered, kills, interrupted] = [0, 0, 0]

  const killOne = async () => {
    const doomed = Math.floor(Math.random() * workers.length)
    workers[doomed]?.kill()
    kills++
    workers[doomed] = await startProcess('event-worker.mjs', env)
  }
  const deliver = async (id: string) => {
    for (;;) {
      const reply = await send(workers[Math.floor(Math.random() * workers.length)] as Process, id)
      if (reply === undefined) interrupted++
      else outcomes[reply.outcome] = (outcomes[reply.outcome] ?? 0) + 1
      if (reply?.status === 200) return
      // The service would also wait before it delivers again.
      await pause(50)
    }
  }
  const startedAt = performance.now()
  const replacements: Promise<void>[] = []
  const lanes = Array.from({ length: atOnce }, async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      await deliver(next.id)
      if (++delivered % deliveriesPerKill === 0) replacements.push(killOne())
    }
  })
  await Promise.all(lanes)
  await Promise.all(replacements)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)

  const { rows } = await pool.query(`SELECT count(*) FILTER (WHERE written = 1)::int AS once,
    count(*) FILTER (WHERE written > 1)::int AS again, count(*) FILTER (WHERE NOT is_complete)::int AS incomplete
    FROM (SELECT count(*) AS written, bool_and(is_complete) AS is_complete FROM effects GROUP BY event_id) AS events`)
  const counts = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`)
  const figures = `${events * copies} deliveries, ${counts.join(', ')}, ${kills} processes killed, ${interrupted} deliveries interrupted, ${seconds} s`
  return { rows: rows[0] as { once: number; again: number; incomplete: number }, figures, kills }
}

/** @returns undefined if the process ended before it replied */
async function send(worker: Process, id: string): Promise<Pick<WebhookResult, 'status' | 'outcome'> | undefined> {
  try {
    return await worker.request(anEvent({ event_id: id, session_id: `sess_${id}` }))
  } catch (error) {
    if (error instanceof ProcessEnded) return undefined
    throw error
  }
}
