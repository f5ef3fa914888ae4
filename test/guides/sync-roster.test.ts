import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { type NewMember, OrgClient } from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/sync-roster.md')

beforeEach(() => guide.emulator.reset())

const rows = (...names: readonly string[]) => names.map((name) => ({ email: `${name}@example.com` }))

it('the roster becomes the list, and who has left is removed', async () => {
  const { syncRoster } = await guide.load<{ syncRoster(desired: readonly NewMember[]): Promise<object> }>(
    'From a program',
  )
  await syncRoster(rows('ada', 'bo'))

  expect(await syncRoster(rows('ada', 'cy'))).toEqual({ added: 1, reactivated: 0, removed: 1, kept: 0 })
})

it('a saved plan is applied later', async () => {
  const { savePlan, applySavedPlan } = await guide.load<{
    savePlan(desired: readonly NewMember[], file: string): Promise<void>
    applySavedPlan(file: string): Promise<void>
  }>('Review a plan and apply it later')
  const file = join(guide.installed.project, 'plan.json')
  await savePlan(rows('ada', 'bo'), file)
  const read = ['members.list', 'members.resolve', 'members.resolve']
  expect(guide.emulator.requests.map(({ operation }) => operation)).toEqual(read)

  await applySavedPlan(file)

  expect([existsSync(file), existsSync(`${file}.applied`)]).toEqual([false, true])

  expect(guide.emulator.requests.map(({ operation }) => operation)).toEqual([...read, 'members.list', 'members.add'])
})

it('a lost link is replaced without an email', async () => {
  const { newLink } = await guide.load<{ newLink(email: string): Promise<string> }>('Get a lost link again')
  const { clientId, clientSecret } = guide.emulator.options.org
  const org = new OrgClient({ baseUrl: guide.service.url, clientId, clientSecret })
  const { created } = await org.members.add({ members: rows('ada'), invite: 'face', notify: false })

  const link = await newLink('ada@example.com')

  expect(link).not.toBe(created[0]?.activation_link)
  expect(guide.emulator.members.activate(link).status).toBe('active')
  expect(() => guide.emulator.members.activate(String(created[0]?.activation_link))).toThrow()
})
