import { expect, it } from 'vitest'
import { isSigned, receiving } from '../model/webhooks/receiving.ts'

it('a test event is sent to each destination, each with its own event id', async () => {
  const urls = ['https://a.example/hook', 'https://b.example/hook']
  const { emulator, received } = receiving(undefined, { destinations: urls })

  const deliveries = await emulator.webhooks.sendTest('verification.approved')

  expect(received.map(({ url }) => url)).toEqual(urls)
  expect(deliveries.map(({ url }) => url)).toEqual(urls)
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(2)
})

it('a test event can be a duplicate or have a bad signature, by a delivery fault', async () => {
  const { emulator, received } = receiving(undefined, { destinations: ['https://a.example/hook'] })
  emulator.webhooks.faults.add({ kind: 'bad_signature' })
  emulator.webhooks.faults.add({ kind: 'duplicate' })

  await emulator.webhooks.sendTest('verification.approved')
  await emulator.webhooks.sendTest('verification.approved')

  expect(await Promise.all(received.map(isSigned))).toEqual([false, true, true])
  const ids = received.map(({ headers }) => headers.get('x-svc-event-id'))
  expect(ids[1]).toBe(ids[2])
})

it.each([
  'verification.approved',
  'verification.declined',
  'verification.in_review',
  'verification.abandoned',
  'verification.expired',
] as const)('a test event of %s is marked, signed with the real secret, and alters no session', async (type) => {
  const { emulator, get, received } = receiving(undefined, { destinations: ['https://a.example/hook'] })

  await emulator.webhooks.sendTest(type)

  const [request] = received as [Request]
  expect(await isSigned(request)).toBe(true)
  expect(await request.json()).toMatchObject({
    type,
    test: true,
    session_id: expect.stringMatching(/^sess_test_/),
  })
  expect((await get('/api/v2/session')).data).toEqual([])
})

it('a test event that was not delivered can be resent', async () => {
  const { emulator, received } = receiving(undefined, { destinations: ['https://a.example/hook'] })
  emulator.webhooks.faults.add({ kind: 'lost' })
  const [delivery] = await emulator.webhooks.sendTest('verification.expired')

  await emulator.webhooks.resend(delivery?.id ?? '')

  expect(received).toHaveLength(1)
})

it('a test event without a destination is rejected, and the error names the option', async () => {
  const { emulator } = receiving()

  await expect(emulator.webhooks.sendTest('verification.approved')).rejects.toThrow('webhooks.destinations')
})
