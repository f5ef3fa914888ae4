import { expect, it } from 'vitest'
import type { Emulator } from '../../../../src/emulator.ts'
import { start } from '../../support/service.ts'
import { isSigned, receiving } from './receiving.ts'

const faultsOf = ({ webhooks }: Emulator) =>
  webhooks.deliveries.map(({ attempts }) => attempts.map(({ fault }) => fault))

it.each([
  { given: undefined, ageSeconds: 301 },
  { given: 3600, ageSeconds: 3600 },
])('a late event was signed $ageSeconds seconds ago, and its signature is valid', async ({ given, ageSeconds }) => {
  const { emulator, received, end } = receiving()
  emulator.webhooks.faults.add({ kind: 'late', ageSeconds: given })

  await end('APPROVED')

  const [request] = received
  expect(request?.headers.get('x-svc-timestamp')).toBe(String(start.getTime() / 1000 - ageSeconds))
  expect(await isSigned(request as Request)).toBe(true)
})

it('a bad signature is well-formed and invalid, and that of the retry is valid', async () => {
  const { emulator, received, end } = receiving(() => new Response(null, { status: 400 }))
  emulator.webhooks.faults.add({ kind: 'bad_signature' })

  await end('APPROVED')
  await emulator.clock.advance(10_000)

  const [bad, good] = received as [Request, Request]
  expect(bad.headers.get('x-svc-signature')).toMatch(/^[0-9a-f]{64}$/)
  expect([await isSigned(bad), await isSigned(good)]).toEqual([false, true])
})

it('an out-of-order event is sent after the next event', async () => {
  const { emulator, received, end } = receiving()
  emulator.webhooks.faults.add({ kind: 'out_of_order', type: 'verification.in_review' })

  const id = await end('IN_REVIEW')
  expect(received).toEqual([])
  expect(emulator.webhooks.deliveries).toMatchObject([{ delivered: false, attempts: [] }])
  await emulator.sessions.complete(id, 'APPROVED')

  const bodies = await Promise.all(received.map((request) => request.json()))
  expect(bodies).toMatchObject([{ type: 'verification.approved' }, { type: 'verification.in_review' }])
})

it('resend sends a lost or out-of-order event once', async () => {
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

it('a fault applies to the events of its type, a number of times or until clear is called', async () => {
  const { emulator, end } = receiving()
  emulator.webhooks.faults.add({ kind: 'late', type: 'verification.declined', times: 2 })
  emulator.webhooks.faults.add({ kind: 'duplicate', times: Number.POSITIVE_INFINITY })

  for (const status of ['DECLINED', 'APPROVED', 'DECLINED', 'DECLINED'] as const) await end(status)
  emulator.webhooks.faults.clear()
  await end('APPROVED')

  const twice = ['duplicate', 'duplicate']
  expect(faultsOf(emulator)).toEqual([['late'], twice, ['late'], twice, [undefined]])
})
