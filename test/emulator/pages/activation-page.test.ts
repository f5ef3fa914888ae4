import { expect, it } from 'vitest'
import { rosterOf } from '../support/roster.ts'
import { inProcess } from '../support/service.ts'
import { buttons, headingOf, textOnPage, visitor } from './visitor.ts'

const email = 'ada@example.com'

async function invited() {
  const roster = rosterOf(inProcess({ org: { name: 'Example Ltd' } }))
  const { created } = await roster.added([{ email, first_name: 'Ada', last_name: 'Byron', role: 'developer' }], {
    notify: false,
  })
  const { open, press } = visitor(roster.emulator)
  return {
    ...roster,
    url: created[0]?.activation_link as string,
    open,
    connect: (url: string) => press(url, { choice: 'connect' }),
    press,
    member: () => roster.memberOf(email),
  }
}

it('shows the invited person and the organization, and changes nothing', async () => {
  const { open, url, member } = await invited()

  const visit = await open(url)

  expect(visit.status).toBe(200)
  expect(headingOf(visit)).toBe('Join Example Ltd')
  expect(textOnPage(visit)).toMatch(/Ada Byron[\s\S]*ada@example\.com[\s\S]*developer/)
  expect(buttons(visit)).toEqual(['choice=connect'])
  expect(await member()).toMatchObject({ status: 'link_sent', svc_id: null })
})

it('connects the identity and makes the member active', async () => {
  const { connect, url, member } = await invited()

  const visit = await connect(url)

  expect(visit.status).toBe(200)
  expect(headingOf(visit)).toBe('You are a member of Example Ltd')
  expect(await member()).toMatchObject({
    status: 'active',
    active: true,
    svc_id: expect.stringMatching(/^svc_/),
  })
})

it('rejects a choice that the page does not offer with 400', async () => {
  const { press, url, member } = await invited()

  for (const choice of ['', 'Connect', 'approve']) expect((await press(url, { choice })).status).toBe(400)
  expect(await member()).toMatchObject({ status: 'link_sent' })
})

it.each<[what: string, act: (roster: Awaited<ReturnType<typeof invited>>) => Promise<unknown>]>([
  ['the identity was connected', ({ connect, url }) => connect(url)],
  ['a newer link replaced it', ({ invite }) => invite(email)],
  ['the member was deactivated', ({ deactivate }) => deactivate(email)],
  ['the member was removed', ({ remove }) => remove(email)],
  ['the member was deleted permanently', ({ remove }) => remove(email, '?permanent=true')],
  [
    'the active member was deleted permanently',
    async ({ connect, url, remove }) => {
      await connect(url)
      await remove(email, '?permanent=true')
    },
  ],
])('returns 404 after %s, without showing the member, and changes nothing', async (_, act) => {
  const roster = await invited()
  await act(roster)
  const before = await roster.member()

  for (const visit of [await roster.open(roster.url), await roster.connect(roster.url)]) {
    expect(visit.status).toBe(404)
    expect(textOnPage(visit)).not.toMatch(/Ada|example\.com|Example/)
    expect(buttons(visit)).toEqual([])
  }
  expect(await roster.member()).toEqual(before)
})

it('returns 404 for a link that was never issued', async () => {
  const { open, connect, url, member } = await invited()

  for (const unknown of [`${url}0`, url.slice(0, -1), url.replace(/\w+$/, 'constructor')]) {
    expect((await open(unknown)).status).toBe(404)
    expect((await connect(unknown)).status).toBe(404)
  }
  expect(await member()).toMatchObject({ status: 'link_sent' })
})

it('shows the email of a member without a name', async () => {
  const { emulator } = inProcess({ members: [{ email, status: 'link_sent' }] })

  const visit = await visitor(emulator).open(emulator.members.activationLink(email) as string)

  expect(textOnPage(visit).split(email)).toHaveLength(3)
})
