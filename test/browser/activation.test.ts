import { expect, it } from 'vitest'
import { type Look, people } from '../support/browser.ts'
import { describeWith } from '../support/services.ts'
import { enterOn } from './keyboard.ts'
import { visiting } from './visiting.ts'

const invited = {
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Sample',
  status: 'link_sent',
} as const

describeWith('chromium', 'that a member can follow their activation link', () => {
  const visit = visiting()

  async function invitedMember(look?: Look) {
    const visited = await visit(look, { members: [invited], org: { name: 'Sample Clinic' } })
    const { page, emulator } = visited
    const link = String(emulator.members.activationLink(invited.email))
    await page.goto(link)
    return { ...visited, link, heading: () => page.getByRole('heading', { level: 1 }).textContent() }
  }

  it.each(people)(
    'a member whose link the console lists connects their identity and is active, %s',
    async (_, look) => {
      const { page, heading, console: consoleUrl } = await invitedMember(look)
      await page.goto(`${consoleUrl}/members`)
      await page.getByRole('link', { name: /^Activate/ }).click()
      await page.getByText('Invited').waitFor()
      const asked = await heading()

      await page.getByRole('button', { name: 'Connect your identity by face' }).click()
      await page.getByText('Your identity is connected').waitFor()
      await page.goto(`${consoleUrl}/members`)

      expect(asked).toBe('Join Sample Clinic')
      const row = page.getByRole('row', { name: invited.email })
      expect(await row.textContent()).toMatch(/Ada Sample.*active.*svc_/s)
      expect(await row.getByRole('link', { name: /^Activate/ }).count()).toBe(0)
    },
  )

  it('a member activates with the keyboard alone', async () => {
    const { page, heading } = await invitedMember()

    await enterOn(page, page.getByRole('button', { name: 'Connect your identity by face' }))
    await page.getByText('Your identity is connected').waitFor()

    expect(await heading()).toBe('You are a member of Sample Clinic')
  })

  it('a reload and the back button after it change nothing', async () => {
    const { page, heading, link } = await invitedMember({ width: 'phone' })

    await page.getByRole('button', { name: 'Connect your identity by face' }).click()
    await page.getByText('Your identity is connected').waitFor()
    await page.reload()
    const reloaded = await heading()
    await page.goto(link)

    expect(reloaded).toBe('This invitation was accepted')
    expect(await heading()).toBe('This invitation was accepted')
  })

  it('a link that a later one replaced tells nobody whose it was', async () => {
    const { page, emulator, heading, url } = await invitedMember()

    await emulator.fetch(
      new Request(`${url}/api/sdk/members/${encodeURIComponent(invited.email)}/invite`, {
        method: 'POST',
        headers: { 'x-client-id': 'emulator_client_id', 'x-client-secret': 'emulator_client_secret' },
      }),
    )
    await page.reload()

    expect(await heading()).toBe('This invitation counts no longer')
    expect(await page.getByRole('main').textContent()).not.toContain(invited.email)
  })
})
