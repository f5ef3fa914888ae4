import { beforeEach, expect, it } from 'vitest'
import { type ApplyPlanSummary, type Member, type NewMember, OrgClient } from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/directory-feeds.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

const members = () => {
  const { clientId, clientSecret } = emulator.options.org
  return new OrgClient({ baseUrl: guide.service.url, clientId, clientSecret }).members
}

it('a renamed person is kept under the old email until the new member is active', async () => {
  const { syncFeed } = await guide.load<{
    syncFeed(
      feed: readonly (NewMember & { directoryId: string })[],
      emails: Map<string, string>,
    ): Promise<ApplyPlanSummary>
  }>('Renamed emails')
  const emails = new Map<string, string>()
  const night = (email: string) => syncFeed([{ directoryId: 'u1', email }], emails)
  await night('ada.byron@example.com')
  emulator.members.activate('ada.byron@example.com')

  const nights = [await night('ada.king@example.com'), await night('ada.king@example.com')]
  emulator.members.activate('ada.king@example.com')
  nights.push(await night('ada.king@example.com'))

  expect(nights.map(({ added, removed }) => [added, removed])).toEqual([
    [1, 0],
    [0, 0],
    [0, 1],
  ])
  expect(emails).toEqual(new Map([['u1', 'ada.king@example.com']]))
})

it('members whose role differs from the feed are found, and nothing is changed', async () => {
  const { membersWithOtherRole } = await guide.load<{
    membersWithOtherRole(feed: readonly NewMember[]): Promise<Member[]>
  }>('Roles')
  await members().add({
    members: [{ email: 'ada@example.com', role: 'admin' }, { email: 'bo@example.com' }, { email: 'cy@example.com' }],
  })

  const other = await membersWithOtherRole([
    { email: 'ADA@example.com' },
    { email: 'bo@example.com', role: 'developer' },
    { email: 'cy@example.com' },
  ])

  expect(other.map(({ email, role }) => [email, role])).toEqual([
    ['bo@example.com', 'member'],
    ['ada@example.com', 'admin'],
  ])
})

it('off-boarding deactivates a member of any role, and fails if nobody was found', async () => {
  const { offboard } = await guide.load<{ offboard(memberId: string): Promise<string> }>('Off-boarding')
  const { created } = await members().add({ members: [{ email: 'ada@example.com', role: 'owner' }] })

  expect(await offboard(String(created[0]?.member_id))).toBe('deactivated')
  await expect(offboard('aad@example.com')).rejects.toThrow('Nobody was removed')
})
