import { fileURLToPath } from 'node:url'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import { type App, emulated, expectNoSecrets, startApp } from './emulated.ts'
import { type Visitor, visitor } from './visitor.ts'

describe('examples/sign-in', () => {
  const service = emulated({ users: [{ sub: 'ada' }, { sub: 'bo' }, { sub: 'cy' }] })
  const { emulator } = service
  const clock = fileURLToPath(new URL('clock.mjs', import.meta.url))

  /** Starts the app until the test ends. */
  async function start(more: Record<string, string> = {}): Promise<App> {
    const command = ['node', '--import', 'tsx', '--import', clock, 'server.ts']
    const app = await startApp('sign-in', command, { ...service.settings, ...more })
    onTestFinished(() => void app.end('SIGKILL'))
    return app
  }

  /** Advances the clocks of the emulator and of the app. */
  async function advanceAnHour(app: App) {
    await emulator.clock.advance(3_600_000)
    process.kill(app.pid, 'SIGUSR2')
    await app.printed(/clock moved/)
  }

  async function signIn({ url }: App, browser: Visitor, user: string, query = '') {
    const { next: consentPage } = await browser.visit(`${url}/login${query}`)
    const { next: callback } = await browser.visit(consentPage, { user, choice: 'approve' })
    const home = await browser.visit(callback)
    return { callback, home }
  }

  const refreshes = () => emulator.requests.filter(({ body }) => body?.includes('"refresh_token"'))

  it('shows who is signed in, only in that browser', async () => {
    const app = await start()
    const browser = visitor()
    const { callback, home } = await signIn(app, browser, 'ada', '?returnTo=/me')
    expect(home.next).toBe(`${app.url}/me`)
    expect(JSON.parse((await browser.visit(home.next)).text)).toMatchObject({ sub: 'ada' })

    const stranger = visitor()
    expect((await stranger.visit(`${app.url}/me`)).next).toBe(`${app.url}/login?returnTo=%2Fme`)
    expect(await stranger.visit(callback)).toMatchObject({
      status: 400,
      text: expect.stringContaining('state mismatch'),
    })
  })

  it('refreshes an expired token once for concurrent requests', async () => {
    const app = await start()
    const browser = visitor()
    await signIn(app, browser, 'bo')
    expect((await browser.visit(`${app.url}/account`)).status).toBe(200)
    expect(refreshes()).toHaveLength(0)

    await advanceAnHour(app)
    const responses = await Promise.all([1, 2, 3, 4].map(() => browser.visit(`${app.url}/account`)))

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { goodUntil } = JSON.parse(responses[0]?.text ?? '')
    expect(Date.parse(goodUntil)).toBeGreaterThan(emulator.clock.now().getTime())
    expect(refreshes()).toHaveLength(1)
  })

  it('redirects to the sign-in if the refresh token was rejected', async () => {
    const app = await start()
    const browser = visitor()
    await signIn(app, browser, 'cy')
    await advanceAnHour(app)
    emulator.faults.add({ match: 'oidc.refresh', status: 400, code: 'invalid_grant' })

    expect(await browser.visit(`${app.url}/account`)).toMatchObject({
      status: 302,
      next: `${app.url}/login?returnTo=%2Faccount`,
    })
    await app.printed(/refresh_rejected/)
  })

  it('deletes the session on logout', async () => {
    const app = await start()
    const browser = visitor()
    await signIn(app, browser, 'ada')

    expect(await browser.visit(`${app.url}/logout`, {})).toMatchObject({ status: 303 })

    expect((await browser.visit(`${app.url}/account`)).next).toBe(`${app.url}/login?returnTo=%2Faccount`)
  })

  it('exits on SIGTERM, and prints no secrets and no tokens', async () => {
    const app = await start()
    const browser = visitor()
    const { callback } = await signIn(app, browser, 'ada')
    await browser.visit(callback)
    await app.printed(/state_mismatch/)

    expect(await app.end('SIGTERM')).toBe(0)
    expectNoSecrets(app, service.settings)
  })

  describeWith('redis-server', 'that examples/sign-in keeps tokens in Redis, encrypted', () => {
    it('keeps sessions over a restart, stores no readable token, and deletes everything on logout', async () => {
      const redis = await startRedis()
      onTestFinished(() => redis.remove())
      const first = await start({ REDIS_URL: redis.url })
      const browser = visitor()
      await signIn(first, browser, 'ada')
      expect(await first.end('SIGTERM')).toBe(0)

      const second = await start({ REDIS_URL: redis.url })
      expect((await browser.visit(`${second.url}/account`)).status).toBe(200)

      const client = await createClient({ url: redis.url }).connect()
      onTestFinished(() => client.close())
      const kept = await Promise.all((await client.keys('*')).map((key) => client.get(key)))
      expect(kept.length).toBeGreaterThanOrEqual(2)
      expect(kept.join()).not.toMatch(/eyJ[\w-]+\.eyJ|refresh_token/)

      await browser.visit(`${second.url}/logout`, {})
      const left = await client.keys('*')
      // What stays is the mark that the sign-in was used, and only as long as its cookie is valid.
      expect(left).toEqual([expect.stringMatching(/^svc:\{..\}sign-in:/)])
      const [mark = ''] = left
      expect(await client.get(mark)).toMatch(/^[0-9a-f-]{36}$/)
      expect(await client.ttl(mark)).toBeGreaterThan(0)
      expect(await second.end('SIGTERM')).toBe(0)
    })
  })
})
