import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { type Look, people } from '../support/browser.ts'
import { answer, loopbackServer } from '../support/loopback-server.ts'
import { describeWith } from '../support/services.ts'
import { enterOn, tabTo } from './keyboard.ts'
import { arriving, visiting } from './visiting.ts'

const workflow = {
  id: 'wf_six',
  name: 'Six checks',
  features: ['id_verification', 'liveness', 'face_match', 'age', 'credential', 'location'],
}
const names = [
  'Identity document',
  'Live selfie',
  'Face comparison',
  'Age',
  'Professional licence',
  'Location',
]
const [passed, failed, review] = ['Passed', 'Failed', 'Needs review']

const press = (page: Page, name: string) =>
  arriving(page, () => page.getByRole('button', { name, exact: true }).click())
const choose = (page: Page, check: string, outcome: string) =>
  page.getByRole('group', { name: check, exact: true }).getByLabel(outcome).check()
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

describeWith('chromium', 'that a person can work through a verification', () => {
  const visit = visiting()

  /** Somebody whom an app sent to the hosted page: all six checks, an address to return to, a receiver. */
  async function sentToVerification(look: Look = {}) {
    const visited = await visit(look, { workflows: [workflow] })
    const { page, client, emulator, anApp } = visited
    const [app, hooks] = [await anApp(), await loopbackServer(answer(200))]
    const redirect_url = `${app.url}/done?order=7`
    const { session_id, url } = await client.sessions.create({ redirect_url, callback: `${hooks.url}/hooks` })
    await page.goto(url)
    return {
      ...visited,
      hostedPage: url,
      session: () => client.sessions.retrieve(session_id),
      /** Where the person came back to, and what came of it. */
      outcome: async () => {
        await page.getByRole('heading', { name: 'Back at the app' }).waitFor()
        await emulator.webhooks.settled()
        const { status, checks } = await client.sessions.decision(session_id)
        return {
          status,
          checks: checks.map((check) => check.status).join(' '),
          returns: app.visits.map(({ pathname, search }) => pathname + search.replace(session_id, 'ID')),
          events: hooks.seen.map(({ body }) => JSON.parse(String(body)).type),
        }
      },
    }
  }

  it.each([
    {
      outcomes: [passed, passed, passed, passed, passed, passed],
      checks: 'passed passed passed passed passed passed',
      status: 'APPROVED',
      event: 'verification.approved',
    },
    {
      outcomes: [passed, failed, review, passed, passed, passed],
      checks: 'passed failed review passed passed passed',
      status: 'DECLINED',
      event: 'verification.declined',
    },
    {
      outcomes: [passed, passed, passed, review, passed, passed],
      checks: 'passed passed passed review passed passed',
      status: 'IN_REVIEW',
      event: 'verification.in_review',
    },
  ])('choosing an outcome for each check ends as $status', async ({ outcomes, checks, status, event }) => {
    const { page, outcome } = await sentToVerification()

    for (const [i, name] of names.entries()) await choose(page, name, String(outcomes[i]))
    await press(page, 'Finish')

    expect(await outcome()).toEqual({
      status,
      checks,
      returns: [`/done?order=7&session_id=ID&status=${status}`],
      events: [event],
    })
  })

  it.each(people)('a person can walk through the checks with pictures, %s', async (_, look) => {
    const { page, outcome } = await sentToVerification(look)
    const seen: (string | null)[] = []

    await page.getByRole('link', { name: 'Walk through the checks' }).click()
    for (const number of [1, 2, 3, 4, 5, 6]) {
      await page.getByText(`Check ${number} of 6`).waitFor()
      await page.getByRole('img').waitFor()
      seen.push(await heading(page))
      await page.getByRole('radio').first().check()
      await press(page, 'Continue')
    }
    await page.getByText('Before you send').waitFor()
    seen.push(await heading(page))
    await page.getByRole('link', { name: /^Change ?: Age$/ }).click()
    await page.getByText('Check 4 of 6').waitFor()
    await page.getByRole('radio').nth(1).check()
    await press(page, 'Continue')
    await page.goto(page.url().replace(/step=.*/, 'step=summary'))
    await page.getByText('The verification will end as').getByText('DECLINED').waitFor()
    await press(page, 'Send')

    expect(seen).toEqual([...names, 'Summary'])
    expect(await outcome()).toMatchObject({
      status: 'DECLINED',
      checks: 'passed passed passed failed passed passed',
      returns: ['/done?order=7&session_id=ID&status=DECLINED'],
    })
  })

  it.each([
    ['Everything passes', 'APPROVED'],
    ['Everything fails', 'DECLINED'],
    ['Leave without finishing', 'ABANDONED'],
  ])('one press of "%s" ends as %s and leads back', async (button, status) => {
    const { page, outcome } = await sentToVerification()

    await press(page, button)

    expect(await outcome()).toMatchObject({
      status,
      returns: [`/done?order=7&session_id=ID&status=${status}`],
      events: [`verification.${status.toLowerCase()}`],
    })
  })

  it('a person can leave in the middle of the walk', async () => {
    const { page, outcome } = await sentToVerification({ width: 'phone' })

    await page.getByRole('link', { name: 'Walk through the checks' }).click()
    await page.getByText('Check 1 of 6').waitFor()
    await page.getByRole('radio').first().check()
    await press(page, 'Continue')
    await press(page, 'Leave without finishing')

    expect(await outcome()).toMatchObject({ status: 'ABANDONED', events: ['verification.abandoned'] })
  })

  it('a verification can be done with the keyboard alone, and the focus is always seen', async () => {
    const { page, outcome } = await sentToVerification()

    await enterOn(page, page.getByRole('link', { name: 'Walk through the checks' }))
    for (const number of [1, 2, 3, 4, 5, 6]) {
      await page.getByText(`Check ${number} of 6`).waitFor()
      await tabTo(page, page.getByRole('radio').first())
      await page.keyboard.press('Space')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await enterOn(page, page.getByRole('button', { name: 'Continue' }))
    }
    await enterOn(page, page.getByRole('button', { name: 'Send' }))

    expect(await outcome()).toMatchObject({
      status: 'IN_REVIEW',
      checks: 'review review review review review review',
    })
  })

  it('a reload keeps the answers, and a step back shows them', async () => {
    const { page, session } = await sentToVerification()

    await page.getByRole('link', { name: 'Walk through the checks' }).click()
    await page.getByLabel('A document that is hard to read').check()
    await press(page, 'Continue')
    await page.getByText('Check 2 of 6').waitFor()
    await page.reload()
    const afterReload = await page.getByRole('definition').allTextContents()
    await page.goBack()

    expect(afterReload).toEqual(['A document that is hard to read'])
    expect(await page.getByLabel('A document that is hard to read').isChecked()).toBe(true)
    expect((await session()).status).toBe('IN_PROGRESS')
  })

  it('what is missing is asked for, and nothing has ended', async () => {
    const { page, session } = await sentToVerification({ width: 'phone' })

    await choose(page, 'Age', passed)
    await press(page, 'Finish')

    expect(await page.getByRole('alert').textContent()).toContain('Not every check is done')
    expect(await page.getByRole('group', { name: 'Age' }).getByLabel(passed).isChecked()).toBe(true)
    expect((await session()).status).toBe('IN_PROGRESS')
  })

  it('the back button after the end changes nothing, nor does a second tab that was left open', async () => {
    const { page, outcome, hostedPage, anotherTab } = await sentToVerification()
    const second = await anotherTab()
    await second.goto(hostedPage)

    await press(page, 'Everything fails')
    const ended = await outcome()
    await page.goBack()
    const shown = await heading(page)
    await page.reload()
    await press(second, 'Everything passes')

    expect(shown).toBe('This verification is closed')
    expect(await heading(page)).toBe(shown)
    expect(await heading(second)).toBe(shown)
    await page.goForward()
    expect({ ...(await outcome()), returns: [] }).toEqual({ ...ended, returns: [] })
  })

  it('who looks at a session that runs out meanwhile is told so', async () => {
    const { page, emulator, session } = await sentToVerification()

    await emulator.clock.advance(3_600_000)
    await press(page, 'Everything passes')

    expect(await heading(page)).toBe('This verification is closed')
    expect(await page.getByRole('main').textContent()).toContain('EXPIRED')
    expect((await session()).status).toBe('EXPIRED')
  })

  it('who has nowhere to return to stays on a page that can be loaded again', async () => {
    const { page, client } = await visit()
    const { url, session_id } = await client.sessions.create({})

    await page.goto(url)
    await press(page, 'Everything passes')
    await page.reload()

    expect(page.url()).toBe(url)
    expect(await page.getByRole('main').textContent()).toContain('It ended as APPROVED')
    expect((await client.sessions.retrieve(session_id)).status).toBe('APPROVED')
  })

  it('a redirect_url that is a script leads nowhere', async () => {
    const { page, client } = await visit()
    const redirect_url = 'javascript:globalThis.canary=1'
    const { url, session_id } = await client.sessions.create({ redirect_url })

    await page.goto(url)
    const links = await page.locator('[href^="javascript:" i], [action^="javascript:" i]').count()
    await page.getByRole('button', { name: 'Everything passes' }).click()
    await vi.waitFor(async () => expect((await client.sessions.retrieve(session_id)).status).toBe('APPROVED'))

    expect(links).toBe(0)
    await expect.poll(() => page.evaluate('"canary" in globalThis')).toBe(false)
  })
})
