import { expect, it, onTestFinished } from 'vitest'
import { type App, emulated, expectNoSecrets, startApp } from './emulated.ts'
import { describeInstalled } from './program.ts'
import { type Visitor, visitor } from './visitor.ts'

describeInstalled('authjs', () => {
  const service = emulated({ users: [{ sub: 'ada' }] })
  const { emulator } = service

  /** Starts the app until the test ends. */
  async function start(port?: number): Promise<App> {
    const app = await startApp('authjs', ['node', '--import', 'tsx', 'server.ts'], service.settings, port)
    onTestFinished(() => void app.end('SIGKILL'))
    return app
  }

  /** Presses the button of a page of Auth.js. */
  async function press(browser: Visitor, page: string) {
    const { text } = await browser.visit(page)
    const [, action = ''] = /<form action="([^"]+)"/.exec(text) ?? []
    const [, csrfToken = ''] = /name="csrfToken" value="([^"]+)"/.exec(text) ?? []
    return browser.visit(new URL(action, page).href, { csrfToken })
  }

  async function signIn({ url }: App, browser: Visitor, choice = 'approve') {
    const { next: signInPage } = await browser.visit(`${url}/me`)
    const { next: consentPage } = await press(browser, signInPage)
    const { next: callback } = await browser.visit(consentPage, { user: 'ada', choice })
    return { consentPage, callback, page: await browser.visit(callback) }
  }

  it('shows who is signed in, only in that browser', async () => {
    const app = await start()
    const browser = visitor()
    const { callback, page } = await signIn(app, browser)

    expect(page.next).toBe(`${app.url}/me`)
    expect((await browser.visit(`${app.url}/me`)).text).toBe('{"id":"ada"}')
    const stranger = visitor()
    await stranger.visit(callback)
    expect((await stranger.visit(`${app.url}/me`)).next).toContain('/auth/signin')
  })

  it('binds the sign-in to state, nonce and PKCE verifier', async () => {
    const app = await start()
    const { consentPage } = await signIn(app, visitor())

    expect(Object.fromEntries(new URL(consentPage).searchParams)).toMatchObject({
      scope: 'openid',
      state: expect.stringMatching(/./),
      nonce: expect.stringMatching(/./),
      code_challenge_method: 'S256',
    })
    const [exchange] = emulator.requests.filter(({ operation }) => operation === 'oidc.exchangeCode')
    expect(exchange?.body).toContain('"code_verifier"')
  })

  it('a person who declines can sign in again', async () => {
    const app = await start()
    const browser = visitor()

    const { page } = await signIn(app, browser, 'deny')

    expect((await browser.visit(page.next)).text).toContain('Sign in with the identity service')
    await app.printed(/OAuthCallbackError/)
  })

  it('logs the id of a request that failed, and offers another sign-in', async () => {
    const app = await start()
    const browser = visitor()
    emulator.faults.add({ match: 'oidc.exchangeCode', status: 503 })

    const { page } = await signIn(app, browser)

    expect(await browser.visit(page.next)).toMatchObject({
      status: 400,
      text: expect.stringContaining('href="/auth/signin"'),
    })
    await app.printed(/"requestId":"req_/)
  })

  it('the end of a session says what it does not end', async () => {
    const app = await start()
    const browser = visitor()
    await signIn(app, browser)

    const { next } = await press(browser, `${app.url}/auth/signout?callbackUrl=/signed-out`)

    expect((await browser.visit(next)).text).toContain('You may still be signed in at the identity service')
    expect((await browser.visit(`${app.url}/me`)).next).toContain('/auth/signin')
  })

  it('the page for the sign-in loads nothing from other hosts', async () => {
    const { url } = await start()

    const { text } = await visitor().visit(`${url}/auth/signin`)

    expect(text).toContain('Sign in with the identity service')
    expect([...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)).toEqual([])
  })

  it('keeps sessions over a restart, exits on SIGTERM, and prints no secrets and no tokens', async () => {
    const app = await start()
    const browser = visitor()
    const { callback } = await signIn(app, browser)
    await visitor().visit(callback)
    await app.printed(/CallbackRouteError|InvalidCheck/)
    expect(await app.end('SIGTERM')).toBe(0)

    const { url } = await start(app.port)

    expect((await browser.visit(`${url}/me`)).text).toBe('{"id":"ada"}')
    expectNoSecrets(app, service.settings)
  })
})
