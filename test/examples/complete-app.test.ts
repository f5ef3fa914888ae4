import { once } from 'node:events'
import { createServer } from 'node:http'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { OrgClient } from '../../src/index.ts'
import { runtimePath } from '../runtimes/binaries.ts'
import { images } from '../support/fixtures.ts'
import { patient } from '../support/patience.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Service } from '../support/service-process.ts'
import { type App, emulated, expectNoSecrets, startApp } from './emulated.ts'
import { describeInstalled, type Program, startProgram } from './program.ts'
import { type Visitor, visitor } from './visitor.ts'

/** OpenTelemetry 3 requires Node 22.15. */
const node = runtimePath('node-24')

describeInstalled('complete-app', () => {
  describeWith(['postgres', 'redis-server', 'node-24'], 'that the complete app works', rules)
})

function rules() {
  const users = ['ada', 'bo', 'cy', 'dee', 'eve', 'fay', 'gus', 'hal', 'joy', 'kim', 'lou'].map((sub) => ({ sub }))
  const service = emulated({ users })
  const { emulator } = service
  let postgres: Service
  let redis: Service
  let pool: pg.Pool
  let app: App
  let worker: Program
  let settings: Readonly<Record<string, string>>
  /** The names of the spans that were exported. */
  const spans: string[] = []
  const collector = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    spans.push(
      ...(Buffer.concat(chunks)
        .toString('latin1')
        .match(/[a-zA-Z]+\.[a-zA-Z]+/g) ?? []),
    )
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })

  beforeAll(async () => {
    postgres = await startPostgres()
    redis = await startRedis()
    pool = new pg.Pool({ connectionString: postgres.url })
    await once(collector.listen(0, '127.0.0.1'), 'listening')
    const address = collector.address()
    settings = {
      ...service.settings,
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      CHECKS_PER_DAY: '2',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${Object(address).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    }
    app = await startApp('complete-app', [node, 'server.ts'], settings)
    worker = await startWorker()
  })

  async function startWorker(more: Readonly<Record<string, string>> = {}): Promise<Program> {
    const program = startProgram('complete-app', [node, 'worker.ts'], { ...settings, PORT: String(app.port), ...more })
    await program.printed(/waiting for events/)
    return program
  }

  afterAll(async () => {
    collector.close()
    await Promise.all([app?.end('SIGKILL'), worker?.end('SIGKILL')])
    await pool?.end()
    await Promise.all([postgres?.remove(), redis?.remove()])
  })

  /** Returns the page after a sign-in. */
  async function signIn(browser: Visitor, user: string) {
    const { next: login } = await browser.visit(`${app.url}/`)
    const { next: consent } = await browser.visit(login)
    const { next: callback } = await browser.visit(consent, { user, choice: 'approve' })
    return browser.visit(callback)
  }

  /** A person who has signed in, and given an email. */
  async function member(user: string) {
    const browser = visitor()
    const { next: home } = await signIn(browser, user)
    expect(home).toBe(`${app.url}/`)
    await browser.visit(`${app.url}/email`, { email: `${user}@example.com` })
    return {
      page: async (path = '/') => browser.visit(app.url + path),
      post: async (path: string) => browser.visit(app.url + path, {}),
      verify: async () => (await browser.visit(`${app.url}/verification`, {})).next,
      choose: (hostedPage: string, choice: string) => browser.visit(hostedPage, { choice }),
      send(photo: Uint8Array<ArrayBuffer>) {
        const form = new FormData()
        form.set('image', new Blob([photo]), `${crypto.randomUUID()}.jpg`)
        return browser.visit(`${app.url}/document`, form)
      },
    }
  }

  const photo = (last: number) => Uint8Array.from([...images.jpeg, last])

  it('a person who is approved is in the roster, and sees what was closed before', async () => {
    const ada = await member('ada')
    expect((await ada.page('/wards')).status).toBe(403)

    await ada.choose(await ada.verify(), 'approve')
    await emulator.webhooks.settled()
    await vi.waitFor(async () => expect((await ada.page()).text).toContain('Verification: approved'), patient)

    expect(await ada.page('/wards')).toMatchObject({ status: 200, text: expect.stringContaining('the wards') })
    await vi.waitFor(
      () => expect(emulator.requests.map(({ operation }) => operation)).toContain('members.add'),
      patient,
    )
    expect(emulator.webhooks.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([200])
  })

  it('a member who was deactivated stays so after an approval', async () => {
    const org = new OrgClient(emulator.options.org)
    const email = 'hal@example.com'
    await org.members.add({ members: [{ email }] })
    await org.members.deactivate(email)
    const hal = await member('hal')

    await hal.choose(await hal.verify(), 'approve')
    await vi.waitFor(async () => expect((await hal.page()).text).toContain('Verification: approved'), patient)
    await worker.end('SIGTERM')
    worker = await startWorker()

    expect((await org.members.resolve({ email })).member).toMatchObject({ status: 'deactivated' })
  })

  it('a person who was removed from the roster is not added again by a renewal', async () => {
    const org = new OrgClient(emulator.options.org)
    await org.members.remove('ada@example.com', { permanent: true })
    const old = '"decidedAt":"2020-01-01T00:00:00Z"'
    const record = 'UPDATE svc_store SET value = regexp_replace(value, \'"decidedAt":"[^"]+"\', $1) WHERE key = $2'
    await pool.query(record, [old, 'verification:default:ada'])
    const ada = await member('ada')

    await ada.choose(await ada.verify(), 'approve')
    await vi.waitFor(async () => expect((await ada.page()).text).toContain('Verification: approved'), patient)
    await worker.end('SIGTERM')
    worker = await startWorker()

    expect((await org.members.resolve({ email: 'ada@example.com' })).found).toBe(false)
  })

  it('an email belongs to one account, in any spelling', async () => {
    const browser = visitor()
    await signIn(browser, 'lou')

    expect((await browser.visit(`${app.url}/email`, { email: 'ADA@Example.com' })).status).toBe(409)
    expect((await browser.visit(`${app.url}/email`, { email: 'lou@example.com' })).status).toBe(303)
  })

  it('a change that is saved again, after a later one, changes nothing', async () => {
    const { readAccount, saveChange } = await import('../../examples/complete-app/database.ts')
    const subject = 'ivy'
    await pool.query('INSERT INTO accounts (sub) VALUES ($1)', [subject])
    const open = { id: 'change-1', subject, to: 'open' } as const

    for (const change of [open, { id: 'change-2', subject, to: 'approved' } as const, open])
      await saveChange(pool, change)

    expect(await readAccount(pool, subject)).toMatchObject({ verification: 'approved' })
  })

  it('servers that start at once on an empty database create the tables', async () => {
    await pool.query('CREATE DATABASE others')
    const connectionString = new URL('others', postgres.url).href
    const pools = Array.from({ length: 8 }, () => new pg.Pool({ connectionString }))
    await Promise.all(pools.map((one) => one.query('SELECT 1')))
    const { createTables } = await import('../../examples/complete-app/database.ts')
    await Promise.all(pools.map((one) => createTables(one)))
    expect((await pools[0]?.query('SELECT * FROM session'))?.rows).toEqual([])
    await Promise.all(pools.map((one) => one.end()))
  })

  it('a person who returns before the webhook sees the outcome, and gets no second session', async () => {
    emulator.webhooks.faults.add({ kind: 'lost', times: Number.POSITIVE_INFINITY })
    const bo = await member('bo')

    const { next: back } = await bo.choose(await bo.verify(), 'approve')
    await bo.page(back.slice(app.url.length))

    expect((await bo.page()).text).toContain('Verification: approved')
    expect(await bo.verify()).toBe(`${app.url}/`)
  })

  it('a photo that is sent twice is billed once, and a third photo of a day is not sent', async () => {
    const cy = await member('cy')
    const billed = () => emulator.requests.filter(({ operation }) => operation === 'checks.idVerification')

    for (const last of [1, 1]) expect((await cy.send(photo(last))).status).toBe(303)
    const third = await cy.send(photo(2))

    expect((await cy.page()).text).toContain('Document: passed')
    expect(new Set(billed().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
    expect(third).toMatchObject({ status: 429, text: expect.stringContaining('Too many photos') })
    expect(billed()).toHaveLength(2)
  })

  it('an event that the queue cannot take gets a 503, and is delivered again', async () => {
    const dee = await member('dee')
    const hostedPage = await dee.verify()
    await redis.stop()

    await dee.choose(hostedPage, 'decline')
    await emulator.webhooks.settled()
    const [delivery] = emulator.webhooks.deliveries
    expect(delivery?.attempts.map(({ status }) => status)).toEqual([503])
    await redis.start()

    await vi.waitFor(async () => {
      await emulator.webhooks.resend(String(delivery?.id))
      expect(emulator.webhooks.deliveries[0]?.attempts.at(-1)?.status).toBe(200)
    }, patient)
    await vi.waitFor(async () => expect((await dee.page()).text).toContain('Verification: declined'), patient)
  })

  it('the outcome of a person who does not return is found if all webhooks are lost', async () => {
    emulator.webhooks.faults.add({ kind: 'lost', times: Number.POSITIVE_INFINITY })
    const fay = await member('fay')
    await fay.choose(await fay.verify(), 'approve')
    expect((await fay.page()).text).toContain('Verification: open')

    const often = await startWorker({ JOB_EVERY_MS: '500' })
    onTestFinished(() => void often.end('SIGKILL'))

    await vi.waitFor(async () => expect((await fay.page()).text).toContain('Verification: approved'), patient)
  })

  it('an account that is closed lets nobody in at once, and is deleted later, with what the app had added only', async () => {
    const org = new OrgClient(emulator.options.org)
    await org.members.add({ members: [{ email: 'kim@example.com' }] })
    const [joy, kim] = [await member('joy'), await member('kim')]
    for (const person of [joy, kim]) {
      const { next: back } = await person.choose(await person.verify(), 'approve')
      await person.page(back.slice(app.url.length))
      expect((await person.page('/wards')).status).toBe(200)
    }

    for (const person of [joy, kim]) await person.post('/close')
    expect((await joy.page('/wards')).next).toContain('/login')
    expect(await signIn(visitor(), 'joy')).toMatchObject({ status: 403 })
    // As after a crash while the person was being added, and before any job.
    await pool.query("UPDATE accounts SET roster = 'adding' WHERE sub = 'joy'")
    emulator.faults.add({ match: 'members.remove', status: 503 }) // so that another job has to do it
    const often = await startWorker({ JOB_EVERY_MS: '500' })
    onTestFinished(() => void often.end('SIGKILL'))
    const rows = async () => (await pool.query("SELECT 1 FROM accounts WHERE sub IN ('joy', 'kim')")).rows
    await vi.waitFor(async () => expect(await rows()).toEqual([]), patient)

    const isMember = async (name: string) => (await org.members.resolve({ email: `${name}@example.com` })).found
    expect([await isMember('joy'), await isMember('kim')]).toEqual([false, true])
    expect((await pool.query("SELECT 1 FROM svc_store WHERE key LIKE '%:joy'")).rows).toEqual([])
    expect((await joy.page()).next).toContain('/login')
  })

  it('a page responds with 503 in seconds if Postgres is silent', async () => {
    const eve = await member('eve')
    postgres.signal('SIGSTOP')
    onTestFinished(() => postgres.signal('SIGCONT'))

    expect((await eve.page()).status).toBe(503)
  })

  it('a fourth attempt within a day gets a 429', async () => {
    const gus = await member('gus')
    for (let attempt = 1; attempt <= 3; attempt++) {
      const { next: back } = await gus.choose(await gus.verify(), 'decline')
      await gus.page(back.slice(app.url.length))
    }

    const { status, text } = await gus.post('/verification')

    expect([status, text]).toEqual([429, expect.stringContaining('Too many attempts')])
  })

  it('both processes stop on SIGTERM, have exported their spans, and have printed no secrets', async () => {
    expect(await app.end('SIGTERM')).toBe(0)
    expect(await worker.end('SIGTERM')).toBe(0)

    expect(spans).toEqual(expect.arrayContaining(['sessions.create', 'sessions.decision', 'members.add']))
    for (const program of [app, worker]) {
      expectNoSecrets(program, service.settings)
      expect(program.output()).not.toContain('@example.com')
    }
  })
}
