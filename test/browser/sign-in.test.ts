import { expect, it } from 'vitest'
import { type Authorization, CallbackError, OidcClient } from '../../src/oidc.ts'
import { type Look, people } from '../support/browser.ts'
import { describeWith } from '../support/services.ts'
import { enterOn, tabTo } from './keyboard.ts'
import { visiting } from './visiting.ts'

const users = [
  { sub: 'user_ada', name: 'Ada Sample', email: 'ada@example.com' },
  { sub: 'user_bo', name: 'Bo Sample' },
]

describeWith('chromium', 'that a person can sign in', () => {
  const visit = visiting()

  /** Somebody whom an app has sent to the consent page. The app's heading says what came of it. */
  async function sentToSignIn(look?: Look) {
    const visited = await visit(look, { users })
    let login: Authorization
    const app = await visited.anApp(async (address) => {
      try {
        const { claims } = await oidc.handleCallback(address, login)
        return `Hello ${claims?.sub}`
      } catch (error) {
        if (!(error instanceof CallbackError)) throw error
        return `Nobody signed in: ${error.reason}`
      }
    })
    const oidc = new OidcClient({
      ...visited.emulator.options.oidc,
      redirectUri: `${app.url}/callback?from=app`,
    })
    login = await oidc.createAuthorization({ scope: ['openid', 'profile'] })
    await visited.page.goto(login.url)
    const { page } = visited
    return { ...visited, app, told: () => page.getByRole('heading', { name: /Hello|Nobody/ }).textContent() }
  }

  it.each(people)(
    'a person chooses who they are, agrees, and is signed in at the app, %s',
    async (_, look) => {
      const { page, app, told } = await sentToSignIn(look)

      await page.getByLabel('Bo Sample').check()
      await page.getByRole('button', { name: 'Agree and sign in' }).click()

      expect(await told()).toBe('Hello user_bo')
      expect(app.visits.map(({ pathname }) => pathname)).toEqual(['/callback'])
      expect(app.visits[0]?.searchParams.get('from')).toBe('app')
    },
  )

  it('a person who declines is not signed in, and the app hears why', async () => {
    const { page, app, told } = await sentToSignIn({ width: 'phone' })

    await page.getByRole('button', { name: 'Decline' }).click()

    expect(await told()).toBe('Nobody signed in: authorization_error')
    expect(app.visits[0]?.searchParams.get('error')).toBe('access_denied')
  })

  it('a person signs in with the keyboard alone', async () => {
    const { page, told } = await sentToSignIn({ scheme: 'dark' })

    await tabTo(page, page.getByLabel('Ada Sample'))
    await page.keyboard.press('ArrowDown')
    await enterOn(page, page.getByRole('button', { name: 'Agree and sign in' }))

    expect(await told()).toBe('Hello user_bo')
  })

  it('the page says who asks, for what, and where the person goes next', async () => {
    const { page, app } = await sentToSignIn()

    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in to emulator_client_id')
    expect(await page.getByRole('main').getByRole('listitem').allTextContents()).toEqual([
      expect.stringContaining('openid'),
      expect.stringContaining('profile'),
    ])
    expect(await page.getByRole('main').textContent()).toContain(`${app.url}/callback?from=app`)
  })

  it('a person who comes back to the consent page by the back button can decide anew', async () => {
    const { page, app, told } = await sentToSignIn()

    await page.getByRole('button', { name: 'Decline' }).click()
    await told()
    await page.goBack()
    await page.reload()
    await page.getByRole('button', { name: 'Agree and sign in' }).click()

    expect(await told()).toBe('Hello user_ada')
    expect(app.visits).toHaveLength(2)
  })

  it('nobody is sent to an address that is not known to be the application, and the page says so', async () => {
    const { page, authorize } = await refused()

    await page.goto(authorize({ redirect_uri: 'https://elsewhere.example/' }))
    const ofAddress = await page.getByRole('main').textContent()
    await page.goto(authorize({ client_id: 'unknown' }))

    expect(ofAddress).toContain('invalid_redirect_uri')
    expect(await page.getByRole('main').textContent()).toContain('invalid_client')
    expect(await page.getByRole('button').count()).toBe(0)
  })

  async function refused() {
    const { page, url, emulator } = await visit()
    const { clientId: client_id, redirectUri: redirect_uri } = emulator.options.oidc
    const query = { client_id, redirect_uri, response_type: 'code', scope: 'openid', state: 'state_1' }
    const authorize = (over: object) =>
      `${url}/api/auth/oidc/authorize?${new URLSearchParams({ ...query, ...over })}`
    return { page, authorize }
  }
})
