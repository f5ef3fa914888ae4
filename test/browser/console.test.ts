import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { EmulatorOptions } from '../../src/emulator.ts'
import { verifyWebhook } from '../../src/webhooks.ts'
import { type Look, people } from '../support/browser.ts'
import { loopbackServer, respondWith } from '../support/loopback-server.ts'
import { describeWith } from '../support/programs.ts'
import { enterOn } from './keyboard.ts'
import { arriving, visiting } from './visiting.ts'

const press = (page: Page, name: string | RegExp) => arriving(page, () => page.getByRole('button', { name }).click())
const follow = (page: Page, name: string | RegExp) => arriving(page, () => page.getByRole('link', { name }).click())
const select = (page: Page, name: string, option: string) =>
  page.getByRole('combobox', { name, exact: true }).selectOption(option)
const goTo = (page: Page, name: string) =>
  arriving(page, () => page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name }).click())
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

describeWith('chromium', 'that a developer can inspect and control the emulator', () => {
  const visit = visiting()

  async function atTheConsole(look?: Look, options?: EmulatorOptions) {
    const visited = await visit(look, options)
    await visited.page.goto(visited.console)
    return visited
  }

  it.each(people)(
    'a webhook is shown with its request, signature and response, and can be resent, %s',
    async (_, look) => {
      // No retry may take the second response.
      const { page, client, emulator } = await atTheConsole(look, { webhooks: { retryAfterSeconds: [3_600] } })
      const hooks = await loopbackServer(respondWith(500, 'not today'), respondWith(200, 'thank you'))
      const { session_id } = await client.sessions.create({ callback: `${hooks.url}/in` })
      await emulator.sessions.complete(session_id, 'DECLINED')
      const event = await received(hooks.requests[0])

      await goTo(page, 'Webhooks')
      await page.getByText('retrying').waitFor()
      await follow(page, event.event_id)
      const first = await page.getByRole('region', { name: 'Attempt 1' }).textContent()
      await press(page, 'Resend')
      const second = await page.getByRole('region', { name: 'Attempt 2' }).textContent()

      expect(first).toContain(hooks.requests[0]?.headers['x-svc-signature'])
      expect(first).toContain(String(hooks.requests[0]?.body))
      expect(first).toContain('not today')
      expect(second).toContain('thank you')
      expect(hooks.requests).toHaveLength(2)
      expect(await received(hooks.requests[1])).toEqual(event)
      expect(await page.getByRole('main').getByText('delivered').isVisible()).toBe(true)

      function received(seen: (typeof hooks.requests)[number] | undefined) {
        const { body = '', headers = {} } = seen ?? {}
        return verifyWebhook({ body, headers, secret: emulator.webhooks.secret })
      }
    },
  )

  it('a request appears in the log when it ends, without a reload, and leads to its page', async () => {
    const { page, client } = await atTheConsole({ scheme: 'dark' })
    await client.sessions.list()
    await goTo(page, 'Requests')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.evaluate('globalThis.loadedOnce = true')

    await client.checks.age({ dob: '1990-04-12', bands: [18] }, { idempotencyKey: 'key-of-this-call' })

    const row = page.getByRole('row', { name: 'checks.age' })
    await row.waitFor()
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      expect.stringMatching(/^POST \/api\/v2\/age-verification.*checks\.age$/),
      expect.stringMatching(/^✓ 200/),
      expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    ])
    expect(await page.evaluate('globalThis.loadedOnce')).toBe(true)
    expect(await page.getByRole('row').nth(1).textContent()).toContain('checks.age')
    await follow(page, 'POST /api/v2/age-verification')
    await heading(page, 'Request')
    expect(await page.getByRole('main').textContent()).toContain('key-of-this-call')
    expect(await page.getByRole('main').textContent()).toContain('"dob": "1990-04-12"')
  })

  it('the log shows the first request, and continues after a reset', async () => {
    const { page, client, emulator } = await atTheConsole()
    await goTo(page, 'Requests')
    await page.getByText('Live', { exact: true }).waitFor()

    await client.sessions.list()
    await page.getByRole('row', { name: 'sessions.list' }).waitFor()
    emulator.reset()
    await client.experimental.workflows.list()
    await page.getByRole('row', { name: 'experimental.workflows.list' }).waitFor()

    expect(await page.getByRole('row', { name: 'experimental.workflows.list' }).count()).toBe(1)
    expect(await page.getByRole('row', { name: 'sessions.list' }).count()).toBe(0)
  })

  it('a part of a page that someone uses does not change under their hands', async () => {
    const { page, client, emulator } = await atTheConsole()
    const { session_id } = await client.sessions.create({})
    emulator.sessions.start(session_id, { checks: { liveness: 'passed' } })
    await page.goto(`${page.url()}/sessions/${session_id}`)
    await page.getByText('Data of liveness').click()

    emulator.sessions.start(session_id, { checks: { face_match: 'failed' } })
    await page.getByText('face_match: ').waitFor()
    const whileUsed = await page.getByText('Data of face_match').count()
    await page.getByText('Data of liveness').click()
    await page.getByRole('heading', { level: 1 }).click()
    await page.getByText('Data of face_match').waitFor()

    expect(whileUsed).toBe(0)
  })

  it('a search that was not sent yet stays while its page changes', async () => {
    const { page, client } = await atTheConsole()
    await client.sessions.list()
    await goTo(page, 'Requests')
    await select(page, 'Result', 'failed (4xx)')
    await page.getByRole('heading', { level: 1 }).click()

    await client.sessions.list()
    await page.getByRole('navigation').getByText('2', { exact: true }).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()

    expect(await page.getByRole('combobox', { name: 'Result' }).inputValue()).toBe('failed (4xx)')
  })

  it('without JavaScript the log is a table with a hint to reload the page', async () => {
    const { page, client } = await atTheConsole({ javaScript: false })
    await client.sessions.list()

    await goTo(page, 'Requests')

    await page.getByRole('row', { name: 'sessions.list' }).waitFor()
    expect(await page.getByText('Reload the page to see changes.').isVisible()).toBe(true)
  })

  it('the settings of an app can be copied', async () => {
    const { page, url } = await atTheConsole()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url })

    await page.getByRole('button', { name: 'Copy for shell' }).click()
    await page.getByRole('button', { name: 'Copied for shell' }).waitFor()

    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`export SVC_BASE_URL=${url}`)
  })

  it('a webhook can be resent with the keyboard only', async () => {
    const { page, client, emulator } = await atTheConsole()
    const hooks = await loopbackServer(respondWith(200))
    const { session_id } = await client.sessions.create({ callback: `${hooks.url}/in` })
    await emulator.sessions.complete(session_id, 'APPROVED')

    await enterOn(page, page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }))
    await heading(page, 'Webhooks')
    await enterOn(page, page.getByRole('link', { name: /^evt_/ }))
    await enterOn(page, page.getByRole('button', { name: 'Resend' }))
    await page.getByRole('region', { name: 'Attempt 2' }).waitFor()

    expect(hooks.requests).toHaveLength(2)
  })

  it('the first link that the tab key reaches skips the navigation', async () => {
    const { page } = await atTheConsole()

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')

    expect(await page.getByRole('main').locator(':focus').count()).toBe(1)
  })

  it('the navigation leads to every page and marks the current one', async () => {
    const { page, url } = await atTheConsole({ width: 'phone' })
    const links = await page.getByRole('navigation').getByRole('link').allTextContents()
    const names = links.map((text) => text.replaceAll(/\d|\n/g, '').trim())

    for (const name of names) {
      await goTo(page, name)
      await heading(page, name)
      expect(await page.locator('[aria-current="page"]').textContent()).toContain(name)
    }

    expect(names).toHaveLength(9)
    await page.goto(url)
    await heading(page, 'Overview')
  })

  it('a page of another site cannot submit its forms', async () => {
    const { page, client, anApp, console: address } = await atTheConsole()
    await client.sessions.create({})
    const app = await anApp(
      () => `<form method="post" action="${address}/emulator.reset"><button>A kitten</button></form>`,
    )

    await page.goto(app.url)
    await press(page, 'A kitten')
    await heading(page, 'This form was rejected')

    expect(await client.sessions.list()).toHaveLength(1)
  })
})
