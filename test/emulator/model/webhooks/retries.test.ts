import { expect, it } from 'vitest'
import { later, start } from '../../support/service.ts'
import { isSigned, receiving } from './receiving.ts'

it('retries a failed delivery after 10, 60 and 300 seconds, each time with a new signature', async () => {
  const { emulator, received, end } = receiving(() => new Response('no', { status: 503 }))
  await end('APPROVED')

  for (const seconds of [9, 1, 59, 1, 299, 1, 86_400]) {
    await emulator.clock.advance(seconds * 1000)
    await emulator.webhooks.settled()
  }

  const sentAfter = received.map(({ headers }) => Number(headers.get('x-svc-timestamp')) - start.getTime() / 1000)
  expect(sentAfter).toEqual([0, 10, 70, 370])
  expect(await Promise.all(received.map(isSigned))).toEqual([true, true, true, true])
  expect(new Set(received.map(({ headers }) => headers.get('x-svc-event-id'))).size).toBe(1)
  expect(emulator.webhooks.deliveries[0]).not.toHaveProperty('retryAt')
})

it('retryAt is the time of the next retry, and an accepted delivery is not sent again', async () => {
  let status = 500
  const { emulator, received, end, get } = receiving(() => new Response(null, { status }), {
    retryAfterSeconds: [30],
  })
  await end('APPROVED')
  expect(emulator.webhooks.deliveries[0]?.retryAt).toBe(later(30).toISOString())
  status = 200

  await emulator.clock.advance(30_000)
  await emulator.clock.advance(30_000)
  await get('/api/v2/session')

  expect(received).toHaveLength(2)
  expect(emulator.webhooks.deliveries).toMatchObject([{ delivered: true }])
})

it('retries nothing if retryAfterSeconds is empty', async () => {
  const { emulator, received, end } = receiving(() => new Response(null, { status: 500 }), {
    retryAfterSeconds: [],
  })
  await end('APPROVED')

  await emulator.clock.advance(86_400_000)

  expect(received).toHaveLength(1)
})
