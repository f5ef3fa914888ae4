import { expect, it, onTestFinished } from 'vitest'
import { emulated, startApp } from '../examples/emulated.ts'
import { describeInstalled } from '../examples/program.ts'
import { browserOfThisFile } from '../support/browser.ts'
import { describeWith } from '../support/programs.ts'

describeWith('chromium', 'that the example apps work in a browser', () => {
  const open = browserOfThisFile()

  describeInstalled('better-auth', () => {
    const service = emulated({
      users: [
        { sub: 'ada', name: 'Ada' },
        { sub: 'bo', name: 'Bo' },
      ],
    })

    /** Starts the app, and opens its page. */
    async function visit() {
      const { settings } = service
      const app = await startApp('better-auth', ['node', '--import', 'tsx', 'server.ts'], settings)
      onTestFinished(() => void app.end('SIGKILL'))
      const { page, allow } = await open()
      allow(app.url, String(settings.SVC_BASE_URL))
      await page.goto(app.url)
      return { app, page }
    }

    it('a person signs in to examples/better-auth, and out again', async () => {
      const { app, page } = await visit()
      await page.getByLabel('Bo').check()
      await page.getByRole('button', { name: 'Agree and sign in' }).click()

      await page.getByRole('link', { name: 'Me' }).click()

      expect(await page.textContent('body')).toContain('"sub":"bo"')
      await page.goBack()
      await page.getByText('Sign out').click()
      await page.getByText('You are signed out of this app').waitFor()
      expect(page.url()).toBe(`${app.url}/signed-out`)
    })
  })
})
