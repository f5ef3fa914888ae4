import { expect, it, onTestFinished } from 'vitest'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import { type App, emulated, expectNoSecrets, startApp } from './emulated.ts'
import { describeInstalled } from './program.ts'
import { type Visitor, visitor } from './visitor.ts'

describeInstalled('passport', () => {
  const service = emulated({ users: [{ sub: 'ada' }] })
  const { emulator } = service

  /** Starts the app until the test ends. */
  async function start(more: Record<string, string> = {}, port?: number): Promise<App> {
    const app = await startApp(
      'passport',
      ['node', '--import', 'tsx', 'server.ts'],
      { ...service.settings, ...more },
      port,
    )
    onTestFinished(() => void app.end('SIGKILL'))
    return app
  }

  async function signIn({ url }: App, browser: Visitor, choice = 'approve') {
    const { next: consentPage } = await browser.visit(`${url}/login`)
    const { next: callback } = await browser.visit(consentPage, { user: 'ada', choice })
    return { callback, page: await browser.visit(callback) }
  }

  it('shows who is signed in, only in that browser', async () => {
    const app = await start()
    const browser = visitor()
    const { callback, page } = await signIn(app, browser)

    expect(page).toMatchObject({ status: 302, next: `${app.url}/` })
    expect((await browser.visit(`${app.url}/me`)).text).toBe('{"sub":"ada"}')
    const stranger = visitor()
    expect((await stranger.visit(`${app.url}/me`)).next).toBe(`${app.url}/login`)
    expect(await stranger.visit(callback)).toMatchObject({
      status: 400,
      text: expect.stringContaining('Sign in again'),
    })
  })

  it('the session has a new id after the sign-in, and the old id is worthless', async () => {
    const { url } = await start()
    const get = async (address: string, cookie: string) => {
      const { headers } = await fetch(address, { headers: { cookie }, redirect: 'manual' })
      return { cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '', next: headers.get('location') ?? '' }
    }
    const before = await get(`${url}/login`, '')
    const { next: callback } = await visitor().visit(before.next, { user: 'ada', choice: 'approve' })

    const after = await get(callback, before.cookie)

    expect([before.cookie, after.cookie]).toEqual([
      expect.stringMatching(/^connect\.sid=/),
      expect.stringMatching(/^connect\.sid=/),
    ])
    expect((await get(`${url}/me`, before.cookie)).next).toBe('/login')
    expect((await get(`${url}/me`, after.cookie)).next).toBe('')
  })

  it('a callback is accepted once', async () => {
    const app = await start()
    const browser = visitor()
    const { callback } = await signIn(app, browser)

    expect((await browser.visit(callback)).status).toBe(400)
    await app.printed(/state_mismatch/)
  })

  it('a person who declines can sign in again', async () => {
    const app = await start()

    const { page } = await signIn(app, visitor(), 'deny')

    expect(page).toMatchObject({ status: 400, text: expect.stringContaining('href="/login"') })
    await app.printed(/authorization_error/)
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

  it('logs the id of a request that failed, and offers another sign-in', async () => {
    const app = await start()
    emulator.faults.add({ match: 'oidc.exchangeCode', status: 503 })

    const { page } = await signIn(app, visitor())

    expect(page).toMatchObject({ status: 502, text: expect.stringContaining('href="/login"') })
    await app.printed(/"requestId":"req_/)
  })

  it('exits on SIGTERM, and prints no secrets and no tokens', async () => {
    const app = await start()
    const browser = visitor()
    const { callback } = await signIn(app, browser)
    await browser.visit(callback)
    await app.printed(/state_mismatch/)

    expect(await app.end('SIGTERM')).toBe(0)
    expectNoSecrets(app, service.settings)
  })

  describeWith('redis-server', 'that examples/passport keeps sessions in Redis', () => {
    it('keeps sessions over a restart', async () => {
      const redis = await startRedis()
      onTestFinished(() => redis.remove())
      const first = await start({ REDIS_URL: redis.url })
      const browser = visitor()
      await signIn(first, browser)
      expect(await first.end('SIGTERM')).toBe(0)

      const second = await start({ REDIS_URL: redis.url }, first.port)

      expect((await browser.visit(`${second.url}/me`)).text).toBe('{"sub":"ada"}')
      expect(await second.end('SIGTERM')).toBe(0)
    })
  })
})
