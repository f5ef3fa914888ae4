import { beforeEach, expect, it } from 'vitest'
import { memberStatuses } from '../../src/contract/organization/member-results.ts'
import { OrgClient } from '../../src/org.ts'
import { documented } from '../support/documented.ts'
import { columnOf } from './reading.ts'

const guide = documented('docs/roster.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

it('people are added once, and whoever left comes back', async () => {
  expect(await guide.run('Add people')).toBe(
    'alex@example.com true link_sent\nbo@example.com true link_sent\n',
  )

  const { clientId, clientSecret } = emulator.options.org
  const org = new OrgClient({ baseUrl: guide.service.url, clientId, clientSecret })
  await org.members.deactivate('alex@example.com')

  expect(await guide.run('Add people')).toBe(
    'alex@example.com true came back\nbo@example.com skipped: duplicate\n',
  )
})

it('a batch that fails is told, and the loop goes on', async () => {
  emulator.faults.add({ match: 'members.add', status: 400, code: 'invalid_request' })
  expect(await guide.run('Add people')).toMatch(/^2 not added: /)
})

it('a face link is handed to whoever sends it', async () => {
  const { inviteByOurselves } = await guide.load<{
    inviteByOurselves(email: string, send: (to: string, link: string) => void): Promise<number>
  }>('Send the invites yourself')
  const sent: string[][] = []

  expect(await inviteByOurselves('alex@example.com', (...mail) => sent.push(mail))).toBe(1)

  expect(sent).toEqual([['alex@example.com', expect.stringContaining('http')]])
  expect(emulator.members.activate(String(sent[0]?.[1])).status).toBe('active')
})

it('a developer is resolved, and not listed', async () => {
  await guide.run('Add people')
  expect(await guide.run('Look somebody up')).toBe('true developer false\nEmulated organization 1\n')
})

it('only those who have a link are reminded', async () => {
  await guide.run('Add people')
  expect(await guide.run('Remind those who have not come')).toBe('1 reminded\n')
  emulator.members.activate('alex@example.com')
  expect(await guide.run('Remind those who have not come')).toBe('0 reminded\n')
})

it('a member leaves, comes back and goes, and going twice is a success', async () => {
  await guide.run('Add people')
  emulator.members.activate('alex@example.com')

  expect(await guide.run('Leave, come back, go')).toBe('deactivated\nactive\ntrue\ntrue\n')
})

it('the bill counts active members', async () => {
  await guide.run('Add people')
  emulator.members.activate('alex@example.com')

  expect(await guide.run('What it costs')).toBe(
    'team, 5 a seat\n1 seats, next 5 USD, balance 0, 0 invoices\n',
  )
})

it('the table of states has every status', () => {
  expect(columnOf('docs/roster.md', 'States')).toEqual([...memberStatuses])
})
