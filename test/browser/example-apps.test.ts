import { expect, it, onTestFinished } from 'vitest'
import { emulated, startApp } from '../examples/emulated.ts'
import { describeInstalled } from '../examples/program.ts'
import { browserOfThisFile } from '../support/browser.ts'
import { describeWith } from '../support/programs.ts'
import { arriving } from './visiting.ts'

const signIns = [
  { name: 'authjs', start: 'Sign in with the identity service', end: 'Sign out', me: '{"id":"bo"}' },
  { name: 'better-auth', start: undefined, end: undefined, me: '"sub":"bo"' },
  { name: 'passport', start: undefined, end: undefined, me: '{"sub":"bo"}' },
]

describeWith('chromium', 'that the example apps work in a browser', () => {
  const open = browserOfThisFile()

  describeInstalled(['nestjs', ...signIns.map(({ name }) => name)], () => {
    const service = emulated({
      users: [
        { sub: 'ada', name: 'Ada' },
        { sub: 'bo', name: 'Bo' },
      ],
    })
    const { emulator } = service

    /** Starts an app, and opens its page at a path. */
    async function visit(name: string, file: string, path: string) {
      const { settings } = service
      const app = await startApp(name, ['node', '--import', 'tsx', file], settings)
      onTestFinished(() => void app.end('SIGKILL'))
      const { page, allow } = await open()
      allow(app.url, String(settings.SVC_BASE_URL))
      await page.goto(app.url + path)
      return { app, page }
    }

    it.each(signIns)('a person signs in to examples/$name, and out again', async ({ name, start, end, me }) => {
      const { app, page } = await visit(name, 'server.ts', '/')
      if (start) await page.getByRole('button', { name: start }).click()
      await page.getByLabel('Bo').check()
      await page.getByRole('button', { name: 'Agree and sign in' }).click()

      await page.getByRole('link', { name: 'Me' }).click()

      expect(await page.textContent('body')).toContain(me)
      await page.goBack()
      await page.getByText('Sign out').click()
      if (end) await page.getByRole('button', { name: end }).click()
      await page.getByText('You are signed out of this app').waitFor()
      expect(page.url()).toBe(`${app.url}/signed-out`)
    })

    it('a person whom the guard of examples/nestjs refuses is verified, and let in', async () => {
      const { app, page } = await visit('nestjs', 'main.ts', '/customers/ada/wine')
      const refusal = await page.textContent('body')
      await page.goto(JSON.parse(String(refusal)).url)
      for (const radio of await page.getByLabel('Passed').all()) await radio.check()
      await arriving(page, () => page.getByRole('button', { name: 'Submit results' }).click())
      await emulator.webhooks.settled()

      const response = await page.goto(`${app.url}/customers/ada/wine`)

      expect(response?.status()).toBe(200)
    })
  })
})
