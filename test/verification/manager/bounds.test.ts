import { expect, it } from 'vitest'
import { configure } from '../../../src/index.ts'
import { recordingLogger } from '../../support/recording-logger.ts'
import { approving, managed, recordKey, subject } from './managed.ts'

const manyChecks = (count: number, type = 'liveness') =>
  Array.from({ length: count }, () => ({
    type,
    status: 'passed',
    data: { name: 'Åsa 日本', match: true, mode: 'verify' },
  }))

/** A manager whose service returns these checks for a session. */
function withChecks(checks: readonly object[]) {
  const made = managed()
  const { logger, warnings } = recordingLogger()
  configure({ logger })
  return { ...made, warnings, verifications: made.manager({ client: approving(made.client(), { checks }) }) }
}

it('a record keeps the first 100 checks of a session, and a warning says that there were more', async () => {
  const { verifications, warnings, store } = withChecks(manyChecks(100_000))
  await verifications.start(subject)

  const { state, checks } = await verifications.refresh(subject)

  expect(state).toBe('approved')
  expect(checks).toHaveLength(100)
  expect(warnings).toContainEqual([expect.stringContaining('100 of 100000 checks'), {}])
  expect((await store.get(recordKey))?.length).toBeLessThan(10_000)
})

it.each([
  ['failed', { type: 'liveness', status: 'failed' }],
  ['did not verify the holder', { type: 'credential', status: 'passed', data: { match: true, mode: 'search' } }],
])('a check after the first 100 that %s still counts', async (_, last) => {
  const { verifications } = withChecks([...manyChecks(150, last.type), last])
  await verifications.start(subject)
  await verifications.refresh(subject)

  await expect(verifications.ensureApproved(subject, { checks: [last.type as 'liveness'] })).rejects.toMatchObject({
    reason: 'check_missing',
  })
})

it('100 checks are kept without a warning', async () => {
  const { verifications, warnings } = withChecks(manyChecks(100))
  await verifications.start(subject)

  expect((await verifications.refresh(subject)).checks).toHaveLength(100)
  expect(warnings).toEqual([])
})

it('a record keeps the checks of the current session only', async () => {
  const { verifications, record } = withChecks(manyChecks(2))
  await verifications.start(subject)
  await verifications.refresh(subject)

  await verifications.start(subject, {}, { renew: 'always' })

  const { sessions } = (await record()) as { sessions: { checks: unknown[] }[] }
  expect(sessions.map(({ checks }) => checks.length)).toEqual([0, 0])
  expect((await verifications.refresh(subject)).checks).toHaveLength(2)
  expect(((await record()) as typeof record & { sessions: { checks: unknown[] }[] }).sessions[0]?.checks).toEqual([])
})
