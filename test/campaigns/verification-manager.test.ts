import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import {
  type Decision,
  type ReconcileOptions,
  type ReconcileSummary,
  type Verification,
  VerificationClient,
} from '../../src/index.ts'
import type { WebhookDelivery } from '../../src/webhooks.ts'
import { describeWith } from '../support/programs.ts'
import { secret } from '../support/webhook.ts'
import { type Engine, engines } from './engines.ts'
import { type Process, ProcessEnded, startProcess, startProcesses } from './process.ts'
import { runConcurrently, Tally } from './random-stream.ts'
import { sampled, sized } from './size.ts'

const processes = 8
const people = sized(10_000)
/** People whose verifications are in progress at the same time. */
const atOnce = 48
/** After so many people, a process at random is killed, and another one starts. */
const peoplePerKill = sized(400)
/** Long enough for many processes that share two cores: a create that outlasts it has an unknown outcome. */
const leaseMs = 5_000
/** A busy machine with few cores takes many minutes. */
const longestCampaignMs = 1_800_000
/** Starts of a subject in one process until a url is returned. */
const maxStarts = 20
const destination = 'https://app.example.test/webhooks'
const metadataCanary = 'canary of the metadata'

/** When all responses of `create` are lost. */
type ResetAt = 'never' | 'before the kill' | 'after the kill'

const interruptions: readonly [what: string, resetAt: ResetAt][] = [
  ['a start', 'never'],
  ['a start, and every later create is reset,', 'after the kill'],
  ['the take-over of a start whose create was reset', 'before the kill'],
]

for (const engine of engines) {
  // The tests of the store cover the differences between the two Redis clients.
  if (engine.name === 'Redis (ioredis)') continue
  describeWith(engine.service, `that many processes verify each person once on ${engine.name}`, () => {
    it(`creates 100 sessions for 1,000 concurrent starts of 100 subjects in ${processes} processes on ${engine.name}`, async () => {
      const { client, workers } = await cluster(engine, { leaseMs: 60_000 })
      const starts = Array.from({ length: 1_000 }, (_, n) => `person-${n % 100}`)
      const startedAt = performance.now()

      const results = await Promise.all(
        workers.map(async (worker, w) => {
          const subjects = starts.filter((_, n) => n % processes === w)
          const started = await worker.request<Started[]>({ start: subjects })
          return started.map(({ url, error }, i) => ({ url, error, subject: subjects[i] }))
        }),
      )

      const ms = Math.round(performance.now() - startedAt)
      const sessions = await client.sessions.list()
      expect(sessions).toHaveLength(100)
      const urls = new Map(sessions.map(({ vendor_data, url }) => [vendor_data, url]))
      expect(urls.size).toBe(100)
      const wrong = results.flat().filter(({ subject, url }) => url === null || url !== urls.get(subject))
      expect(wrong).toEqual([])
      console.log(
        `${engine.name}: 1,000 starts of 100 subjects in ${processes} processes, ${sessions.length} sessions, each start ended with the url of its subject, ${ms} ms`,
      )
    })

    it.each(sampled(interruptions, 1))(
      `opens one session for each subject if a process is killed after any step of %s on ${engine.name}`,
      async (interrupted, resetAt) => {
        const { steps, resets, starts, restarts, ms } = await killAfterEachStep(engine, resetAt)

        expect(steps).toContain(resetAt === 'before the kill' ? 'list 1' : 'create 1')
        expect(steps).toContain('onChange 1')
        expect(resets > 0).toBe(resetAt !== 'never')
        console.log(
          `${engine.name}: killed after each of ${steps.length} steps of ${interrupted} (${steps.join(', ')}), ${resets} creates reset, ${starts} starts, of which ${restarts} again after an error, each subject got one url and has one session, ${ms} ms`,
        )
      },
    )

    it(
      `one reconcile repairs what lost webhooks and killed processes left for ${people} subjects on ${engine.name}`,
      async () => {
        const { verifications, runs, last, interrupted, decisions, openSessions, totals, texts, canaries, figures } =
          await lossyCampaign(engine)

        expect(totals.failed).toBe(0)
        expect(verifications).toHaveLength(people)
        const wrong = verifications.filter((one) => {
          const { id, status } = last.get(one.subject) as SessionEnd
          return one.sessionId !== id || one.state !== stateOf[status] || differs(one, decisions.get(id))
        })
        expect(wrong).toEqual([])
        expect([...openSessions].filter(([, count]) => count > 1)).toEqual([])

        let repeated = 0
        for (const { subject, state } of verifications) {
          const changes = runs.get(subject) ?? []
          const once = changes.filter((change, i) => change.join() !== changes[i - 1]?.join())
          repeated += changes.length - once.length
          // Only a process that was killed after onChange leaves the change for another run.
          if (!interrupted.has(subject)) expect(changes, subject).toEqual(once)
          // Each change continues the one before it, so none is missing.
          const continued = once.every(([from], i) => from === (once[i - 1]?.[1] ?? 'none'))
          const downgraded = once.some(([from]) => from === 'approved')
          expect([subject, continued, downgraded, once.at(-1)?.[1]]).toEqual([subject, true, false, state])
        }

        expect(texts.length).toBeGreaterThanOrEqual(people)
        expect(canaries.length).toBeGreaterThan(5)
        expect(texts.filter((text) => canaries.some((canary) => text.includes(canary)))).toEqual([])
        console.log(
          `${engine.name}: ${figures}; each record equals the service, ${repeated} changes delivered again after a kill, 0 missing, 0 approvals downgraded, none of ${canaries.length} canaries in ${texts.length} stored values`,
        )
      },
      longestCampaignMs,
    )
  })
}

/** What a start came to: an open session or an error. */
interface Started {
  readonly url: string | null
  readonly sessionId: string | null
  readonly error: string | null
}

type Change = readonly [from: string, to: string]

/** Processes that share an emulator and a store. The emulator delivers its webhooks to one process after the other. */
async function cluster(engine: Engine, { leaseMs }: { leaseMs: number }) {
  const tally = new Tally()
  const emulator = createEmulator({
    seed: 1,
    workflows: [{ id: 'wf_1', name: 'Identity', features: ['id_verification', 'liveness', 'face_match'] }],
    webhooks: {
      secret,
      destinations: [destination],
      retryAfterSeconds: [],
      deliver: async (...call) => {
        const { body, headers } = await deliveryOf(new Request(...call))
        const status = (await reply<number>(subjectOf(body), { deliver: { body, headers } })) ?? 502
        if (status !== 200) tally.add(`responses ${status}`)
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
    STORE: engine.name,
    STORE_URL: service.url,
    CLIENT: JSON.stringify({ ...overHttp, maxRetries: 0 }),
    SECRET: secret,
    CALLBACK: destination,
    METADATA: metadataCanary,
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
  const interrupted = new Set<string>()
  /** Sends a request about a subject to the next process. Returns undefined if that process ends before it replies. */
  const reply = async <Result>(subject: string, request: object): Promise<Result | undefined> => {
    try {
      return await next().request<Result>(request)
    } catch (error) {
      if (!(error instanceof ProcessEnded)) throw error
      interrupted.add(subject)
      tally.add('requests interrupted')
      return undefined
    }
  }

  return {
    emulator,
    tally,
    client: new VerificationClient(emulator.options.verification),
    workers,
    start,
    next,
    reply,
    /** The subjects of requests that a kill interrupted. */
    interrupted,
    /** Kills a process at random, and starts another one. */
    async killOne() {
      const i = Math.floor(Math.random() * processes)
      workers[i]?.kill()
      workers[i] = await start()
      tally.add('processes killed')
    },
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

const subjectOf = (body: string) => (JSON.parse(body) as { vendor_data: string }).vendor_data

/** Kills a process after each step of a start, each time for another subject, which the other processes then start. */
async function killAfterEachStep(engine: Engine, resetAt: ResetAt) {
  const startedAt = performance.now()
  const { emulator, client, workers, start, next, runs } = await cluster(engine, { leaseMs })
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

  let [starts, restarts] = [0, 0]
  if (resetAt === 'after the kill') resetCreates()
  /** A caller that gets an error starts again. */
  const startUntilOpen = async (worker: Process, subject: string): Promise<string> => {
    for (let attempt = 1; ; attempt++) {
      starts++
      const { url, error } = await startIn(worker, subject)
      if (url !== null) return url
      expect(error).toMatch(/^(Connection|Timeout)Error: /)
      expect(attempt, `starts of the subject ${subject} in one process`).toBeLessThan(maxStarts)
      restarts++
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
  const ms = Math.round(performance.now() - startedAt)
  const created = emulator.requests.filter(({ operation }) => operation === 'sessions.create')
  const resets = created.filter(({ status }) => status === undefined).length
  return { steps, starts, resets, restarts, ms }
}

/** What happens to a person, session by session. */
const courses = [
  { share: 0.45, sessions: [['APPROVED']] },
  { share: 0.15, sessions: [['DECLINED']] },
  { share: 0.15, sessions: [['IN_REVIEW', 'APPROVED']] },
  { share: 0.05, sessions: [['IN_REVIEW', 'DECLINED']] },
  { share: 0.05, sessions: [['IN_REVIEW']] },
  { share: 0.1, sessions: [['ABANDONED'], ['APPROVED']] },
  { share: 0.05, sessions: [[]] },
] as const

/** People who return to a page that refreshes their verification. */
const shareOfReturns = 0.3

/** What happens to 30 % of the webhooks. */
const webhookFaults = [
  { share: 0.1, name: 'lost', kind: 'lost' },
  { share: 0.04, name: 'too old', kind: 'late' },
  { share: 0.06, name: 'duplicate', kind: 'duplicate' },
  { share: 0.05, name: 'after another webhook', kind: 'out_of_order' },
  // Held back until the person is done, then delivered with a new signature.
  { share: 0.05, name: 'late', kind: 'lost' },
] as const

function pick<Choice extends { readonly share: number }>(choices: readonly Choice[]): Choice | undefined {
  let left = Math.random()
  return choices.find(({ share }) => {
    left -= share
    return left < 0
  })
}

/** The states of verifications by the status of their session. */
const stateOf = {
  NOT_STARTED: 'open',
  IN_REVIEW: 'in_review',
  APPROVED: 'approved',
  DECLINED: 'declined',
  ABANDONED: 'ended',
} as const

/** A session of a person at the end of the campaign. */
interface SessionEnd {
  readonly id: string
  readonly status: keyof typeof stateOf
}

/** Leads many people through their sessions, with lost webhooks and killed processes, then reconciles once. */
async function lossyCampaign(engine: Engine) {
  const { emulator, client, tally, next, reply, interrupted, killOne, runs } = await cluster(engine, {
    leaseMs,
  })
  const last = new Map<string, SessionEnd>()

  /** Starts until there is a session, as a person would press the button again. */
  const startUntilOpen = async (subject: string): Promise<string> => {
    for (;;) {
      const started = await reply<Started>(subject, { refreshAndStart: subject })
      if (typeof started?.sessionId === 'string') return started.sessionId
      tally.add('starts repeated')
      await pause(20)
    }
  }
  const lead = async (subject: string) => {
    const late: string[] = []
    for (const statuses of pick(courses)?.sessions ?? []) {
      const id = await startUntilOpen(subject)
      last.set(subject, { id, status: 'NOT_STARTED' })
      for (const status of statuses) {
        const fault = pick(webhookFaults)
        if (fault) emulator.webhooks.faults.add({ kind: fault.kind })
        tally.add(fault ? `webhooks ${fault.name}` : 'webhooks in order')
        const completed = emulator.sessions.complete(id, status)
        const delivery = emulator.webhooks.deliveries.at(-1)
        if (fault?.name === 'late' && delivery) late.push(delivery.id)
        // The page to which the person returns may refresh while the webhook is being delivered.
        const returns = Math.random() < shareOfReturns
        await Promise.all([completed, returns && reply(subject, { refresh: subject })])
        last.set(subject, { id, status })
      }
    }
    for (const id of late) await emulator.webhooks.resend(id)
  }

  const subjects = Array.from({ length: people }, (_, n) => `person-${n}`)
  let done = 0
  let kills = Promise.resolve()
  const startedAt = performance.now()
  await runConcurrently(people, atOnce, async (n) => {
    await lead(subjects[n] as string)
    if (++done % peoplePerKill === 0) kills = kills.then(killOne)
  })
  await kills
  await emulator.webhooks.settled()
  const ledAt = performance.now()
  const totals = await next().request<ReconcileSummary>({
    reconcile: { olderThanMs: 0, concurrency: 16 } satisfies ReconcileOptions,
  })
  const reconciledAt = performance.now()

  const decisions = new Map<string, Decision>()
  await runConcurrently(people, atOnce, async (n) => {
    const { id } = last.get(subjects[n] as string) as SessionEnd
    decisions.set(id, await client.sessions.decision(id))
  })
  const openSessions = new Map<unknown, number>()
  for (const { vendor_data } of await client.sessions.list({ status: 'NOT_STARTED' }))
    openSessions.set(vendor_data, (openSessions.get(vendor_data) ?? 0) + 1)
  const counts = Object.entries(tally.counts).map(([name, count]) => `${count} ${name}`)
  const { visited, changed } = totals
  return {
    verifications: await next().request<Verification[]>({ get: subjects }),
    runs: await runs(),
    last,
    interrupted,
    decisions,
    openSessions,
    totals,
    texts: await next().request<string[]>({ dump: true }),
    canaries: [...canariesOf(decisions.values()), metadataCanary, 'stok_'],
    figures: `${people} subjects, ${counts.join(', ')}, ${Math.round(ledAt - startedAt)} ms; one reconcile visited ${visited} and changed ${changed}, ${Math.round(reconciledAt - ledAt)} ms`,
  }
}

/** Whether a verification differs from what the service says about its session. */
function differs({ decidedAt, checks }: Verification, decision: Decision | undefined): boolean {
  const expected = decision?.checks.map(({ type, status }) => ({ type, status }))
  return (decision?.decided_at ?? null) !== decidedAt || JSON.stringify(expected) !== JSON.stringify(checks)
}

/** The texts of more than five characters in the data of checks. */
function canariesOf(decisions: Iterable<Decision>): Set<string> {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value === 'string' && value.length > 5) found.add(value)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit)
  }
  for (const { checks } of decisions) for (const { data } of checks) visit(data)
  return found
}
