import { expect, it } from 'vitest'
import { type AuthorizationRequest, CallbackError, OidcClient } from '../../src/index.ts'
import { type Look, people } from '../support/browser.ts'
import { describeWith } from '../support/programs.ts'
import { enterOn, tabTo } from './keyboard.ts'
import { visiting } from './visiting.ts'

const users = [
  { sub: 'user_ada', name: 'Ada Sample', email: 'ada@example.com' },
  { sub: 'user_bo', name: 'Bo Sample' },
]

describeWith('chromium', 'that a person can sign in', () => {
  const visit = visiting()

  /** Opens the consent page from an app, whose heading then shows the result. */
  async function startSignIn(look?: Look) {
    const visited = await visit(look, { users })
    let login: AuthorizationRequest
    const app = await visited.anApp(async (address) => {
      try {
        const { claims } = await oidc.handleCallback(address, login)
        return `Hello ${claims.sub}`
      } catch (error) {
        if (!(error instanceof CallbackError)) throw error
        return `Not signed in: ${error.reason}`
      }
    })
    const oidc = new OidcClient({
      ...visited.emulator.options.oidc,
      redirectUri: `${app.url}/callback?from=app`,
    })
    login = await oidc.createAuthorization({ scope: ['openid', 'profile'] })
    await visited.page.goto(login.url)
    const { page } = visited
    return {
      ...visited,
      app,
      result: () => page.getByRole('heading', { name: /Hello|Not signed in/ }).textContent(),
    }
  }

  it.each(people)('a person chooses a user, agrees, and is signed in to the app, %s', async (_, look) => {
    const { page, app, result } = await startSignIn(look)

    await page.getByLabel('Bo Sample').check()
    await page.getByRole('button', { name: 'Agree and sign in' }).click()

    expect(await result()).toBe('Hello user_bo')
    expect(app.visits.map(({ pathname }) => pathname)).toEqual(['/callback'])
    expect(app.visits[0]?.searchParams.get('from')).toBe('app')
  })

  it('a person can sign in with the keyboard only', async () => {
    const { page, result } = await startSignIn({ scheme: 'dark' })

    await tabTo(page, page.getByLabel('Ada Sample'))
    await page.keyboard.press('ArrowDown')
    await enterOn(page, page.getByRole('button', { name: 'Agree and sign in' }))

    expect(await result()).toBe('Hello user_bo')
  })

  it('a person who returns to the consent page with the back button can decide again', async () => {
    const { page, app, result } = await startSignIn()

    await page.getByRole('button', { name: 'Decline' }).click()
    await result()
    await page.goBack()
    await page.reload()
    await page.getByRole('button', { name: 'Agree and sign in' }).click()

    expect(await result()).toBe('Hello user_ada')
    expect(app.visits).toHaveLength(2)
  })
})
