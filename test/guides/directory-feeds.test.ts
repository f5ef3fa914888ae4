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

type Person = NewMember & { directoryId: string }

const loadSync = () =>
  guide.load<{
    syncFeed(
      feed: readonly Person[],
      owners: Map<string, string>,
    ): Promise<ApplyPlanSummary & { taken: readonly Person[] }>
  }>('Renamed emails')

it('a renamed person is kept under the old email until the new member is active', async () => {
  const { syncFeed } = await loadSync()
  const owners = new Map<string, string>()
  const night = (email: string) => syncFeed([{ directoryId: 'u1', email }], owners)
  await night('ada.byron@example.com')
  emulator.members.activate('ada.byron@example.com')

  const nights = [await night('Ada.King@example.com'), await night('ada.king@example.com')]
  emulator.members.activate('ada.king@example.com')
  nights.push(await night('ada.king@example.com'), await night('ada.king@example.com'))

  expect(nights.map(({ added, removed, taken }) => [added, removed, taken])).toEqual([
    [1, 0, []],
    [0, 0, []],
    [0, 1, []],
    [0, 0, []],
  ])
})

it.each([
  ['a person who left', [{ directoryId: 'u3', email: 'ada@example.com' }], 2],
  ['a person who left, spelled otherwise', [{ directoryId: 'u3', email: ' Ada@Example.com. ' }], 2],
  [
    'a person with whom addresses were exchanged',
    [
      { directoryId: 'u1', email: 'bo@example.com' },
      { directoryId: 'u2', email: 'ada@example.com' },
    ],
    0,
  ],
])('nobody gets the member of %s', async (_, feed, removed) => {
  const { syncFeed } = await loadSync()
  const owners = new Map<string, string>()
  const stays = { directoryId: 'u0', email: 'cy@example.com' }
  const first = [
    { directoryId: 'u1', email: 'ada@example.com' },
    { directoryId: 'u2', email: 'bo@example.com' },
  ]
  await syncFeed([stays, ...first], owners)
  for (const { email } of first) emulator.members.activate(email)

  const result = await syncFeed([stays, ...feed], owners)

  expect(result).toMatchObject({ added: 0, reactivated: 0, removed, taken: feed })
  expect(await syncFeed([stays, ...feed], owners)).toMatchObject({ added: 0, reactivated: 0, removed: 0, taken: feed })
})

it.each(['#N/A', 'n/a@'])('a row with the email %j has no owner, and the sync removes no one', async (email) => {
  const { syncFeed } = await loadSync()
  const owners = new Map<string, string>()
  await syncFeed([{ directoryId: 'd1', email: 'ada@example.com' }], owners)

  for (const directoryId of ['d2', 'd3']) {
    const { removed, taken } = await syncFeed([{ directoryId, email }], owners)
    expect([removed, taken]).toEqual([0, []])
  }

  expect([...owners]).toEqual([['ada@example.com', 'd1']])
})

it('a person whose new address is taken keeps an invite', async () => {
  const { syncFeed } = await loadSync()
  const owners = new Map<string, string>()
  const [ada, bo] = [
    { directoryId: 'u1', email: 'ada@example.com' },
    { directoryId: 'u2', email: 'bo@example.com' },
  ]
  await syncFeed([ada, bo], owners)

  const { removed, taken } = await syncFeed([{ ...bo, email: 'ada@example.com' }], owners)

  expect([removed, taken.length]).toEqual([1, 1])
  expect((await members().resolve({ email: 'bo@example.com' })).member?.status).toBe('link_sent')
})

it('members whose role differs from the feed are found, and nothing is changed', async () => {
  const { membersWithOtherRole } = await guide.load<{
    membersWithOtherRole(feed: readonly NewMember[]): Promise<Member[]>
  }>('Roles', { modules: { './sync-feed.ts': await loadSync() } })
  await members().add({
    members: [{ email: 'ada@example.com', role: 'admin' }, { email: 'bo@example.com' }, { email: 'cy@example.com' }],
  })

  const other = await membersWithOtherRole([
    { email: 'ADA@example.com. ' },
    { email: 'bo@example.com', role: 'developer' },
    { email: 'cy@example.com' },
  ])

  expect(other.map(({ email, role }) => [email, role])).toEqual([
    ['bo@example.com', 'member'],
    ['ada@example.com', 'admin'],
  ])
})

it('off-boarding deactivates every member of a person, of any role, and fails if nobody was found', async () => {
  const { offboard } = await guide.load<{
    offboard(directoryId: string, owners: ReadonlyMap<string, string>): Promise<void>
  }>('Off-boarding')
  const emails = ['ada@example.com', 'ada.new@example.com', 'bo@example.com']
  await members().add({ members: emails.map((email) => ({ email, role: 'owner' })) })
  const owners = new Map([
    ...emails.map((email, i) => [email, i < 2 ? 'd1' : 'd2'] as const),
    ['gone@example.com', 'd3'],
  ])

  await offboard('d1', owners)

  const found = await Promise.all(emails.map((email) => members().resolve({ email })))
  expect(found.map(({ member }) => member?.status === 'deactivated')).toEqual([true, true, false])
  for (const id of ['d3', 'd4']) await expect(offboard(id, owners)).rejects.toThrow('Nobody was removed')
})
