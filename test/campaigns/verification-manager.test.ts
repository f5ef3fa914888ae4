import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import { type ReconcileOptions, VerificationClient } from '../../src/index.ts'
import type { WebhookDelivery } from '../../src/webhooks.ts'
import { describeWith } from '../support/programs.ts'
import { secret } from '../support/webhook.ts'
import { engine } from './engines.ts'
import { type Process, startProcess, startProcesses } from './process.ts'
import { runConcurrently } from './random-stream.ts'
import { sampled } from './size.ts'

const processes = 8
/** Long enough for many processes that share two cores: a create that outlasts it has an unknown outcome. */
const leaseMs = 5_000
/** Starts of a subject in one process until a url is returned. */
const maxStarts = 20
const destination = 'https://app.example.test/webhooks'

/** When all responses of `create` are lost. */
type ResetAt = 'never' | 'before the kill' | 'after the kill'

const interruptions: readonly [what: string, resetAt: ResetAt][] = [
  ['a start', 'never'],
  ['a start, and every later create is reset,', 'after the kill'],
  ['the take-over of a start whose create was reset', 'before the kill'],
]

describeWith(engine.service, 'that processes that are killed leave one session for each person', () => {
  it.each(sampled(interruptions, 1))(
    'opens one session for each subject if a process is killed after any step of %s',
    async (_, resetAt) => {
      const { steps, resets } = await killAfterEachStep(resetAt)

      expect(steps).toContain(resetAt === 'before the kill' ? 'list 1' : 'create 1')
      expect(steps).toContain('onChange 1')
      expect(resets > 0).toBe(resetAt !== 'never')
    },
  )
})

/** What a start came to: an open session or an error. */
interface Started {
  readonly url: string | null
  readonly sessionId: string | null
  readonly error: string | null
}

type Change = readonly [from: string, to: string]

/** Processes that share an emulator and a store. The emulator delivers its webhooks to one process after the other. */
async function cluster() {
  const emulator = createEmulator({
    seed: 1,
    workflows: [{ id: 'wf_1', name: 'Identity', features: ['id_verification', 'liveness', 'face_match'] }],
    webhooks: {
      secret,
      destinations: [destination],
      retryAfterSeconds: [],
      deliver: async (...call) => {
        const { body, headers } = await deliveryOf(new Request(...call))
        const status = await next().request<number>({ deliver: { body, headers } })
        return new Response(null, { status })
      },
    },
  })
  const server = await emulator.listen()
  const service = await engine.start()
  const folder = await mkdtemp(join(tmpdir(), 'verifications-'))
  const log = join(folder, 'changes')
  await writeFile(log, '')
  const { fetch: _, ...overHttp } = emulator.options.verification
  const env = {
    STORE_URL: service.url,
    CLIENT: JSON.stringify({ ...overHttp, maxRetries: 0 }),
    SECRET: secret,
    CALLBACK: destination,
    LOG: log,
    LEASE_MS: String(leaseMs),
  }
  const start = (more: Readonly<Record<string, string>> = {}) =>
    startProcess('verification-user.mjs', { ...env, ...more })
  const workers = await startProcesses(processes, 'verification-user.mjs', env)
  onTestFinished(async () => {
    for (const worker of workers) worker.kill()
    await Promise.all(workers.map(({ ended }) => ended))
    await server.close()
    await service.remove()
    await rm(folder, { recursive: true })
  })

  let turn = 0
  const next = () => workers[turn++ % processes] as Process
  return {
    emulator,
    client: new VerificationClient(emulator.options.verification),
    workers,
    start,
    next,
    /** The changes for which onChange ran, in order, by subject. */
    async runs(): Promise<Map<string, Change[]>> {
      const runs = new Map<string, Change[]>()
      for (const line of (await readFile(log, 'utf8')).trim().split('\n')) {
        const [subject, ...change] = JSON.parse(line) as [string, ...Change]
        runs.set(subject, [...(runs.get(subject) ?? []), change])
      }
      return runs
    },
  }
}

const deliveryOf = async (request: Request) =>
  ({
    body: await request.text(),
    headers: Object.fromEntries(request.headers),
  }) satisfies WebhookDelivery

/** Kills a process after each step of a start, each time for another subject, which the other processes then start. */
async function killAfterEachStep(resetAt: ResetAt) {
  const { emulator, client, workers, start, next, runs } = await cluster()
  const startIn = async (worker: Process, subject: string) => {
    const [started] = await worker.request<Started[]>({ start: [subject] })
    return started as Started
  }
  const resetCreates = () =>
    emulator.faults.add({
      match: 'sessions.create',
      reset: true,
      when: 'after',
      times: Number.POSITIVE_INFINITY,
    })
  /** Leaves the subject as the interrupted process finds it. */
  const prepare = async (subject: string) => {
    if (resetAt !== 'before the kill') return
    resetCreates()
    expect((await startIn(next(), subject)).error).toMatch(/^ConnectionError: /)
    emulator.faults.clear()
  }

  await prepare('the first')
  const tracer = await start()
  await startIn(tracer, 'the first')
  const steps = await tracer.request<string[]>({ steps: true })
  tracer.kill()
  const subjects = steps.map((step) => `killed after ${step}`)
  for (const subject of subjects) await prepare(subject)
  await runConcurrently(steps.length, 4, async (i) => {
    const victim = await start({ SIGNAL_AT: `after ${steps[i]}` })
    const interrupted = startIn(victim, subjects[i] as string).catch(() => {})
    expect(await victim.ended, subjects[i]).toBe('SIGKILL')
    await interrupted
  })

  if (resetAt === 'after the kill') resetCreates()
  /** A caller that gets an error starts again. */
  const startUntilOpen = async (worker: Process, subject: string): Promise<string> => {
    for (let attempt = 1; ; attempt++) {
      const { url, error } = await startIn(worker, subject)
      if (url !== null) return url
      expect(error).toMatch(/^(Connection|Timeout)Error: /)
      expect(attempt, `starts of the subject ${subject} in one process`).toBeLessThan(maxStarts)
    }
  }
  await Promise.all(
    subjects.map(async (subject) => {
      const urls = await Promise.all(workers.map((worker) => startUntilOpen(worker, subject)))
      const sessions = await client.sessions.list({ vendor_data: subject })
      expect(sessions, subject).toHaveLength(1)
      expect(new Set(urls), subject).toEqual(new Set([sessions[0]?.url]))
    }),
  )
  await next().request({ reconcile: { olderThanMs: 0 } satisfies ReconcileOptions })
  const changes = await runs()
  for (const subject of subjects)
    expect(new Set(changes.get(subject)?.map(String)), subject).toEqual(new Set(['none,open']))
  const created = emulator.requests.filter(({ operation }) => operation === 'sessions.create')
  const resets = created.filter(({ status }) => status === undefined).length
  return { steps, resets }
}
