import { beforeEach, expect, it } from 'vitest'
import { sessionStatuses } from '../../src/contract/verification/sessions.ts'
import { documented } from '../support/documented.ts'
import { columnOf, visitHostedPage } from './reading.ts'

const guide = documented('docs/hosted-verification.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

it('a session is created, and its page is where the person goes', async () => {
  const printed = await guide.run('Create a session', {
    env: { CALLBACK_URL: 'http://127.0.0.1:9/webhooks' },
  })

  const [facts = '', page = ''] = printed.split('\n')
  expect(facts).toMatch(/^\S+ NOT_STARTED \d{4}-\d\d-\d\dT/)
  expect(await visitHostedPage(page, 'approve')).toMatch('https://app.example.com/return?session_id=')
})

it('a session that is there already is found by the own reference', async () => {
  expect(await guide.run('Create a session 2')).toBe('create one\n')
  await guide.aSession()
  expect(await guide.run('Create a session 2')).toMatch(`go on at ${guide.service.url}/s/`)
})

it('the page for those who come back believes the decision, not the address', async () => {
  const id = await guide.aSession()
  await guide.whileServing('When the person comes back', async (port) => {
    const visit = async (query: string) => (await fetch(`http://127.0.0.1:${port}/return${query}`)).text()

    expect(await visit(`?session_id=${id}&status=APPROVED`)).toBe('not decided yet (the page said APPROVED)')
    await emulator.sessions.complete(id, 'DECLINED')
    expect(await visit(`?session_id=${id}&status=APPROVED`)).toBe('DECLINED')
    expect(await visit('')).toBe('no session')
  })
})

it('every end of a session reaches its callback', async () => {
  const printed = await guide.whileServing('When the webhook comes', async (port) => {
    const ends = ['APPROVED', 'DECLINED', 'IN_REVIEW', 'ABANDONED', 'EXPIRED'] as const
    for (const end of ends) {
      const id = await guide.aSession(`http://127.0.0.1:${port}/webhooks`)
      await emulator.sessions.complete(id, end)
    }
  })

  expect(printed.split('\n')).toEqual([
    'user-42 APPROVED all passed',
    expect.stringMatching(/^user-42 DECLINED \w+/),
    expect.stringMatching(/^user-42 no outcome yet \w+/),
    'user-42 left',
    'user-42 ran out of time',
    '',
  ])
})

it.each([
  ['APPROVED', 'APPROVED\nAPPROVED 3\n'],
  ['IN_REVIEW', 'IN_REVIEW\nin review 3\n'],
  ['EXPIRED', 'EXPIRED\nover without a decision: EXPIRED\n'],
] as const)('a wait for a session that is %s tells so', async (status, printed) => {
  const id = await guide.aSession()
  await emulator.sessions.complete(id, status)

  expect(await guide.run('Where no webhook can reach you', { env: { SESSION_ID: id } })).toBe(printed)
})

it('a decision by hand is taken once, and not before the face checks have passed', async () => {
  const decide = (id: string) => guide.run('Decide yourself', { env: { SESSION_ID: id } })
  const [untouched, reviewed] = [await guide.aSession(), await guide.aSession()]
  await emulator.sessions.complete(reviewed, 'IN_REVIEW')

  expect(await decide(untouched)).toBe('ID, liveness or face match is missing\n')
  expect(await decide(reviewed)).toBe('APPROVED\n')
  expect(await decide(reviewed)).toBe('it is APPROVED for good\n')
})

it('the table of states has every status', () => {
  expect(columnOf('docs/hosted-verification.md', 'States')).toEqual([...sessionStatuses])
})
