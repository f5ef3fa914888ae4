import { expect, it } from 'vitest'
import { ConfigurationError, configure } from '../../../src/index.ts'
import { recordingLogger } from '../../support/recording-logger.ts'
import { approving, eventFor, managed, subject } from './managed.ts'

/** A person whose session is approved with these checks. */
async function approvedWith(checks: readonly object[], requires: readonly string[] = ['credential']) {
  const made = managed()
  const client = approving(made.client(), { decided_at: '2026-01-01T00:00:00Z', checks })
  const { logger, warnings } = recordingLogger()
  configure({ logger })
  const verifications = made.manager({ client, requires })
  const id = await made.started(verifications)
  const change = await verifications.handle(eventFor(id))
  return { ...made, verifications, warnings, change }
}

const search = { type: 'credential', status: 'passed', data: { mode: 'search', found: true, match: null } }
const verified = { type: 'credential', status: 'passed', data: { mode: 'verify', match: true } }

it.each([
  ['is missing', []],
  ['is in review', [{ type: 'credential', status: 'review' }]],
  ['failed once', [verified, { type: 'credential', status: 'failed' }]],
  ['only searched', [search]],
])('an approval in which a required check %s does not count, and the log names the check', async (_, checks) => {
  const { verifications, change, warnings } = await approvedWith(checks)

  expect(change).toMatchObject({ from: 'open', to: 'ended' })
  expect(await verifications.get(subject)).toMatchObject({
    state: 'ended',
    reason: 'check_missing',
    decidedAt: null,
  })
  await expect(verifications.ensureApproved(subject)).rejects.toMatchObject({ reason: 'ended' })
  expect(warnings.flat().join()).toContain('credential')
})

it('an approval that is older than requires does not count, and the next start creates a session', async () => {
  const { manager, client, verifications: before } = await approvedWith([verified], [])
  await before.ensureApproved(subject)
  const verifications = manager({ client: client(), requires: ['liveness'] })

  await expect(verifications.ensureApproved(subject)).rejects.toMatchObject({ reason: 'check_missing' })
  const { sessionId } = await before.get(subject)
  const started = await verifications.start(subject)

  expect(started).toMatchObject({ state: 'open', attempts: 2 })
  expect(started.sessionId).not.toBe(sessionId)
})

it('the history says that an approval by a reviewer does not count, and whose it was', async () => {
  const { manager, emulator, client, started } = managed()
  const verifications = manager({ client: approving(client(), { checks: [] }), requires: ['liveness'] })
  const sessionId = await started(verifications)
  await emulator.sessions.complete(sessionId, 'IN_REVIEW')

  const params = { sessionId, status: 'APPROVED', by: 'agent-7', reason: 'same person' } as const
  const { state, reason, history } = await verifications.review(subject, params)

  expect([state, reason]).toEqual(['ended', 'check_missing'])
  expect(history.at(-1)).toMatchObject({ state: 'ended', by: 'agent-7' })
  expect(history.map((entry) => entry.state)).not.toContain('approved')
})

it('an approval with every required check counts', async () => {
  const { verifications, warnings } = await approvedWith([verified])

  expect(await verifications.ensureApproved(subject, { checks: ['credential'] })).toMatchObject({
    checks: [{ type: 'credential', status: 'passed' }],
  })
  expect(warnings).toEqual([])
})

it('ensureApproved does not accept a license search as a passed check, as assertPassed does not', async () => {
  const { verifications } = await approvedWith([search], [])

  expect(await verifications.ensureApproved(subject)).toMatchObject({
    checks: [{ type: 'credential', status: 'passed', verified: false }],
  })
  await expect(verifications.ensureApproved(subject, { checks: ['credential'] })).rejects.toMatchObject({
    reason: 'check_missing',
  })
})

it.each(['credential', [''], [7], {}, ['face-match']])('requires %j is a ConfigurationError', (requires) => {
  expect(() => managed().manager({ requires: requires as never })).toThrow(ConfigurationError)
})

it('a type of check that the contract does not list can be required', async () => {
  const { verifications } = await approvedWith([{ type: 'iris', status: 'passed' }], ['iris'])

  expect(await verifications.ensureApproved(subject, { checks: ['iris'] })).toMatchObject({
    state: 'approved',
  })
})
