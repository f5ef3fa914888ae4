import type { RequestListener } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import { VerificationClient } from '../../src/index.ts'
import { describeWith } from '../support/programs.ts'
import { serveListener } from '../support/serve-listener.ts'
import { type Engine, engines } from './engines.ts'
import { type Process, ProcessEnded, startProcess } from './process.ts'
import { isFull, sampled } from './size.ts'

/** The clocks of the processes, in milliseconds ahead of real time. */
const aheadMs = [0, 5_000, 62_000, -5_000, -62_000, 86_400_000]
const perMs = 3_000
const forMs = isFull ? 15_000 : 9_000
const callers = 4

for (const engine of engines) {
  describeWith(engine.service, `that processes with wrong clocks share a spend limit on ${engine.name}`, () => {
    it.each(sampled([12, 240], 1))(
      `charges at most %i calls in each window of ${perMs} ms, over ${aheadMs.length} processes of which some are killed, on ${engine.name}`,
      async (calls) => {
        const service = await checkService({ faults: true })
        const { start, replies } = await processesOn(engine, { BASE_URL: service.url, CALLS: calls })
        const workers = await Promise.all(aheadMs.map(start))
        const pauseMs = 20
        const work = workers.map((worker) => replies(worker, { callers, forMs, pauseMs }))
        await pause(forMs / 3)
        for (const [index, worker] of workers.slice(0, 2).entries()) {
          worker.kill()
          work.push(replies(await start(Number(aheadMs[index])), { callers, forMs: forMs / 2, pauseMs }))
        }
        const { total, operations } = sum(await Promise.all(work))
        // At first, each process with a faster clock begins the next window. From then on the fastest begins them all.
        const most = mostCharged(afterFirstSpan(service.received))
        const charged = new Set(service.received.map(({ key }) => key)).size

        expect(most).toBeLessThanOrEqual(2 * calls)
        expect(charged).toBeLessThanOrEqual(calls * (aheadMs.length + Math.ceil((2 * forMs) / perMs)))
        // The limit is used: what is counted does not stay counted.
        expect(charged).toBeGreaterThan(calls)
        console.log(
          `${engine.name}: at most ${most} of ${calls} calls in ${perMs} ms; ${charged} calls, ${service.received.length} requests in ${forMs} ms; ${operations} store operations; ${JSON.stringify(total)}`,
        )
      },
    )

    it(`charges at most 3 calls for each of 1,000 keys in each window of ${perMs} ms, over 8 processes of which some are killed, on ${engine.name}`, async () => {
      const keyCalls = 3
      const service = await checkService({ faults: true })
      const limits = { BASE_URL: service.url, CALLS: 1_000_000, KEY_CALLS: keyCalls }
      const { start, replies } = await processesOn(engine, limits)
      const params = { callers, forMs, pauseMs: 20, keys: 1_000 }
      const workers = await Promise.all(Array.from({ length: 8 }, () => start(0)))
      const work = workers.map((worker) => replies(worker, params))
      await pause(forMs / 3)
      for (const worker of workers.slice(0, 2)) {
        worker.kill()
        work.push(replies(await start(0), { ...params, forMs: forMs / 2 }))
      }
      const { total, operations } = sum(await Promise.all(work))
      const ofKeys = new Map<string, Received[]>()
      for (const one of service.received) ofKeys.set(one.spendKey, [...(ofKeys.get(one.spendKey) ?? []), one])
      const most = Math.max(...[...ofKeys.values()].map(mostCharged))

      expect(most).toBeGreaterThanOrEqual(keyCalls)
      expect(most).toBeLessThanOrEqual(2 * keyCalls)
      expect(ofKeys.size).toBeGreaterThan(100)
      expect(total.key_limit_reached).toBeGreaterThan(0)
      console.log(
        `${engine.name}: at most ${most} of ${keyCalls} calls of one key in ${perMs} ms; ${ofKeys.size} keys, ${service.received.length} requests; ${operations} store operations; ${JSON.stringify(total)}`,
      )
    })

    if (engine.name === 'Postgres') return
    it(`ends every call in time, and keeps the limit, while the server of ${engine.name} is suspended`, async () => {
      const calls = 240
      const service = await checkService({ faults: false })
      const { start, replies, signal } = await processesOn(engine, { BASE_URL: service.url, CALLS: calls })
      const workers = await Promise.all(aheadMs.slice(0, 3).map(start))
      const work = workers.map((worker) => replies(worker, { callers, forMs: 20_000, pauseMs: 20 }))
      await pause(3_000)
      signal('SIGSTOP')
      const stoppedAt = now()
      await pause(8_000)
      const whileStopped = service.received.filter(({ at }) => at > stoppedAt + 1_000).length
      signal('SIGCONT')
      const continuedAt = now()
      const { total, longestMs } = sum(await Promise.all(work))
      const afterwards = service.received.filter(({ at }) => at > continuedAt)

      expect(whileStopped).toBe(0)
      expect(total.store_failed).toBeGreaterThan(0)
      expect(longestMs).toBeLessThan(6_500)
      expect(afterwards.length).toBeGreaterThan(0)
      // Slower clocks continue the old window until the fastest begins its own, as at the start.
      const phases = [service.received.filter(({ at }) => at <= continuedAt), afterwards]
      for (const phase of phases) expect(mostCharged(afterFirstSpan(phase))).toBeLessThanOrEqual(2 * calls)
      expect(mostCharged(service.received)).toBeLessThanOrEqual((workers.length + 1) * calls)
      console.log(`${engine.name}: suspended for 8 s; calls failed after ${longestMs} ms; ${JSON.stringify(total)}`)
    })
  })
}

interface Received {
  /** When the request was sent, in milliseconds of a clock that all processes share. */
  readonly at: number
  readonly key: string
  readonly spendKey: string
}

const now = () => Number(process.hrtime.bigint()) / 1e6

/** A service that charges each check, and records when requests were sent. Under load they arrive later. */
async function checkService({ faults }: { readonly faults: boolean }) {
  const received: Received[] = []
  const { options } = createEmulator({ seed: 1 })
  const data = await new VerificationClient(options.verification).checks.age({
    dob: '1990-01-01',
    bands: [18],
  })
  const listener: RequestListener = (request, response) => {
    const { 'idempotency-key': key, 'x-sent-at': sentAt, 'x-spend-key': spendKey } = request.headers
    received.push({ at: Number(sentAt) / 1e6, key: String(key), spendKey: String(spendKey) })
    request.resume().on('end', () => {
      const draw = faults ? Math.random() : 1
      if (draw < 0.05) return void response.socket?.destroy()
      const status = draw < 0.15 ? 503 : draw < 0.2 ? 429 : 200
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(status === 429 && { 'retry-after': '4' }),
      })
      response.end(JSON.stringify(status === 200 ? { success: true, data, error: null } : {}))
    })
  }
  return { ...(await serveListener(listener)), received }
}

/** What was sent after the first span of the limit. */
function afterFirstSpan(received: readonly Received[]): readonly Received[] {
  const first = Math.min(...received.map(({ at }) => at))
  return received.filter(({ at }) => at > first + perMs)
}

/** The largest number of calls that may have been charged in a span. Attempts with one key are one call. */
function mostCharged(unordered: readonly Received[]): number {
  const received = [...unordered].sort((one, other) => one.at - other.at)
  const counts = new Map<string, number>()
  let most = 0
  let oldest = 0
  for (const { at, key } of received) {
    counts.set(key, (counts.get(key) ?? 0) + 1)
    for (let first = received[oldest]; first && first.at <= at - perMs; first = received[++oldest]) {
      const left = (counts.get(first.key) ?? 0) - 1
      if (left > 0) counts.set(first.key, left)
      else counts.delete(first.key)
    }
    most = Math.max(most, counts.size)
  }
  return most
}

interface Reply {
  readonly results: Record<string, number>
  readonly operations: number
  readonly longestMs: number
}

function sum(replies: readonly Reply[]) {
  const total: Record<string, number> = {}
  for (const { results } of replies)
    for (const [name, count] of Object.entries(results)) total[name] = (total[name] ?? 0) + count
  return {
    total,
    operations: replies.reduce((all, { operations }) => all + operations, 0),
    longestMs: Math.max(...replies.map(({ longestMs }) => longestMs)),
  }
}

async function processesOn(engine: Engine, env: Readonly<Record<string, string | number>>) {
  const service = await engine.start()
  const workers: Process[] = []
  onTestFinished(async () => {
    service.signal('SIGCONT')
    for (const worker of workers) worker.kill()
    await service.remove()
  })
  const texts = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]))
  return {
    signal: (signal: NodeJS.Signals) => service.signal(signal),
    async start(ahead: number): Promise<Process> {
      const worker = await startProcess('billed-caller.mjs', {
        ...texts,
        STORE: engine.name,
        STORE_URL: service.url,
        PER_MS: String(perMs),
        AHEAD_MS: String(ahead),
      })
      workers.push(worker)
      return worker
    },
    /** Returns the reply of a process. One that was killed has none. */
    replies: (worker: Process, params: unknown): Promise<Reply> =>
      worker.request<Reply>(params).catch((error: unknown) => {
        if (error instanceof ProcessEnded) return { results: {}, operations: 0, longestMs: 0 }
        throw error
      }),
  }
}
