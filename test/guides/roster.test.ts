import { beforeEach, expect, it } from 'vitest'
import { memberStatuses } from '../../src/contract/organization/member-results.ts'
import { OrgClient } from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf } from './reading.ts'

const guide = documentedCode('docs/guides/roster.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

it('people are added once', async () => {
  expect(await guide.run('Add people')).toBe('2 added, 0 skipped\n')
  expect(await guide.run('Add people')).toBe('0 added, 2 skipped\n')
})

it('each batch is processed, and deactivated members are reactivated', async () => {
  expect(await guide.run('Process each batch')).toBe('alex@example.com true link_sent\nbo@example.com true link_sent\n')

  const { clientId, clientSecret } = emulator.options.org
  const org = new OrgClient({ baseUrl: guide.service.url, clientId, clientSecret })
  await org.members.deactivate('alex@example.com')

  expect(await guide.run('Process each batch')).toBe(
    'alex@example.com true reactivated\nbo@example.com skipped: duplicate\n',
  )
})

it.each([
  [
    'Add people',
    /^0 added, 0 skipped\nalex@example.com not added: invalid_request\nbo@example.com not added: invalid_request\n/,
  ],
  ['Process each batch', /^2 not added: /],
])('%s: a failed call is reported', async (section, output) => {
  emulator.faults.add({ match: 'members.add', status: 400, code: 'invalid_request' })
  expect(await guide.run(section)).toMatch(output)
})

it('a face link is returned instead of being emailed', async () => {
  const { sendOwnInvite } = await guide.load<{
    sendOwnInvite(email: string, send: (to: string, link: string) => void): Promise<number>
  }>('Send invites yourself')
  const sent: string[][] = []

  expect(await sendOwnInvite('alex@example.com', (...mail) => sent.push(mail))).toBe(1)

  expect(sent).toEqual([['alex@example.com', expect.stringContaining('http')]])
  expect(emulator.members.activate(String(sent[0]?.[1])).status).toBe('active')
})

it('a developer is found by lookup but not listed', async () => {
  await guide.run('Add people')
  expect(await guide.run('Look up a member')).toBe('true developer false\nEmulated organization 1\n')
})

it('invites are resent only to members who have a link', async () => {
  await guide.run('Add people')
  expect(await guide.run('Resend invites')).toBe('1 invites resent\n')
  emulator.members.activate('alex@example.com')
  expect(await guide.run('Resend invites')).toBe('0 invites resent\n')
})

it('a member is deactivated, reactivated and removed, and removing twice says that nobody was found', async () => {
  await guide.run('Add people')
  emulator.members.activate('alex@example.com')

  expect(await guide.run('Deactivate, reactivate and remove members')).toBe(
    'deactivated\nactive\ntrue\nnobody was removed\n',
  )
})

it('the billing summary counts active members', async () => {
  await guide.run('Add people')
  emulator.members.activate('alex@example.com')

  expect(await guide.run('Read the billing summary')).toBe(
    'team, 5 per seat\n1 seats, next 5 USD, balance 0, 0 invoices\n',
  )
})

it('the table of states lists every status', () => {
  expect(columnOf('docs/guides/roster.md', 'States')).toEqual([...memberStatuses])
})
