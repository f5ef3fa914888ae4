import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { startPostgres } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import { type App, emulated, expectNoSecrets, startApp } from './emulated.ts'
import { describeInstalled } from './program.ts'
import { type Visitor, visitor } from './visitor.ts'

describeInstalled('better-auth', () => {
  const service = emulated({ users: [{ sub: 'ada' }, { sub: 'ADA' }] })
  const { emulator } = service

  /** Starts the app until the test ends. */
  async function start(more: Record<string, string> = {}, port?: number): Promise<App> {
    const command = ['node', '--import', 'tsx', 'server.ts']
    const app = await startApp('better-auth', command, { ...service.settings, ...more }, port)
    onTestFinished(() => void app.end('SIGKILL'))
    return app
  }

  async function signIn({ url }: App, browser: Visitor, { user = 'ada', choice = 'approve' } = {}) {
    const { next: consentPage } = await browser.visit(`${url}/login`)
    const { next: callback } = await browser.visit(consentPage, { user, choice })
    return { consentPage, callback, page: await browser.visit(callback) }
  }

  const me = async ({ url }: App, browser: Visitor) => JSON.parse((await browser.visit(`${url}/me`)).text)

  it('shows who is signed in, only in that browser', async () => {
    const app = await start()
    const browser = visitor()
    const { callback, page } = await signIn(app, browser)

    expect(page.next).toBe(`${app.url}/`)
    expect(await me(app, browser)).toMatchObject({ sub: 'ada' })
    const stranger = visitor()
    const { next } = await stranger.visit(callback)
    expect((await stranger.visit(next)).status).toBe(400)
    expect((await stranger.visit(`${app.url}/me`)).next).toBe(`${app.url}/login`)
  })

  it('binds the sign-in to state and PKCE verifier', async () => {
    const app = await start()
    const { consentPage } = await signIn(app, visitor())

    expect(Object.fromEntries(new URL(consentPage).searchParams)).toMatchObject({
      scope: 'openid',
      state: expect.stringMatching(/./),
      code_challenge_method: 'S256',
    })
    const [exchange] = emulator.requests.filter(({ operation }) => operation === 'oidc.exchangeCode')
    expect(exchange?.body).toContain('"code_verifier"')
  })

  it('a person is the same user at each sign-in, and no other', async () => {
    const app = await start()
    const browsers = [visitor(), visitor(), visitor()] as const
    await signIn(app, browsers[0])
    await signIn(app, browsers[1])
    await signIn(app, browsers[2], { user: 'ADA' })

    const [first, again, other] = await Promise.all(browsers.map((browser) => me(app, browser)))

    expect(again).toEqual(first)
    expect(other.sub).toBe('ADA')
    expect(other.id).not.toBe(first.id)
  })

  it('a person who declines can sign in again', async () => {
    const app = await start()
    const browser = visitor()

    const { page } = await signIn(app, browser, { choice: 'deny' })

    expect(await browser.visit(page.next)).toMatchObject({
      status: 400,
      text: expect.stringContaining('href="/login"'),
    })
  })

  it('logs the id of a request that failed, and offers another sign-in', async () => {
    const app = await start()
    const browser = visitor()
    emulator.faults.add({ match: 'oidc.exchangeCode', status: 503 })

    const { page } = await signIn(app, browser)

    expect((await browser.visit(page.next)).status).toBe(400)
    await app.printed(/"requestId":"req_/)
  })

  it('the end of a session says what it does not end', async () => {
    const app = await start()
    const browser = visitor()
    await signIn(app, browser)

    const { status, next } = await browser.visit(`${app.url}/logout`, {})

    expect(status).toBe(303)
    expect((await browser.visit(next)).text).toContain('You may still be signed in at the identity service')
    expect((await browser.visit(`${app.url}/me`)).next).toBe(`${app.url}/login`)
  })

  it('exits on SIGTERM, and prints no secrets and no tokens', async () => {
    const app = await start()
    const { callback } = await signIn(app, visitor())
    await visitor().visit(callback)
    await app.printed(/Failed to parse state/)

    expect(await app.end('SIGTERM')).toBe(0)
    expectNoSecrets(app, service.settings)
  })

  describeWith('postgres', 'that examples/better-auth keeps users and sessions in PostgreSQL', () => {
    it('keeps sessions over a restart, and stores no access token', async () => {
      const database = await startPostgres()
      onTestFinished(() => database.remove())
      const first = await start({ DATABASE_URL: database.url })
      const browser = visitor()
      await signIn(first, browser)
      expect(await first.end('SIGTERM')).toBe(0)

      const second = await start({ DATABASE_URL: database.url }, first.port)

      expect(await me(second, browser)).toMatchObject({ sub: 'ada' })
      const pool = new pg.Pool({ connectionString: database.url })
      onTestFinished(() => pool.end())
      const { rows } = await pool.query('SELECT "accessToken", "refreshToken" FROM account')
      expect(rows).toEqual([{ accessToken: null, refreshToken: null }])
      expect(await second.end('SIGTERM')).toBe(0)
    })
  })
})
