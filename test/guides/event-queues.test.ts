import { expect, it, vi } from 'vitest'
import { signWebhook, type WebhookEvent } from '../../src/webhooks.ts'
import { documentedCode } from '../support/documented-code.ts'
import { anEvent } from '../support/webhook.ts'

const guide = documentedCode('docs/guides/event-queues.md')
const { emulator } = guide
const { secret } = emulator.webhooks

type Receive = (request: Request, enqueue: (event: WebhookEvent) => Promise<unknown>) => Promise<Response>

/** Passes an event to the code of the guide. */
async function receive(enqueue: (event: WebhookEvent) => Promise<unknown>, key = secret): Promise<Response> {
  const code = await guide.load<{ receive: Receive }>('Verify where the event arrives')
  const event = anEvent({ decision: { decision: 'APPROVED', checks: [] } })
  const { body, headers } = await signWebhook({ event, secret: key })
  const request = new Request('https://app.example/webhooks', { method: 'POST', body, headers })
  vi.stubEnv('SVC_WEBHOOK_SECRET', secret)
  return code.receive(request, enqueue)
}

it('an event is stored without its decision before the response', async () => {
  const events: WebhookEvent[] = []

  const { status } = await receive(async (event) => events.push(event))

  expect(status).toBe(200)
  expect(events).toEqual([expect.not.objectContaining({ decision: expect.anything() })])
  expect(events[0]?.event_id).toBe(anEvent().event_id)
})

it('a forged event gets a 400, and one that cannot be stored a 503', async () => {
  const enqueue = vi.fn(async () => {
    throw new Error('the queue is not available')
  })

  expect((await receive(enqueue, 'another secret')).status).toBe(400)
  expect(enqueue).not.toHaveBeenCalled()
  expect((await receive(enqueue)).status).toBe(503)
})

it('a body that never ends is not read to its end', async () => {
  const { receive } = await guide.load<{ receive: Receive }>('Verify where the event arrives')
  let sent = 0
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(65_536))
      sent += 65_536
    },
  })
  const request = new Request('https://app.example/webhooks', { method: 'POST', body, duplex: 'half' })

  expect((await receive(request, async () => {})).status).toBe(413)
  expect(sent).toBeLessThan(9 * 1024 * 1024)
})

type Work = (event: object) => Promise<string>

it('the worker processes an event once, and throws if its callback failed', async () => {
  const { work } = await guide.load<{ work: Work }>('Process events in a worker')
  const print = vi.spyOn(console, 'log').mockReturnValue()
  vi.spyOn(console, 'error').mockReturnValue()
  const session_id = await guide.aSession()
  await emulator.sessions.complete(session_id, 'APPROVED')
  const event = anEvent({ session_id })

  expect([await work(event), await work(event)]).toEqual(['processed', 'duplicate'])
  expect(print.mock.calls).toEqual([[session_id, 'APPROVED']])
  await expect(work(anEvent({ event_id: 'evt_2', session_id: 'sess_unknown' }))).rejects.toThrow('evt_2: failed')
})

it('the NestJS app is tested with the runtimes', () => {
  guide.testedElsewhere('NestJS', 'test/runtimes/nestjs-queue.test.ts')
})
