import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { destination, later, listening, start, webhookSecret } from './over-http.ts'

interface Event {
  readonly event_id: string
  readonly type: string
  readonly session_id: string
  readonly status: string
  readonly decision: object
  readonly occurred_at: string
}

const seconds = (date: Date) => date.getTime() / 1000

// Section 6

it.each([
  ['APPROVED', 'verification.approved', 'APPROVED'],
  ['DECLINED', 'verification.declined', 'DECLINED'],
  ['IN_REVIEW', 'verification.in_review', null],
  ['ABANDONED', 'verification.abandoned', null],
  ['EXPIRED', 'verification.expired', null],
] as const)('a session that becomes %s is told as %s, with its decision', async (status, type, outcome) => {
  const { received, url } = await destination()
  const { emulator, get, session } = await listening()
  const { session_id } = await session({ callback: url, vendor_data: 'user-42' })

  await emulator.sessions.complete(session_id, status)

  expect(received.map(({ method, path }) => [method, path])).toEqual([['POST', '/hook']])
  const event: Event = JSON.parse(String(received[0]?.body))
  expect(event).toEqual({
    event_id: expect.stringMatching(/./),
    type,
    session_id,
    status,
    vendor_data: 'user-42',
    decision: expect.objectContaining({ status, decision: outcome, checks: expect.any(Array) }),
    occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  })
  expect(new Date(event.occurred_at)).toEqual(start)
  expect(event.decision).toEqual((await get(`/api/v2/session/${session_id}/decision`)).data)
})

it('a delivery is signed over its very bytes with the secret, a timestamp and its event id beside', async () => {
  const { received, url } = await destination()
  const { emulator, session } = await listening()
  const { session_id } = await session({ callback: url, vendor_data: 'Zoë → 😀 "quoted" \\ \n' })
  await emulator.clock.advance(90_500)

  await emulator.sessions.complete(session_id, 'APPROVED')

  expect(received).toHaveLength(1)
  const [{ headers, body }] = received as [(typeof received)[number]]
  expect(headers['x-svc-timestamp']).toBe(String(Math.floor(seconds(later(90.5)))))
  const mac = createHmac('sha256', webhookSecret).update(`${headers['x-svc-timestamp']}.`).update(body)
  expect(headers['x-svc-signature']).toBe(mac.digest('hex'))
  expect(headers['x-svc-event-id']).toBe(JSON.parse(String(body)).event_id)
  expect(JSON.parse(String(body)).vendor_data).toBe('Zoë → 😀 "quoted" \\ \n')
})

it('an override is delivered as the verdict that it records', async () => {
  const { received, url } = await destination()
  const { emulator, patch, session } = await listening()
  const { session_id } = await session({ callback: url })

  await patch(`/api/v2/session/${session_id}/status`, { status: 'DECLINED' })
  await emulator.webhooks.settled()

  const events = received.map(({ body }): Event => JSON.parse(String(body)))
  expect(events).toMatchObject([
    { type: 'verification.declined', session_id, decision: { status: 'DECLINED', decision: 'DECLINED' } },
  ])
})

it('a session that runs out of time is told as expired', async () => {
  const { received, url } = await destination()
  const { emulator, session } = await listening()
  await session({ callback: url, ttl_seconds: 60 })

  await emulator.clock.advance(61_000)

  expect(received.map(({ body }) => JSON.parse(String(body)).type)).toEqual(['verification.expired'])
})

it('a review and its verdict are two events with ids of their own', async () => {
  const { received, url } = await destination()
  const { emulator, session } = await listening()
  const { session_id } = await session({ callback: url })

  await emulator.sessions.complete(session_id, 'IN_REVIEW')
  await emulator.sessions.complete(session_id, 'APPROVED')

  const events = received.map(({ body }): Event => JSON.parse(String(body)))
  expect(events.map(({ type }) => type)).toEqual(['verification.in_review', 'verification.approved'])
  expect(events[0]?.event_id).not.toBe(events[1]?.event_id)
})

it('what is no outcome is not told, and neither is a session without a callback', async () => {
  const { received, url } = await destination()
  const { emulator, patch, session } = await listening()
  const begun = await session({ callback: url })
  const silent = await session()

  emulator.sessions.start(begun.session_id)
  await patch(`/api/v2/session/${begun.session_id}/status`, { status: 'APPROVED' })
  await emulator.sessions.complete(silent.session_id, 'APPROVED')
  await emulator.webhooks.settled()

  expect(received).toEqual([])
})

it('a delivery can be sent again: the same event and id, signed anew', async () => {
  const { received, url } = await destination()
  const { emulator, session } = await listening()
  const { session_id } = await session({ callback: url })
  await emulator.sessions.complete(session_id, 'APPROVED')
  await emulator.clock.advance(600_000)

  await emulator.webhooks.resend(emulator.webhooks.deliveries[0]?.id ?? '')

  const [first, second] = received
  expect(received).toHaveLength(2)
  expect(second?.body.equals(first?.body ?? Buffer.of())).toBe(true)
  expect(second?.headers['x-svc-event-id']).toBe(first?.headers['x-svc-event-id'])
  const timestamp = String(seconds(later(600)))
  expect(second?.headers['x-svc-timestamp']).toBe(timestamp)
  const mac = createHmac('sha256', webhookSecret).update(`${timestamp}.${second?.body}`)
  expect(second?.headers['x-svc-signature']).toBe(mac.digest('hex'))
})

it('a duplicate is the same event under the same id, and a bad signature is none of the secret', async () => {
  const { received, url } = await destination()
  const { emulator, session } = await listening()
  const [a, b] = [await session({ callback: url }), await session({ callback: url })]
  emulator.webhooks.faults.add({ kind: 'duplicate' })
  emulator.webhooks.faults.add({ kind: 'bad_signature' })

  await emulator.sessions.complete(a.session_id, 'APPROVED')
  await emulator.sessions.complete(b.session_id, 'APPROVED')

  const [first, second, third] = received
  expect(received).toHaveLength(3)
  expect(second?.headers['x-svc-event-id']).toBe(first?.headers['x-svc-event-id'])
  expect(second?.body.equals(first?.body ?? Buffer.of())).toBe(true)
  const holds = received.map(({ headers, body }) => {
    const mac = createHmac('sha256', webhookSecret).update(`${headers['x-svc-timestamp']}.`).update(body)
    return headers['x-svc-signature'] === mac.digest('hex')
  })
  expect(holds).toEqual([true, true, false])
  expect(third?.headers['x-svc-signature']).toMatch(/^[0-9a-f]{64}$/)
})
