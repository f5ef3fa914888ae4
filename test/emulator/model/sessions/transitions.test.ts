import { expect, it } from 'vitest'
import { inProcess, webhookSecret } from '../../support/service.ts'
import { sessionAt } from '../../support/session-at.ts'
import { callback, receiver } from '../../support/webhook-receivers.ts'

// Section 3.1: the states of a session, and the events that its transitions send

type Status = Parameters<typeof sessionAt>[1]

/** A session at a status, and the types of the events that it has sent since. */
async function sessionThatIs(status: Status, options: Parameters<typeof inProcess>[0] = {}) {
  const { deliver, received } = receiver()
  const service = inProcess({ ...options, webhooks: { secret: webhookSecret, deliver } })
  const id = await sessionAt(service, status, { callback })
  await service.emulator.webhooks.settled()
  received.length = 0
  const events = async () => {
    await service.emulator.webhooks.settled()
    return Promise.all(received.map(async (request) => Object(await request.clone().json()).type))
  }
  return { ...service, id, events }
}

it.each<[from: Status, to: Exclude<Status, 'NOT_STARTED' | 'IN_PROGRESS'>]>([
  ['NOT_STARTED', 'ABANDONED'],
  ['NOT_STARTED', 'EXPIRED'],
  ['IN_PROGRESS', 'IN_REVIEW'],
  ['IN_PROGRESS', 'APPROVED'],
  ['IN_PROGRESS', 'DECLINED'],
  ['IN_PROGRESS', 'ABANDONED'],
  ['IN_PROGRESS', 'EXPIRED'],
  ['IN_REVIEW', 'APPROVED'],
  ['IN_REVIEW', 'DECLINED'],
  ['IN_REVIEW', 'ABANDONED'],
  ['IN_REVIEW', 'EXPIRED'],
])('a session that is %s can become %s, which sends one event', async (from, to) => {
  const { emulator, events, id, statusOf } = await sessionThatIs(from)

  await emulator.sessions.complete(id, to)

  expect(await statusOf(id)).toBe(to)
  expect(await events()).toEqual([`verification.${to.toLowerCase()}`])
})
it('an overridden session accepts no further checks', async () => {
  const { decide, decisionOf, emulator, id } = await sessionThatIs('IN_PROGRESS')
  await decide(id, 'DECLINED')
  const before = await decisionOf(id)

  expect(() => emulator.sessions.start(id, { checks: { liveness: 'failed' } })).toThrow()
  expect(await decisionOf(id)).toEqual(before)
})

it.each([
  ['NOT_STARTED', 409, 'review_not_pending'],
  ['IN_PROGRESS', 409, 'review_not_pending'],
  ['IN_REVIEW', 200, undefined],
] as const)('by the reading overrides in_review_only, an override of %s is %i %s', async (from, expected, code) => {
  const { decide, id } = await sessionThatIs(from, { readings: { overrides: 'in_review_only' } })

  const { error, status } = await decide(id, 'DECLINED')

  expect([status, error?.code]).toEqual([expected, code])
})

it('a session is IN_PROGRESS as soon as the person opens the hosted page', async () => {
  const { raw, session, statusOf } = inProcess()
  const { session_id, url } = await session()

  await raw('GET', url)

  expect(await statusOf(session_id)).toBe('IN_PROGRESS')
})

// Section 3.2

it.each(['passed', 'failed', 'review'] as const)('a check is pending, then running, then %s', async (end) => {
  const { decisionOf, emulator, session } = inProcess()
  const { session_id } = await session()
  const status = async () => (await decisionOf(session_id)).checks.find(({ type }) => type === 'liveness')?.status

  const statuses = [await status()]
  emulator.sessions.start(session_id, { checks: { liveness: 'running' } })
  statuses.push(await status())
  await emulator.sessions.complete(session_id, 'IN_REVIEW', { checks: { liveness: end } })
  statuses.push(await status())

  expect(statuses).toEqual(['pending', 'running', end])
})
