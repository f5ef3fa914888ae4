import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { describeWith, type ServiceName } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Service } from '../support/service-process.ts'
import { type App, emulated, startApp } from './emulated.ts'
import { describeInstalled, type Program, startProgram } from './program.ts'
import { type Visitor, visitor } from './visitor.ts'

interface Backend {
  /** The value of `QUEUE`. */
  readonly queue: string
  readonly needs: ServiceName
  readonly start: () => Promise<Service>
  /** The variable with the address of the service. */
  readonly setting: string
}

/** A queue that survives a restart, as the README of the example advises. */
const persistentRedis = () => startRedis({ appendonly: 'yes', appendfsync: 'always' })

describeInstalled('event-queues', () => {
  for (const backend of [
    { queue: 'bullmq', needs: 'redis-server', start: persistentRedis, setting: 'REDIS_URL' },
    { queue: 'pg-boss', needs: 'postgres', start: startPostgres, setting: 'DATABASE_URL' },
  ] satisfies Backend[])
    describeWith(backend.needs, `that events go through ${backend.queue}`, () => rules(backend))
})

function rules({ queue, start, setting }: Backend) {
  const clock = fileURLToPath(new URL('clock.mjs', import.meta.url))
  const service = emulated()
  const { emulator } = service
  let database: Service
  let port: number

  beforeAll(async () => {
    database = await start()
    port = await freePort()
  })

  afterAll(() => database?.remove())

  const settings = (more: Record<string, string> = {}) => ({
    ...service.settings,
    QUEUE: queue,
    [setting]: database.url,
    LEASE_MS: '2000',
    ...more,
  })

  async function anApp(more: Record<string, string> = {}): Promise<App> {
    const app = await startApp('event-queues', ['node', '--import', 'tsx', 'server.ts'], settings(more), port)
    onTestFinished(() => void app.end('SIGKILL'))
    return app
  }

  async function aWorker(): Promise<Program> {
    const worker = startProgram('event-queues', ['node', '--import', 'tsx', '--import', clock, 'worker.ts'], settings())
    onTestFinished(() => void worker.end('SIGKILL'))
    await worker.printed(/waiting for events/)
    return worker
  }

  async function deadLetters(...command: readonly string[]): Promise<string> {
    const program = startProgram('event-queues', ['node', '--import', 'tsx', 'dead-letters.ts', ...command], settings())
    expect(await program.ended, program.output()).toBe(0)
    return program.output()
  }

  /** Verifies a customer, up to the end of the webhook's first attempt. @returns the status of the response to it */
  async function verify({ url }: App, customer: string, choice = 'approve'): Promise<number | undefined> {
    const browser = visitor()
    const { next: hostedPage } = await browser.visit(`${url}/customers/${customer}/verification`, {})
    await browser.visit(hostedPage, { choice })
    await emulator.webhooks.settled()
    return emulator.webhooks.deliveries.at(-1)?.attempts[0]?.status
  }

  const outcome = async ({ url }: App, customer: string, browser: Visitor = visitor()) =>
    (await browser.visit(`${url}/customers/${customer}`)).text

  const becomes = (app: App, customer: string, expected: string) =>
    vi.waitFor(async () => expect(await outcome(app, customer)).toContain(expected), { timeout: 30_000 })

  const decisions = () => emulator.requests.filter(({ path }) => path.endsWith('/decision'))

  it('a worker that starts later processes the events that were verified on arrival', async () => {
    const app = await anApp()
    expect(await verify(app, 'ada')).toBe(200)
    expect(decisions()).toEqual([])

    const worker = await aWorker()

    await becomes(app, 'ada', 'approved')
    await worker.printed(/processed/)
  })

  it('a worker processes an event that is older than signatures are accepted', async () => {
    const app = await anApp()
    const worker = await aWorker()
    process.kill(worker.pid, 'SIGUSR2')
    await worker.printed(/clock moved by 3600000 ms/)

    expect(await verify(app, 'ann')).toBe(200)

    await becomes(app, 'ann', 'approved')
    await worker.printed(/processed/)
  })

  it('an event that is delivered twice is processed once', async () => {
    const app = await anApp()
    const worker = await aWorker()
    emulator.webhooks.faults.add({ kind: 'duplicate' })

    expect(await verify(app, 'bo', 'decline')).toBe(200)
    await worker.printed(/duplicate/)

    await becomes(app, 'bo', 'declined')
    expect(decisions()).toHaveLength(1)
  })

  it('a forged event gets a 400 and does not reach the queue', async () => {
    const app = await anApp()
    const worker = await aWorker()
    emulator.webhooks.faults.add({ kind: 'bad_signature' })

    expect(await verify(app, 'mallory')).toBe(400)
    expect(await verify(app, 'art')).toBe(200)

    await becomes(app, 'art', 'approved')
    await worker.printed(/processed/)
    expect(decisions()).toHaveLength(1)
    expect(await outcome(app, 'mallory')).toContain('open')
  })

  it('an event that fails is tried again', async () => {
    const app = await anApp()
    const worker = await aWorker()
    emulator.faults.add({ match: 'sessions.decision', status: 400, times: 2 })

    expect(await verify(app, 'cy')).toBe(200)

    await becomes(app, 'cy', 'approved')
    expect(worker.output().match(/^evt_\S+ failed$/gm)).toHaveLength(2)
  })

  it('an event that fails in every attempt becomes a dead letter, which can be retried', async () => {
    const app = await anApp({ ATTEMPTS: '2' })
    const worker = await aWorker()
    emulator.faults.add({ match: 'sessions.decision', status: 400, times: 2 })
    expect(await verify(app, 'dee')).toBe(200)

    await vi.waitFor(async () => expect(await deadLetters()).toContain('1 dead letters'), {
      timeout: 30_000,
    })
    expect(worker.output().match(/^evt_\S+ failed$/gm)).toHaveLength(2)
    expect(await outcome(app, 'dee')).toContain('open')
    expect(await deadLetters('retry')).toContain('0 dead letters')

    await becomes(app, 'dee', 'approved')
  })

  if (queue === 'pg-boss')
    it('a dead letter is kept for a year', async () => {
      const client = new pg.Client(database.url)
      await client.connect()
      const kept = "SELECT retention_seconds FROM pgboss.queue WHERE name = 'verification-events-dead'"
      expect((await client.query(kept)).rows).toEqual([{ retention_seconds: 31_536_000 }])
      await client.end()
    })

  it('an event whose worker is killed is processed by another worker', async () => {
    emulator.faults.add({ match: 'sessions.decision', delayMs: 60_000 })
    const app = await anApp()
    const first = await aWorker()
    expect(await verify(app, 'eve')).toBe(200)
    await vi.waitFor(() => expect(decisions()).toHaveLength(1), { timeout: 30_000 })

    await first.end('SIGKILL')
    await aWorker()

    await becomes(app, 'eve', 'approved')
  })

  it('a worker stops although the database of its queue is down', async () => {
    const worker = await aWorker()
    await database.stop('SIGINT')
    expect(await Promise.race([worker.end('SIGTERM'), setTimeout(20_000, 'still running')])).toBeTypeOf('number')
    await database.start()
  })

  it('a worker stops although the database of its queue is silent', async () => {
    const worker = await aWorker()
    database.signal('SIGSTOP')
    onTestFinished(() => database.signal('SIGCONT'))
    expect(await Promise.race([worker.end('SIGTERM'), setTimeout(20_000, 'still running')])).toBeTypeOf('number')
  })

  it('an event gets a 503 if the queue cannot store it, and is processed when it is sent again', async () => {
    const app = await anApp()
    const browser = visitor()
    const { next: hostedPage } = await browser.visit(`${app.url}/customers/flo/verification`, {})
    // Postgres waits for its connections to close on a SIGTERM, and not on a SIGINT.
    await database.stop('SIGINT')

    await browser.visit(hostedPage, { choice: 'approve' })
    await emulator.webhooks.settled()
    const [delivery] = emulator.webhooks.deliveries
    expect(delivery?.attempts.map(({ status }) => status)).toEqual([503])
    await database.start()
    await aWorker()
    await vi.waitFor(async () => expect((await emulator.webhooks.resend(String(delivery?.id))).delivered).toBe(true), {
      timeout: 30_000,
    })

    await becomes(app, 'flo', 'approved')
  })

  it('a worker finishes its events before it exits, and prints no secrets and no personal data', async () => {
    emulator.faults.add({ match: 'sessions.decision', delayMs: 500 })
    const app = await anApp()
    const worker = await aWorker()
    expect(await verify(app, 'person@example.com')).toBe(200)
    await vi.waitFor(() => expect(decisions()).toHaveLength(1), { timeout: 30_000 })

    expect(await worker.end('SIGTERM')).toBe(0)

    expect(await outcome(app, 'person@example.com')).toContain('approved')
    expect(await app.end('SIGTERM')).toBe(0)
    for (const output of [worker.output(), app.output()]) {
      expect(output).not.toMatch(/person@/)
      expect(output).not.toContain(service.settings.SVC_WEBHOOK_SECRET)
      expect(output).not.toContain(service.settings.SVC_API_KEY)
    }
  })
}
