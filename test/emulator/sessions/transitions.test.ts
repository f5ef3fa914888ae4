import { expect, it } from 'vitest'
import { inProcess, webhookSecret } from '../support/service.ts'
import { sessionAt } from '../support/session-at.ts'
import { callback, receiver } from '../support/webhook-receivers.ts'

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

const recorded = [200, undefined]
const alreadyDecided = [409, 'already_decided']

it.each<[from: Status, verdict: 'APPROVED' | 'DECLINED', result: unknown[]]>([
  // Its face checks have not run.
  ['NOT_STARTED', 'APPROVED', [409, 'required_face_checks_incomplete']],
  ['NOT_STARTED', 'DECLINED', recorded],
  ['IN_PROGRESS', 'APPROVED', recorded],
  ['IN_PROGRESS', 'DECLINED', recorded],
  ['IN_REVIEW', 'APPROVED', recorded],
  ['IN_REVIEW', 'DECLINED', recorded],
  ['APPROVED', 'APPROVED', alreadyDecided],
  ['APPROVED', 'DECLINED', alreadyDecided],
  ['DECLINED', 'APPROVED', alreadyDecided],
  ['DECLINED', 'DECLINED', alreadyDecided],
  ['ABANDONED', 'DECLINED', [409, 'session_closed']],
  ['EXPIRED', 'DECLINED', [410, 'session_expired']],
])(
  'an override of %s with %s is recorded and delivered, or changes nothing: %j',
  async (from, verdict, result) => {
    const { decide, decisionOf, events, id } = await sessionThatIs(from)
    const before = await decisionOf(id)

    const { data, error, status } = await decide(id, verdict)

    expect([status, error?.code]).toEqual(result)
    if (status === 200) {
      expect(data.status).toBe(verdict)
      expect(await decisionOf(id)).toMatchObject({
        status: verdict,
        decision: verdict,
        decided_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.+Z$/),
      })
      expect(await events()).toEqual([`verification.${verdict.toLowerCase()}`])
      expect((await decide(id, 'APPROVED')).error?.code).toBe('already_decided')
    } else {
      expect(await decisionOf(id)).toEqual(before)
      expect(await events()).toEqual([])
    }
  },
)

it('the error already_decided has code, message and the current status', async () => {
  const { decide, id } = await sessionThatIs('DECLINED')

  const { error } = await decide(id, 'APPROVED')

  expect(error).toEqual({ code: 'already_decided', message: expect.any(String), status: 'DECLINED' })
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
] as const)(
  'by the reading overrides in_review_only, an override of %s is %i %s',
  async (from, expected, code) => {
    const { decide, id } = await sessionThatIs(from, { readings: { overrides: 'in_review_only' } })

    const { error, status } = await decide(id, 'DECLINED')

    expect([status, error?.code]).toEqual([expected, code])
  },
)

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
  const status = async () =>
    (await decisionOf(session_id)).checks.find(({ type }) => type === 'liveness')?.status

  const statuses = [await status()]
  emulator.sessions.start(session_id, { checks: { liveness: 'running' } })
  statuses.push(await status())
  await emulator.sessions.complete(session_id, 'IN_REVIEW', { checks: { liveness: end } })
  statuses.push(await status())

  expect(statuses).toEqual(['pending', 'running', end])
})
