import { beforeEach, expect, it, vi } from 'vitest'
import { sessionStatuses } from '../../src/contract/verification/session-status.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf, visitHostedPage } from './reading.ts'

const guide = documentedCode('docs/guides/hosted-verification.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

type OfSession = (id: string) => Promise<string>

it('the created session has a page that redirects the person back', async () => {
  const printed = await guide.run('Create a session')

  const [facts = '', page = ''] = printed.split('\n')
  expect(facts).toMatch(/^\S+ NOT_STARTED \d{4}-\d\d-\d\dT/)
  expect(await visitHostedPage(page, 'approve')).toMatch('http://127.0.0.1:3000/return?session_id=')
})

it('an open session is found by vendor_data', async () => {
  expect(await guide.run('Resume an open session')).toBe('create a session\n')
  await guide.aSession()
  expect(await guide.run('Resume an open session')).toMatch(`resume at ${guide.service.url}/s/`)
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

it.each([
  ['APPROVED', 'APPROVED'],
  ['IN_REVIEW', 'in review'],
  ['EXPIRED', 'ended without a decision: EXPIRED'],
] as const)('waiting for a session that becomes %s reports that status', async (status, outcome) => {
  const { outcomeOf } = await guide.load<{ outcomeOf: OfSession }>('Wait for a decision')
  const print = vi.spyOn(console, 'log').mockReturnValue()
  const id = await guide.aSession()
  await emulator.sessions.complete(id, status)

  expect(await outcomeOf(id)).toBe(outcome)

  expect(print.mock.calls).toEqual([[status]])
})

it('an override is accepted once, and only after the face checks passed', async () => {
  const { approve } = await guide.load<{ approve: OfSession }>('Override the decision')
  const [untouched, reviewed] = [await guide.aSession(), await guide.aSession()]
  await emulator.sessions.complete(reviewed, 'IN_REVIEW')

  expect(await approve(untouched)).toBe('ID, liveness or face match is missing')
  expect(await approve(reviewed)).toBe('APPROVED')
  expect(await approve(reviewed)).toBe('already decided: APPROVED')
})

it('the table of states lists every status', () => {
  expect(columnOf('docs/guides/hosted-verification.md', 'States')).toEqual([...sessionStatuses])
})
