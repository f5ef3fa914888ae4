import { expect, it } from 'vitest'
import {
  createVerificationManager,
  memoryStore,
  VerificationClient,
  type VerificationState,
} from '../../../src/index.ts'
import { callback } from '../support/webhook-receivers.ts'
import { receiving } from './receiving.ts'

it('a fault loses all webhooks, also retries, until it is removed; reconcile finds every outcome', async () => {
  const { emulator, received, end } = receiving()
  emulator.webhooks.faults.add({ kind: 'lost', times: Number.POSITIVE_INFINITY })
  const changes = new Map<string, VerificationState>()
  const verifications = createVerificationManager({
    client: new VerificationClient(emulator.options.verification),
    store: memoryStore(),
    session: { workflow_id: 'wf_identity', redirect_url: 'https://app.example/return', callback },
    onChange: ({ subject, to }) => changes.set(subject, to),
    now: () => emulator.clock.now(),
  })
  const outcomes = {
    ada: ['APPROVED', 'approved'],
    bo: ['DECLINED', 'declined'],
    cy: ['IN_REVIEW', 'in_review'],
    dee: ['ABANDONED', 'ended'],
    eve: ['EXPIRED', 'ended'],
  } as const
  for (const [subject, [status]] of Object.entries(outcomes)) {
    const { sessionId } = await verifications.start(subject)
    await emulator.sessions.complete(String(sessionId), status)
  }
  await emulator.clock.advance(3_600_000)

  expect(received).toEqual([])
  expect(emulator.webhooks.deliveries.map(({ attempts }) => attempts)).toEqual([[], [], [], [], []])
  expect(await verifications.reconcile()).toEqual({ visited: 5, changed: 5, failed: 0 })
  expect(Object.fromEntries(changes)).toEqual(
    Object.fromEntries(Object.entries(outcomes).map(([subject, [, state]]) => [subject, state])),
  )

  emulator.webhooks.faults.clear()
  await end('APPROVED')
  expect(received).toHaveLength(1)
})
