import { expect, it } from 'vitest'
import { type Look, people } from '../support/browser.ts'
import { describeWith } from '../support/programs.ts'
import { enterOn } from './keyboard.ts'
import { visiting } from './visiting.ts'

const invited = {
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Sample',
  status: 'link_sent',
} as const

describeWith('chromium', 'that a member can use their activation link', () => {
  const visit = visiting()

  async function invitedMember(look?: Look) {
    const visited = await visit(look, { members: [invited], org: { name: 'Sample Clinic' } })
    const { page, emulator } = visited
    const link = String(emulator.members.activationLink(invited.email))
    await page.goto(link)
    return { ...visited, link, heading: () => page.getByRole('heading', { level: 1 }).textContent() }
  }

  it.each(people)(
    'a member opens the activation link from the console, connects their identity and becomes active, %s',
    async (_, look) => {
      const { page, heading, console: consoleUrl } = await invitedMember(look)
      await page.goto(`${consoleUrl}/members`)
      await page.getByRole('link', { name: /^Activate/ }).click()
      await page.getByText('Invited person').waitFor()
      const invitation = await heading()

      await page.getByRole('button', { name: 'Connect your identity by face' }).click()
      await page.getByText('Your identity is connected').waitFor()
      await page.goto(`${consoleUrl}/members`)

      expect(invitation).toBe('Join Sample Clinic')
      const row = page.getByRole('row', { name: invited.email })
      expect(await row.textContent()).toMatch(/Ada Sample.*active.*svc_/s)
      expect(await row.getByRole('link', { name: /^Activate/ }).count()).toBe(0)
    },
  )

  it('a member can activate with the keyboard only', async () => {
    const { page, heading } = await invitedMember()

    await enterOn(page, page.getByRole('button', { name: 'Connect your identity by face' }))
    await page.getByText('Your identity is connected').waitFor()

    expect(await heading()).toBe('You are a member of Sample Clinic')
  })
})
