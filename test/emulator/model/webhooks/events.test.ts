import { expect, it } from 'vitest'
import { overHttp, start } from '../../support/service.ts'
import { destination, type Received } from '../../support/webhook-receivers.ts'

// Section 6: which events are sent, and their content

interface Event {
  readonly event_id: string
  readonly type: string
  readonly session_id: string
  readonly status: string
  readonly decision: object
  readonly occurred_at: string
}

const eventsIn = (received: readonly Received[]) => received.map(({ body }): Event => JSON.parse(String(body)))

it.each([
  ['APPROVED', 'verification.approved', 'APPROVED'],
  ['DECLINED', 'verification.declined', 'DECLINED'],
  ['IN_REVIEW', 'verification.in_review', null],
  ['ABANDONED', 'verification.abandoned', null],
  ['EXPIRED', 'verification.expired', null],
] as const)(
  'a session that becomes %s sends %s, with the decision of the decision endpoint',
  async (status, type, outcome) => {
    const { received, url } = await destination()
    const { emulator, decisionOf, session } = await overHttp()
    const { session_id } = await session({ callback: url, vendor_data: 'user-42' })

    await emulator.sessions.complete(session_id, status)

    expect(received.map(({ method, path }) => [method, path])).toEqual([['POST', '/hook']])
    const [event] = eventsIn(received)
    expect(event).toEqual({
      event_id: expect.stringMatching(/^evt_/),
      type,
      session_id,
      status,
      vendor_data: 'user-42',
      decision: expect.objectContaining({ status, decision: outcome, checks: expect.any(Array) }),
      occurred_at: start.toISOString(),
    })
    expect(event?.decision).toEqual(await decisionOf(session_id))
  },
)

it('a review and its verdict are two events, each with its own id', async () => {
  const { received, url } = await destination()
  const { emulator, decide, session } = await overHttp()
  const { session_id } = await session({ callback: url })

  await emulator.sessions.complete(session_id, 'IN_REVIEW')
  await decide(session_id, 'APPROVED')
  await emulator.webhooks.settled()

  const events = eventsIn(received)
  expect(events.map(({ type }) => type)).toEqual(['verification.in_review', 'verification.approved'])
  expect(events[0]?.event_id).not.toBe(events[1]?.event_id)
})

it('sends nothing for a start, for a rejected override and for a session without a callback', async () => {
  const { received, url } = await destination()
  const { emulator, decide, session } = await overHttp()
  const started = await session({ callback: url })
  const silent = await session()

  emulator.sessions.start(started.session_id)
  await decide(started.session_id, 'APPROVED')
  await emulator.sessions.complete(silent.session_id, 'APPROVED')
  await emulator.webhooks.settled()

  expect(received).toEqual([])
  expect(emulator.webhooks.deliveries).toEqual([])
})
