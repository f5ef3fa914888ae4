import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { EmulatorError } from '../../src/emulator.ts'
import { emulated, receiver, start } from './emulated.ts'

const callback = 'http://127.0.0.1:9/hook'

it('delivers a signed event when a session is decided', async () => {
  const { received, deliver } = receiver()
  const { emulator, session } = emulated({ webhooks: { secret: 'hush', deliver } })
  const { session_id } = await session({ callback, vendor_data: 'user 1' })

  await emulator.sessions.complete(session_id, 'APPROVED')

  const [request] = received
  const body = (await request?.text()) ?? ''
  const timestamp = String(start.getTime() / 1000)
  const signature = createHmac('sha256', 'hush').update(`${timestamp}.${body}`).digest('hex')
  const event = JSON.parse(body)
  expect(received).toHaveLength(1)
  expect(request?.url).toBe(callback)
  expect(request?.method).toBe('POST')
  expect(Object.fromEntries(request?.headers ?? [])).toEqual({
    'content-type': 'application/json',
    'x-emulator': '1',
    'x-svc-timestamp': timestamp,
    'x-svc-event-id': event.event_id,
    'x-svc-signature': signature,
  })
  const check = (type: string) => expect.objectContaining({ type, status: 'passed' })
  expect(event).toEqual({
    event_id: expect.stringMatching(/^evt_/),
    type: 'verification.approved',
    session_id,
    status: 'APPROVED',
    vendor_data: 'user 1',
    decision: {
      status: 'APPROVED',
      decision: 'APPROVED',
      decided_at: start.toISOString(),
      checks: [check('id_verification'), check('liveness'), check('face_match')],
    },
    occurred_at: start.toISOString(),
  })
})

it.each([
  ['APPROVED', 'verification.approved', 'APPROVED'],
  ['DECLINED', 'verification.declined', 'DECLINED'],
  ['IN_REVIEW', 'verification.in_review', null],
  ['ABANDONED', 'verification.abandoned', null],
  ['EXPIRED', 'verification.expired', null],
] as const)('announces a session that becomes %s as %s', async (status, type, decision) => {
  const { deliver } = receiver()
  const { emulator, session } = emulated({ webhooks: { deliver } })
  const { session_id } = await session({ callback })

  await emulator.sessions.complete(session_id, status)

  expect(emulator.webhooks.deliveries.map(({ event }) => event)).toMatchObject([
    { type, status, session_id, vendor_data: null, decision: { status, decision } },
  ])
})

it('announces an override, an expiry and a decision after a review', async () => {
  const { deliver } = receiver()
  const { emulator, session, decide } = emulated({ webhooks: { deliver } })
  const [a, b, c] = [
    await session({ callback }),
    await session({ callback, ttl_seconds: 60 }),
    await session({ callback }),
  ]

  await decide(a?.session_id ?? '', 'DECLINED')
  await emulator.sessions.complete(c?.session_id ?? '', 'IN_REVIEW')
  await decide(c?.session_id ?? '', 'APPROVED')
  await emulator.clock.advance(60_000)

  expect(emulator.webhooks.deliveries.map(({ event }) => [event.session_id, event.type])).toEqual([
    [a?.session_id, 'verification.declined'],
    [c?.session_id, 'verification.in_review'],
    [c?.session_id, 'verification.approved'],
    [b?.session_id, 'verification.expired'],
  ])
  expect(emulator.webhooks.deliveries.every(({ delivered }) => delivered)).toBe(true)
})

it('announces nothing that is no outcome, and nothing without a callback', async () => {
  const { received, deliver } = receiver()
  const { emulator, session, decide } = emulated({ webhooks: { deliver } })
  const silent = await session()
  const begun = await session({ callback })

  emulator.sessions.start(begun.session_id)
  await decide(begun.session_id, 'APPROVED')
  await emulator.sessions.complete(silent.session_id, 'APPROVED')
  await emulator.webhooks.settled()

  expect(received).toEqual([])
  expect(emulator.webhooks.deliveries).toEqual([])
})

it('resends the same event under a fresh timestamp', async () => {
  const { received, deliver } = receiver()
  const { emulator, session } = emulated({ webhooks: { secret: 'hush', deliver } })
  const { session_id } = await session({ callback })
  await emulator.sessions.complete(session_id, 'APPROVED')
  await emulator.clock.advance(10_000)

  const id = emulator.webhooks.deliveries[0]?.id ?? ''
  const delivery = await emulator.webhooks.resend(id)

  const [first, second] = await Promise.all(received.map((request) => request.text()))
  expect(second).toBe(first)
  const timestamp = received[1]?.headers.get('x-svc-timestamp')
  expect(timestamp).toBe(String(start.getTime() / 1000 + 10))
  expect(received[1]?.headers.get('x-svc-signature')).toBe(
    createHmac('sha256', 'hush').update(`${timestamp}.${second}`).digest('hex'),
  )
  expect(received.map(({ headers }) => headers.get('x-svc-event-id'))).toEqual([id, id])
  expect(emulator.webhooks.deliveries).toEqual([delivery])
  expect(delivery.attempts.map(({ at, status }) => [at, status])).toEqual([
    ['2026-03-01T12:00:00.000Z', 200],
    ['2026-03-01T12:00:10.000Z', 200],
  ])
  await expect(emulator.webhooks.resend('evt_unknown')).rejects.toThrow(EmulatorError)
})

it('records a failure, and never throws one', async () => {
  let answer = (): Response => {
    throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
  }
  const { deliver } = receiver(() => answer())
  const { emulator, session } = emulated({ webhooks: { deliver } })
  const { session_id } = await session({ callback })

  await emulator.sessions.complete(session_id, 'APPROVED')

  const [delivery] = emulator.webhooks.deliveries
  expect(delivery).toMatchObject({
    delivered: false,
    attempts: [{ error: 'fetch failed: connect ECONNREFUSED' }],
  })
  expect(delivery?.attempts[0]).not.toHaveProperty('status')
  answer = () => new Response('broken', { status: 500 })
  await emulator.webhooks.resend(delivery?.id ?? '')
  expect(delivery).toMatchObject({ delivered: false, attempts: [{}, { status: 500 }] })
  answer = () => new Response(null, { status: 204 })
  await emulator.webhooks.resend(delivery?.id ?? '')
  expect(delivery).toMatchObject({ delivered: true, attempts: [{}, {}, { status: 204 }] })
})

it('delivers in the background, and settled waits for it', async () => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const { deliver } = receiver(async () => {
    await gate
    return new Response()
  })
  const { emulator, session, decide } = emulated({ webhooks: { deliver } })
  const { session_id } = await session({ callback })

  const reply = await decide(session_id, 'DECLINED')

  expect(reply.status).toBe(200)
  expect(emulator.webhooks.deliveries[0]?.delivered).toBe(false)
  release()
  await emulator.webhooks.settled()
  expect(emulator.webhooks.deliveries[0]?.delivered).toBe(true)
})

it('a receiver may act on the emulator while it is being told', async () => {
  const { emulator, session, statusOf } = emulated({
    webhooks: {
      deliver: async (_, init) => {
        const event = JSON.parse(String(init?.body))
        if (event.status === 'IN_REVIEW') await emulator.sessions.complete(event.session_id, 'APPROVED')
        return new Response()
      },
    },
  })
  const { session_id } = await session({ callback })

  await emulator.sessions.complete(session_id, 'IN_REVIEW')

  expect(await statusOf(session_id)).toBe('APPROVED')
  expect(emulator.webhooks.deliveries.map(({ delivered }) => delivered)).toEqual([true, true])
})

it('does not follow a receiver that redirects', async () => {
  const seen: unknown[] = []
  const { emulator, session } = emulated({
    webhooks: {
      deliver: async (_, init) => {
        seen.push(init?.redirect)
        return new Response(null, { status: 307, headers: { location: 'https://elsewhere.example' } })
      },
    },
  })
  const { session_id } = await session({ callback })

  await emulator.sessions.complete(session_id, 'APPROVED')

  expect(seen).toEqual(['manual'])
  expect(emulator.webhooks.deliveries[0]).toMatchObject({ delivered: false, attempts: [{ status: 307 }] })
})
