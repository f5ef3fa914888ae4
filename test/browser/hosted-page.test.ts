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

  it('choosing a result for each check ends the session, and reports it to the app and its webhooks', async () => {
    const { page, outcome } = await startVerification()

    for (const name of names) await choose(page, name, name === 'Live selfie' ? 'Failed' : 'Passed')
    await press(page, 'Submit results')

    expect(await outcome()).toEqual({
      status: 'DECLINED',
      checks: 'passed failed passed passed passed passed',
      returns: ['/done?order=7&session_id=ID&status=DECLINED'],
      events: ['verification.declined'],
    })
  })

  it.each(people)('a person can go through the checks one at a time, %s', async (_, look) => {
    const { page, outcome } = await startVerification(look)
    const seen: (string | null)[] = []

    await page.getByRole('link', { name: 'Go through the checks' }).click()
    for (const number of [1, 2, 3, 4, 5, 6]) {
      await page.getByText(`Check ${number} of 6`).waitFor()
      await page.getByRole('img').waitFor()
      seen.push(await heading(page))
      await page.getByRole('radio').first().check()
      await press(page, 'Continue')
    }
    await page.getByText('Last step').waitFor()
    seen.push(await heading(page))
    await page.getByRole('link', { name: /^Change ?: Age$/ }).click()
    await page.getByText('Check 4 of 6').waitFor()
    await page.getByRole('radio').nth(1).check()
    await press(page, 'Continue')
    await page.goto(page.url().replace(/step=.*/, 'step=summary'))
    await page.getByText('The verification will end with status').getByText('DECLINED').waitFor()
    await press(page, 'Submit results')

    expect(seen).toEqual([...names, 'Summary'])
    expect(await outcome()).toMatchObject({
      status: 'DECLINED',
      checks: 'passed passed passed failed passed passed',
      returns: ['/done?order=7&session_id=ID&status=DECLINED'],
    })
  })

  it('a person can complete a verification with the keyboard only, and the focus is always visible', async () => {
    const { page, outcome } = await startVerification()

    await enterOn(page, page.getByRole('link', { name: 'Go through the checks' }))
    for (const number of [1, 2, 3, 4, 5, 6]) {
      await page.getByText(`Check ${number} of 6`).waitFor()
      await tabTo(page, page.getByRole('radio').first())
      await page.keyboard.press('Space')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await enterOn(page, page.getByRole('button', { name: 'Continue' }))
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
