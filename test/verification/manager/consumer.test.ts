import { expect, it } from 'vitest'
import { createEventProcessor, createWebhookHandler, StoreError, type VerificationChange } from '../../../src/index.ts'
import { eventFor, managed, subject } from './managed.ts'

const secret = 'whsec_test_4f1d9a'
const destination = 'https://app.example.test/webhooks'

/** A manager whose webhooks reach a handler of which it is a consumer. */
function connected(onChange?: (change: VerificationChange) => unknown) {
  const seen: string[] = []
  const made: ReturnType<typeof managed> = managed({
    ...(onChange && { onChange }),
    session: { workflow_id: 'wf_1', callback: destination },
    emulator: {
      workflows: [{ id: 'wf_1', name: 'Identity', features: ['liveness'] }],
      webhooks: {
        secret,
        destinations: [destination],
        deliver: async (...call) => handler.fetch(new Request(...call)),
      },
    },
  })
  const verifications = made.manager()
  const errors: unknown[] = []
  const handler = createWebhookHandler({
    secret,
    now: () => new Date(made.clock.timing.wallClock()),
    consumers: [verifications],
    onError: (error) => void errors.push(error),
    on: {
      'verification.approved': async () => void seen.push((await verifications.get(subject)).state),
    },
  })
  return { ...made, verifications, seen, errors }
}

it('as a consumer of a handler, the manager has applied an event before the callbacks in on run', async () => {
  const { verifications, emulator, seen, started } = connected()
  const id = await started(verifications)

  await emulator.sessions.complete(id, 'APPROVED')

  expect(seen).toEqual(['approved'])
  expect(emulator.webhooks.deliveries).toMatchObject([{ delivered: true }])
})

it('an event that is lost, then late and out of order leads to the same state', async () => {
  const { verifications, emulator, started, transitions } = connected()
  const id = await started(verifications)
  emulator.webhooks.faults.add({ kind: 'out_of_order', type: 'verification.in_review' })
  await emulator.sessions.complete(id, 'IN_REVIEW')
  await emulator.sessions.complete(id, 'APPROVED')
  await emulator.webhooks.settled()

  expect((await verifications.get(subject)).state).toBe('approved')
  expect(transitions()).toEqual(['none > open', 'open > approved'])
})

it.each([
  ['any other error', () => new Error('the database is down'), 500],
  ['StoreError', () => new StoreError({ message: 'the database is down' }), 503],
])(
  'an onChange that throws %s makes the handler respond with that status, and comes again',
  async (_, failure, status) => {
    let isBroken = false
    const { verifications, emulator, started, errors } = connected(() => {
      if (isBroken) throw failure()
    })
    const id = await started(verifications)
    isBroken = true
    await emulator.sessions.complete(id, 'APPROVED')
    const [delivery] = emulator.webhooks.deliveries

    expect(delivery).toMatchObject({ delivered: false, attempts: [{ status }] })
    expect(errors).toHaveLength(1)
    isBroken = false
    expect(await emulator.webhooks.resend(delivery?.id ?? '')).toMatchObject({ delivered: true })
  },
)

it('as a consumer of a processor, the manager handles events of any age', async () => {
  const { manager, emulator, started } = managed()
  const id = await started()
  await emulator.sessions.complete(id, 'APPROVED')
  const processor = createEventProcessor({ consumers: [manager()] })

  expect(await processor.process(eventFor(id))).toMatchObject({ status: 200, outcome: 'processed' })
  expect((await manager().get(subject)).state).toBe('approved')
})
