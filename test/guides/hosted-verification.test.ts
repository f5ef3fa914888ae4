import { beforeEach, expect, it } from 'vitest'
import { sessionStatuses } from '../../src/contract/verification/session-status.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf, visitHostedPage } from './reading.ts'

const guide = documentedCode('docs/hosted-verification.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

it('the created session has a page that redirects the person back', async () => {
  const printed = await guide.run('Create a session', {
    env: { CALLBACK_URL: 'http://127.0.0.1:9/webhooks' },
  })

  const [facts = '', page = ''] = printed.split('\n')
  expect(facts).toMatch(/^\S+ NOT_STARTED \d{4}-\d\d-\d\dT/)
  expect(await visitHostedPage(page, 'approve')).toMatch('https://app.example.com/return?session_id=')
})

it('an open session is found by vendor_data', async () => {
  expect(await guide.run('Create a session 2')).toBe('create a session\n')
  await guide.aSession()
  expect(await guide.run('Create a session 2')).toMatch(`resume at ${guide.service.url}/s/`)
})

it('the return page shows the decision, not the status in its URL', async () => {
  const id = await guide.aSession()
  await guide.whileServing('Handle the return', async (port) => {
    const visit = async (query: string) => (await fetch(`http://127.0.0.1:${port}/return${query}`)).text()

    expect(await visit(`?session_id=${id}&status=APPROVED`)).toBe('no decision yet (the URL says APPROVED)')
    await emulator.sessions.complete(id, 'DECLINED')
    expect(await visit(`?session_id=${id}&status=APPROVED`)).toBe('DECLINED')
    expect(await visit('')).toBe('session_id is missing')
  })
})

it('each outcome of a session calls its webhook callback', async () => {
  const printed = await guide.whileServing('Handle the webhook', async (port) => {
    const statuses = ['APPROVED', 'DECLINED', 'IN_REVIEW', 'ABANDONED', 'EXPIRED'] as const
    for (const status of statuses) {
      const id = await guide.aSession(`http://127.0.0.1:${port}/webhooks`)
      await emulator.sessions.complete(id, status)
    }
  })

  expect(printed.split('\n')).toEqual([
    'user-42 APPROVED all passed',
    expect.stringMatching(/^user-42 DECLINED \w+/),
    expect.stringMatching(/^user-42 no decision yet \w+/),
    'user-42 ended without a decision',
    'user-42 ended without a decision',
    '',
  ])
})

it.each([
  ['APPROVED', 'APPROVED\nAPPROVED 3\n'],
  ['IN_REVIEW', 'IN_REVIEW\nin review 3\n'],
  ['EXPIRED', 'EXPIRED\nended without a decision: EXPIRED\n'],
] as const)('waiting for a session that becomes %s reports that status', async (status, printed) => {
  const id = await guide.aSession()
  await emulator.sessions.complete(id, status)

  expect(await guide.run('Wait for a decision', { env: { SESSION_ID: id } })).toBe(printed)
})

it('an override is accepted once, and only after the face checks passed', async () => {
  const decide = (id: string) => guide.run('Override the decision', { env: { SESSION_ID: id } })
  const [untouched, reviewed] = [await guide.aSession(), await guide.aSession()]
  await emulator.sessions.complete(reviewed, 'IN_REVIEW')

  expect(await decide(untouched)).toBe('ID, liveness or face match is missing\n')
  expect(await decide(reviewed)).toBe('APPROVED\n')
  expect(await decide(reviewed)).toBe('already decided: APPROVED\n')
})

it('the table of states lists every status', () => {
  expect(columnOf('docs/hosted-verification.md', 'States')).toEqual([...sessionStatuses])
})
