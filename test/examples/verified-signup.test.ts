import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startPostgres } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import type { Service } from '../support/service-process.ts'
import { type App, emulated, startApp } from './emulated.ts'
import { startProgram } from './program.ts'
import { visitor } from './visitor.ts'

describeWith('postgres', 'that people sign up and are verified once', () => {
  const service = emulated()
  const { emulator } = service
  let database: Service
  let pool: pg.Pool
  let app: App
  const settings = () => ({ ...service.settings, DATABASE_URL: database.url })

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url })
    app = await startApp('verified-signup', ['node', '--import', 'tsx', 'server.ts'], settings())
  })

  afterAll(async () => {
    await app?.end('SIGKILL')
    await pool?.end()
    await database?.remove()
  })

  const browser = visitor()

  /** @returns the address of the account's page */
  async function signUp(): Promise<string> {
    const { next } = await browser.visit(`${app.url}/accounts`, { email: 'person@example.com' })
    return next
  }

  /** Presses the button. @returns the address to which the person is sent */
  const verify = async (account: string) => (await browser.visit(`${account}/verification`, {})).next

  const stateOf = async (account: string) => {
    const { rows } = await pool.query('SELECT verification FROM accounts WHERE id = $1', [idOf(account)])
    return rows[0]?.verification
  }

  const logOf = async (account: string) => {
    const { rows } = await pool.query('SELECT entry FROM account_log WHERE account = $1', [idOf(account)])
    return rows.map(({ entry }) => entry)
  }

  const idOf = (account: string) => account.split('/').at(-1)

  async function reconcile(): Promise<string> {
    const job = startProgram('verified-signup', ['node', '--import', 'tsx', 'reconcile.ts'], {
      ...settings(),
      PUBLIC_URL: app.url,
      OLDER_THAN_MS: '0',
    })
    onTestFinished(() => void job.end('SIGKILL'))
    expect(await job.ended, job.output()).toBe(0)
    return job.output()
  }

  it('a person who is approved sees what was closed before', async () => {
    const account = await signUp()
    expect(await browser.visit(`${account}/wine`)).toMatchObject({
      status: 403,
      text: '<p>Not verified: none</p>',
    })

    const { next: back } = await browser.visit(await verify(account), { choice: 'approve' })
    await emulator.webhooks.settled()
    const { next: page } = await browser.visit(back)

    expect((await browser.visit(page)).text).toContain('Verification: approved')
    expect(await browser.visit(`${account}/wine`)).toMatchObject({
      status: 200,
      text: '<p>Welcome. Here is the wine.</p>',
    })
    expect(await logOf(account)).toEqual(['verification.approved'])
  })

  it.each([
    ['no body', {}],
    ['an email that is empty', { body: new URLSearchParams({ email: '' }) }],
    ['two emails', { body: new URLSearchParams('email=a@example.com&email=b@example.com') }],
    ['JSON', { body: '{"email":"a@example.com"}', headers: { 'content-type': 'application/json' } }],
  ])('a sign-up with %s gets a 400 that says what is missing, and creates no account', async (_, init) => {
    const { rows: before } = await pool.query('SELECT FROM accounts')

    const response = await fetch(`${app.url}/accounts`, { method: 'POST', ...init })

    expect([response.status, await response.text()]).toEqual([400, '<p>The email is missing.</p>'])
    expect((await pool.query('SELECT FROM accounts')).rows).toHaveLength(before.length)
  })

  it('a second click resumes the session, and a person who is approved gets no other', async () => {
    const account = await signUp()
    const first = await verify(account)

    expect(await verify(account)).toBe(first)
    await browser.visit(first, { choice: 'approve' })
    await emulator.webhooks.settled()

    expect(await verify(account)).toBe(account)
    expect(emulator.requests.filter(({ operation }) => operation === 'sessions.create')).toHaveLength(1)
  })

  it('an event that is delivered twice is logged once', async () => {
    const account = await signUp()
    emulator.webhooks.faults.add({ kind: 'duplicate' })

    await browser.visit(await verify(account), { choice: 'decline' })
    await emulator.webhooks.settled()

    expect(emulator.webhooks.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([200, 200])
    expect(await logOf(account)).toEqual(['verification.declined'])
    expect(await stateOf(account)).toBe('declined')
  })

  it('an event whose row cannot be written is delivered again, and is then logged once', async () => {
    const account = await signUp()
    const hostedPage = await verify(account)
    await pool.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON account_log FOR EACH ROW EXECUTE FUNCTION refuse()`)

    await browser.visit(hostedPage, { choice: 'approve' })
    await emulator.webhooks.settled()
    await pool.query('DROP TRIGGER refuse ON account_log')
    await emulator.clock.advance(10_000)

    expect(emulator.webhooks.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([500, 200])
    expect(await logOf(account)).toEqual(['verification.approved'])
  })

  it('if all webhooks are lost, a person who returns sees the outcome', async () => {
    emulator.webhooks.faults.add({ kind: 'lost', times: Number.POSITIVE_INFINITY })
    const account = await signUp()

    const { next: back } = await browser.visit(await verify(account), { choice: 'approve' })
    expect(await stateOf(account)).toBe('open')
    const { next: page } = await browser.visit(back)

    expect(page).toBe(account)
    expect((await browser.visit(page)).text).toContain('Verification: approved')
  })

  it('if all webhooks are lost, the job finds the outcomes of those who do not return', async () => {
    emulator.webhooks.faults.add({ kind: 'lost', times: Number.POSITIVE_INFINITY })
    const [approved, declined] = [await signUp(), await signUp()]
    await browser.visit(await verify(approved), { choice: 'approve' })
    await browser.visit(await verify(declined), { choice: 'decline' })
    expect([await stateOf(approved), await stateOf(declined)]).toEqual(['open', 'open'])

    const printed = await reconcile()

    expect([await stateOf(approved), await stateOf(declined)]).toEqual(['approved', 'declined'])
    expect(printed).toContain(`${idOf(approved)} approved`)
    expect(printed).toMatch(/^2 visited, 2 changed, 0 failed$/m)
    expect(await reconcile()).toMatch(/^0 visited, 0 changed, 0 failed$/m)
  })

  it('a forged return URL changes nothing', async () => {
    const account = await signUp()
    await verify(account)

    await browser.visit(`${account}?session_id=sess_1&status=APPROVED`)

    expect(await stateOf(account)).toBe('open')
    expect((await browser.visit(`${account}/wine`)).status).toBe(403)
  })

  it('a fourth attempt within a day gets a 429', async () => {
    const account = await signUp()
    for (let attempt = 1; attempt <= 3; attempt++) {
      await browser.visit(await verify(account), { choice: 'decline' })
      await emulator.webhooks.settled()
    }

    const { status, text } = await browser.visit(`${account}/verification`, {})

    expect(status).toBe(429)
    expect(text).toContain('Too many attempts')
  })

  it('the app stops on SIGTERM, and has printed no secrets and no personal data', async () => {
    const own = await startApp('verified-signup', ['node', '--import', 'tsx', 'server.ts'], settings())
    onTestFinished(() => void own.end('SIGKILL'))

    expect(await own.end('SIGTERM')).toBe(0)
    for (const output of [own.output(), app.output()]) {
      expect(output).not.toContain('person@')
      expect(output).not.toContain(service.settings.SVC_API_KEY)
      expect(output).not.toContain(service.settings.SVC_WEBHOOK_SECRET)
    }
  })
})
