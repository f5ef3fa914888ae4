import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { type Look, people } from '../support/browser.ts'
import { loopbackServer, respondWith } from '../support/loopback-server.ts'
import { patient } from '../support/patience.ts'
import { describeWith } from '../support/programs.ts'
import { enterOn, tabTo } from './keyboard.ts'
import { arriving, visiting } from './visiting.ts'

const workflow = {
  id: 'wf_six',
  name: 'Six checks',
  features: ['id_verification', 'liveness', 'face_match', 'age', 'credential', 'location'],
} as const
const names = ['Identity document', 'Live selfie', 'Face comparison', 'Age', 'Professional license', 'Location']

const press = (page: Page, name: string) =>
  arriving(page, () => page.getByRole('button', { name, exact: true }).click())
const choose = (page: Page, check: string, result: string) =>
  page.getByRole('group', { name: check, exact: true }).getByLabel(result).check()
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

describeWith('chromium', 'that a person can complete a verification', () => {
  const visit = visiting()

  /** Creates a session with all six checks, a redirect URL and a webhook receiver, and opens its hosted page. */
  async function startVerification(look: Look = {}) {
    const visited = await visit(look, { workflows: [workflow] })
    const { page, client, emulator, anApp } = visited
    const [app, hooks] = [await anApp(), await loopbackServer(respondWith(200))]
    const redirect_url = `${app.url}/done?order=7`
    const { session_id, url } = await client.sessions.create({ redirect_url, callback: `${hooks.url}/hooks` })
    await page.goto(url)
    return {
      ...visited,
      hostedPage: url,
      session: () => client.sessions.retrieve(session_id),
      /** Waits until the person is back at the app, then returns the result. */
      outcome: async () => {
        await page.getByRole('heading', { name: 'Back at the app' }).waitFor()
        await emulator.webhooks.settled()
        const { status, checks } = await client.sessions.decision(session_id)
        return {
          status,
          checks: checks.map((check) => check.status).join(' '),
          returns: app.visits.map(({ pathname, search }) => pathname + search.replace(session_id, 'ID')),
          events: hooks.requests.map(({ body }) => JSON.parse(String(body)).type),
        }
      },
    }
  }

  it.each(people)('choosing a result for each check ends the session, %s', async (_, look) => {
    const { page, outcome } = await startVerification(look)

    for (const name of names) await choose(page, name, name === 'Live selfie' ? 'Failed' : 'Passed')
    await press(page, 'Submit results')

    expect(await outcome()).toEqual({
      status: 'DECLINED',
      checks: 'passed failed passed passed passed passed',
      returns: ['/done?order=7&session_id=ID&status=DECLINED'],
      events: ['verification.declined'],
    })
  })

  it('a person can complete a verification with the keyboard only, and the focus is always visible', async () => {
    const { page, outcome } = await startVerification()

    for (const name of names) {
      await tabTo(page, page.getByRole('group', { name, exact: true }).getByLabel('Not done'))
      await page.keyboard.press('ArrowUp')
    }
    await enterOn(page, page.getByRole('button', { name: 'Submit results' }))

    expect(await outcome()).toMatchObject({
      status: 'IN_REVIEW',
      checks: 'review review review review review review',
    })
  })

  it('the back button and a second open tab change nothing after the end', async () => {
    const { page, outcome, hostedPage, anotherTab } = await startVerification()
    const second = await anotherTab()
    await second.goto(hostedPage)

    await press(page, 'Decline')
    const ended = await outcome()
    await page.goBack()
    const shown = await heading(page)
    await page.reload()
    await press(second, 'Approve')

    expect(shown).toBe('This verification is closed')
    expect(await heading(page)).toBe(shown)
    expect(await heading(second)).toBe(shown)
    await page.goForward()
    expect({ ...(await outcome()), returns: [] }).toEqual({ ...ended, returns: [] })
  })

  it('a redirect_url that is a script does not run', async () => {
    const { page, client } = await visit()
    const redirect_url = 'javascript:globalThis.canary=1'
    const { url, session_id } = await client.sessions.create({ redirect_url })

    await page.goto(url)
    const links = await page.locator('[href^="javascript:" i], [action^="javascript:" i]').count()
    await page.getByRole('button', { name: 'Approve' }).click()
    await vi.waitFor(async () => expect((await client.sessions.retrieve(session_id)).status).toBe('APPROVED'), patient)

    expect(links).toBe(0)
    await expect.poll(() => page.evaluate('"canary" in globalThis')).toBe(false)
  })
})
