import { expect, it } from 'vitest'
import { EmulatorError } from '../../../src/emulator.ts'
import { overHttp, start } from '../support/service.ts'
import { destination, signatureOf } from '../support/webhook-receivers.ts'
import { isSigned, receiving } from './receiving.ts'

// Section 6: test events of the console

it.each([
  ['verification.approved', 'APPROVED', 'APPROVED'],
  ['verification.declined', 'DECLINED', 'DECLINED'],
  ['verification.in_review', 'IN_REVIEW', null],
  ['verification.abandoned', 'ABANDONED', null],
  ['verification.expired', 'EXPIRED', null],
] as const)('a test event %s has test: true and no real session', async (type, status, outcome) => {
  const { received, url } = await destination()
  const { emulator, get } = await overHttp({ webhooks: { destinations: [url] } })

  const deliveries = await emulator.webhooks.sendTest(type)

  const [delivery] = received
  expect(JSON.parse(String(delivery?.body))).toEqual({
    test: true,
    event_id: expect.stringMatching(/^evt_/),
    type,
    session_id: expect.stringMatching(/^sess_test_[0-9a-f]+$/),
    status,
    vendor_data: null,
    decision: expect.objectContaining({ status, decision: outcome, checks: [] }),
    occurred_at: start.toISOString(),
  })
  const { 'x-svc-signature': signature, 'x-svc-timestamp': timestamp } = delivery?.headers ?? {}
  expect(signature).toBe(signatureOf(timestamp, delivery?.body ?? ''))
  expect(deliveries).toMatchObject([{ url, delivered: true, event: { type } }])
  expect(emulator.webhooks.deliveries).toEqual(deliveries)
  expect((await get('/api/v2/session')).data).toEqual([])
})

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

it('a test event that was not delivered can be resent', async () => {
  const { emulator, received } = receiving(undefined, { destinations: ['https://a.example/hook'] })
  emulator.webhooks.faults.add({ kind: 'lost' })
  const [delivery] = await emulator.webhooks.sendTest('verification.expired')

  await emulator.webhooks.resend(delivery?.id ?? '')

  expect(received).toHaveLength(1)
})

it.each(['verification.paused', 'APPROVED', 'toString'])(
  'a test event of the unknown type %s is rejected with the list of types',
  async (type) => {
    const { emulator, received } = receiving(undefined, { destinations: ['https://a.example/hook'] })
    const message = `webhooks.sendTest: type: "${type}" is not one of verification.approved, verification.declined, verification.in_review, verification.abandoned, verification.expired`

    await expect(emulator.webhooks.sendTest(type as never)).rejects.toThrow(new EmulatorError({ message }))

    expect(received).toEqual([])
  },
)

it('a test event without a destination is rejected, and the error names the option', async () => {
  const { emulator } = receiving()

  await expect(emulator.webhooks.sendTest('verification.approved')).rejects.toThrow('webhooks.destinations')
})
