import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { type DeliveryFault, EmulatorError } from '../../src/emulator.ts'
import { type Emulator, emulated, receiver, start } from './emulated.ts'

const callback = 'http://127.0.0.1:9/hook'
const secret = 'hush'

/** An emulator whose receiver keeps what it is sent. */
function receiving(answer?: () => Response, retryAfterSeconds?: number[]) {
  const { received, deliver } = receiver(answer)
  const made = emulated({
    webhooks: { secret, deliver, ...(retryAfterSeconds && { retryAfterSeconds }) },
  })
  const end = async (status: 'APPROVED' | 'DECLINED' | 'IN_REVIEW') => {
    const { session_id } = await made.session({ callback })
    await made.emulator.sessions.complete(session_id, status)
    return session_id
  }
  return { ...made, received, end }
}

const isSigned = async (request: Request) => {
  const timestamp = request.headers.get('x-svc-timestamp')
  const body = await request.clone().text()
  const expected = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return request.headers.get('x-svc-signature') === expected
}

const kinds = ({ webhooks }: Emulator) =>
  webhooks.deliveries.map(({ attempts }) => attempts.map(({ fault }) => fault))

it('a duplicate is the same event, sent twice', async () => {
  const { emulator, received, end } = receiving()
  emulator.webhooks.faults.add({ kind: 'duplicate' })

  await end('APPROVED')

  const [first, second] = await Promise.all(received.map((request) => request.text()))
  expect(received).toHaveLength(2)
  expect(second).toBe(first)
  expect(emulator.webhooks.deliveries).toHaveLength(1)
  expect(kinds(emulator)).toEqual([['duplicate', 'duplicate']])
})

it.each([
  { given: undefined, ageSeconds: 301 },
  { given: 3600, ageSeconds: 3600 },
])('a late event was signed $ageSeconds seconds ago, and rightly', async ({ given, ageSeconds }) => {
  const { emulator, received, end } = receiving()
  emulator.webhooks.faults.add({ kind: 'late', ageSeconds: given })

  await end('APPROVED')

  const [request] = received
  expect(request?.headers.get('x-svc-timestamp')).toBe(String(start.getTime() / 1000 - ageSeconds))
  expect(await isSigned(request as Request)).toBe(true)
})

it('a bad signature is well-formed and wrong, and the next sending is right', async () => {
  const { emulator, received, end } = receiving(() => new Response(null, { status: 400 }))
  emulator.webhooks.faults.add({ kind: 'bad_signature' })

  await end('APPROVED')
  await emulator.clock.advance(10_000)

  const [bad, good] = received as [Request, Request]
  expect(bad.headers.get('x-svc-signature')).toMatch(/^[0-9a-f]{64}$/)
  expect([await isSigned(bad), await isSigned(good)]).toEqual([false, true])
})

it('an event out of order comes after the one that was sent next', async () => {
  const { emulator, received, end } = receiving()
  emulator.webhooks.faults.add({ kind: 'out_of_order', type: 'verification.in_review' })

  const id = await end('IN_REVIEW')
  expect(received).toEqual([])
  expect(emulator.webhooks.deliveries).toMatchObject([{ delivered: false, attempts: [] }])
  await emulator.sessions.complete(id, 'APPROVED')

  const bodies = await Promise.all(received.map((request) => request.json()))
  expect(bodies).toMatchObject([{ type: 'verification.approved' }, { type: 'verification.in_review' }])
})

it('an event that is held back or lost is sent by resend, once', async () => {
  const { emulator, received, end } = receiving()
  emulator.webhooks.faults.add({ kind: 'out_of_order' })
  emulator.webhooks.faults.add({ kind: 'lost' })
  await end('APPROVED')
  await end('APPROVED')
  await emulator.clock.advance(3_600_000)
  expect(received).toEqual([])

  for (const { id } of emulator.webhooks.deliveries) await emulator.webhooks.resend(id)
  await end('APPROVED')

  expect(received).toHaveLength(3)
})

it('befalls the events of its type, as often as told, until cleared', async () => {
  const { emulator, end } = receiving()
  emulator.webhooks.faults.add({ kind: 'late', type: 'verification.declined', times: 2 })
  emulator.webhooks.faults.add({ kind: 'duplicate', times: Number.POSITIVE_INFINITY })

  for (const status of ['DECLINED', 'APPROVED', 'DECLINED', 'DECLINED'] as const) await end(status)
  emulator.webhooks.faults.clear()
  await end('APPROVED')

  const twice = ['duplicate', 'duplicate']
  expect(kinds(emulator)).toEqual([['late'], twice, ['late'], twice, [undefined]])
})

it.each<[string, DeliveryFault]>([
  ['an unknown kind', { kind: 'toString' as 'late' }],
  ['an unknown type', { kind: 'late', type: 'verification.unknown' as 'verification.approved' }],
  ['no times', { kind: 'late', times: 0 }],
  ['half a time', { kind: 'late', times: 0.5 }],
  ['an age that is no number', { kind: 'late', ageSeconds: Number.NaN }],
])('refuses %s', (_, fault) => {
  expect(() => emulated().emulator.webhooks.faults.add(fault)).toThrow(EmulatorError)
})

it('sends what failed again after 10, 60 and 300 seconds, then no more, each time with a fresh signature', async () => {
  const { emulator, received, end } = receiving(() => new Response('no', { status: 503 }))
  await end('APPROVED')

  for (const seconds of [9, 1, 59, 1, 299, 1, 86_400]) {
    await emulator.clock.advance(seconds * 1000)
    await emulator.webhooks.settled()
  }

  const sentAfter = received.map(
    ({ headers }) => Number(headers.get('x-svc-timestamp')) - start.getTime() / 1000,
  )
  expect(sentAfter).toEqual([0, 10, 70, 370])
  expect(await Promise.all(received.map(isSigned))).toEqual([true, true, true, true])
  expect(new Set(received.map(({ headers }) => headers.get('x-svc-event-id'))).size).toBe(1)
  expect(emulator.webhooks.deliveries[0]).not.toHaveProperty('retryAt')
})

it('tells when the next sending is due, and sends nothing again that was taken', async () => {
  let status = 500
  const { emulator, received, end, call } = receiving(() => new Response(null, { status }), [30])
  await end('APPROVED')
  expect(emulator.webhooks.deliveries[0]?.retryAt).toBe(new Date(start.getTime() + 30_000).toISOString())
  status = 200

  await emulator.clock.advance(30_000)
  await emulator.clock.advance(30_000)
  await call('GET', '/api/v2/session')

  expect(received).toHaveLength(2)
  expect(emulator.webhooks.deliveries).toMatchObject([{ delivered: true }])
})

it('an empty schedule sends nothing again', async () => {
  const { emulator, received, end } = receiving(() => new Response(null, { status: 500 }), [])
  await end('APPROVED')

  await emulator.clock.advance(86_400_000)

  expect(received).toHaveLength(1)
})

it('keeps the beginning of what the receiver answered, however much it sends', async () => {
  const { emulator, end } = receiving(() => new Response('ü'.repeat(1_000_000), { status: 500 }), [])

  await end('APPROVED')

  const [attempt] = emulator.webhooks.deliveries[0]?.attempts ?? []
  expect(attempt).toMatchObject({ status: 500, responseBody: 'ü'.repeat(2048) })
})

it('a receiver whose answer breaks off after the status has answered', async () => {
  const broken = () =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.error(new Error('gone'))
        },
      }),
    )
  const { emulator, end } = receiving(broken)

  await end('APPROVED')

  expect(emulator.webhooks.deliveries).toMatchObject([{ delivered: true, attempts: [{ status: 200 }] }])
})
