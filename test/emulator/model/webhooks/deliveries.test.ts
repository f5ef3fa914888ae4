import { expect, it } from 'vitest'
import { inProcess, later, overHttp } from '../../support/service.ts'
import { callback, destination, receiver, signatureOf } from '../../support/webhook-receivers.ts'

const timestampAfter = (seconds: number) => String(Math.floor(later(seconds).getTime() / 1000))

it('sends the five documented headers, and no others of its own', async () => {
  const { received, deliver } = receiver()
  const { emulator, session } = inProcess({ webhooks: { deliver } })
  const { session_id } = await session({ callback })

  await emulator.sessions.complete(session_id, 'APPROVED')

  expect([...(received[0]?.headers.keys() ?? [])].sort()).toEqual([
    'content-type',
    'x-emulator',
    'x-svc-event-id',
    'x-svc-signature',
    'x-svc-timestamp',
  ])
  const [timestamp, signature] = ['timestamp', 'signature'].map((name) => received[0]?.headers.get(`x-svc-${name}`))
  expect(timestamp).toBe(timestampAfter(0))
  expect(signature).toBe(signatureOf(timestamp, (await received[0]?.text()) ?? ''))
})

it('records a delivery with the request that was sent and the status of its response', async () => {
  const { received, url } = await destination()
  const { emulator, session } = await overHttp()
  const { session_id } = await session({ callback: url })

  await emulator.sessions.complete(session_id, 'DECLINED')

  expect(emulator.webhooks.deliveries).toMatchObject([{ delivered: true, attempts: [{ status: 200 }] }])
  const [attempt] = emulator.webhooks.deliveries[0]?.attempts ?? []
  expect(received.map(({ body }) => String(body))).toEqual([attempt?.request.body])
})

it('resend sends the same event with the same id, a new timestamp and a new signature', async () => {
  const { received, url } = await destination()
  const { emulator, session } = await overHttp()
  const { session_id } = await session({ callback: url })
  await emulator.sessions.complete(session_id, 'APPROVED')
  await emulator.clock.advance(600_000)
  const id = emulator.webhooks.deliveries[0]?.id ?? ''

  const delivery = await emulator.webhooks.resend(id)

  expect(received).toHaveLength(2)
  const [first, second] = received as [(typeof received)[number], (typeof received)[number]]
  expect(second.body.equals(first.body)).toBe(true)
  expect(received.map(({ headers }) => headers['x-svc-event-id'])).toEqual([id, id])
  expect(second.headers['x-svc-timestamp']).toBe(timestampAfter(600))
  expect(second.headers['x-svc-signature']).toBe(signatureOf(timestampAfter(600), second.body))
  expect(emulator.webhooks.deliveries).toEqual([delivery])
  expect(delivery.attempts.map(({ at, status }) => [at, status])).toEqual([
    ['2026-03-01T12:00:00.000Z', 200],
    ['2026-03-01T12:10:00.000Z', 200],
  ])
})

it('records a failed attempt with its error or status, and never throws it', async () => {
  let respond = (): Response => {
    throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
  }
  const { deliver } = receiver(() => respond())
  const { emulator, session } = inProcess({ webhooks: { deliver } })
  const { session_id } = await session({ callback })

  await emulator.sessions.complete(session_id, 'APPROVED')

  const [delivery] = emulator.webhooks.deliveries
  expect(delivery).toMatchObject({
    delivered: false,
    attempts: [{ error: 'fetch failed: connect ECONNREFUSED' }],
  })
  expect(delivery?.attempts[0]).not.toHaveProperty('status')
  respond = () => new Response('broken', { status: 500 })
  await emulator.webhooks.resend(delivery?.id ?? '')
  expect(delivery).toMatchObject({ delivered: false, attempts: [{}, { status: 500 }] })
  respond = () => new Response(null, { status: 204 })
  await emulator.webhooks.resend(delivery?.id ?? '')
  expect(delivery).toMatchObject({ delivered: true, attempts: [{}, {}, { status: 204 }] })
})

it('delivers in the background, and settled waits until it is done', async () => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const { deliver } = receiver(() => gate.then(() => new Response()))
  const { emulator, session, decide } = inProcess({ webhooks: { deliver } })
  const { session_id } = await session({ callback })

  const { status } = await decide(session_id, 'DECLINED')

  expect(status).toBe(200)
  expect(emulator.webhooks.deliveries[0]?.delivered).toBe(false)
  release()
  await emulator.webhooks.settled()
  expect(emulator.webhooks.deliveries[0]?.delivered).toBe(true)
})

it('a receiver can change the session while it handles the event', async () => {
  const { emulator, session, statusOf } = inProcess({
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

it('does not follow a redirect of the receiver, and counts it as a failure', async () => {
  const modes: unknown[] = []
  const { emulator, session } = inProcess({
    webhooks: {
      deliver: async (_, init) => {
        modes.push(init?.redirect)
        return new Response(null, { status: 307, headers: { location: 'https://elsewhere.example' } })
      },
    },
  })
  const { session_id } = await session({ callback })

  await emulator.sessions.complete(session_id, 'APPROVED')

  expect(modes).toEqual(['manual'])
  expect(emulator.webhooks.deliveries[0]).toMatchObject({ delivered: false, attempts: [{ status: 307 }] })
})

it('keeps the first 2048 characters of the response', async () => {
  const { deliver } = receiver(() => new Response('ü'.repeat(1_000_000), { status: 500 }))
  const { emulator, session } = inProcess({ webhooks: { deliver } })
  const { session_id } = await session({ callback })

  await emulator.sessions.complete(session_id, 'APPROVED')

  const [attempt] = emulator.webhooks.deliveries[0]?.attempts ?? []
  expect(attempt).toMatchObject({ status: 500, responseBody: 'ü'.repeat(2048) })
})

it('a response that breaks off after its status counts as delivered', async () => {
  const broken = () =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.error(new Error('gone'))
        },
      }),
    )
  const { deliver } = receiver(broken)
  const { emulator, session } = inProcess({ webhooks: { deliver } })
  const { session_id } = await session({ callback })

  await emulator.sessions.complete(session_id, 'APPROVED')

  expect(emulator.webhooks.deliveries).toMatchObject([{ delivered: true, attempts: [{ status: 200 }] }])
})
