import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { signWebhook, type WebhookEvent } from '../../src/webhooks.ts'
import { describeInstalled, examplePath } from '../examples/program.ts'
import { documentedCode } from '../support/documented-code.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Service } from '../support/service-process.ts'
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

interface Running {
  enqueue(event: object): Promise<unknown>
  close(): Promise<void>
}

describeInstalled('event-queues', () => {
  beforeAll(async () => {
    for (const name of ['bullmq', 'pg-boss'])
      await symlink(
        examplePath(`event-queues/node_modules/${name}`),
        join(guide.installed.project, 'node_modules', name),
      )
  })

  /** Loads a worker whose job fails for the first event, until it is a dead letter. */
  async function aWorker<Queue extends Running>(name: string, env: Record<string, string>) {
    const work = vi.fn(async (_event: { event_id: string }) => 'processed')
    const modules = { './work.ts': { work } }
    return { work, queue: await guide.load<Queue>(name, { env, modules }) }
  }

  /** @param check shows that the event was processed again after its first attempt failed */
  async function retries({ work, queue }: Awaited<ReturnType<typeof aWorker>>): Promise<void> {
    work.mockRejectedValueOnce(new Error('not now'))
    await queue.enqueue(anEvent())

    await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(2), { timeout: 20_000 })
    const { event_id } = anEvent()
    expect(work.mock.calls).toEqual([[expect.objectContaining({ event_id })], [expect.objectContaining({ event_id })]])
  }

  /** @param server stops responding, and keeps its connections */
  async function rejectsSoon(server: Service, { enqueue, close }: Running): Promise<void> {
    await enqueue(anEvent())
    server.signal('SIGSTOP')
    onTestFinished(() => server.signal('SIGCONT'))

    const { status } = await receive(enqueue)

    expect(status).toBe(503)
    server.signal('SIGCONT')
    await close()
  }

  /** Much less than the sender waits, and more than the limits of the guide. */
  const soon = 30_000

  describeWith('redis-server', 'that events go through BullMQ', () => {
    let redis: Service
    beforeAll(async () => {
      redis = await startRedis()
    })
    afterAll(() => redis?.remove())

    it('a failed event is tried again, and becomes a dead letter after the last attempt', async () => {
      interface Queues extends Running {
        readonly events: { add(name: string, data: object, options: object): Promise<unknown> }
        readonly deadLetters: { getWaiting(): Promise<{ data: object }[]> }
      }
      const { work, queue } = await aWorker<Queues>('BullMQ', { REDIS_URL: redis.url })
      await retries({ work, queue })

      work.mockRejectedValue(new Error('never'))
      await queue.events.add('verification.approved', anEvent({ event_id: 'evt_2' }), { attempts: 1 })
      await vi.waitFor(async () => expect(await queue.deadLetters.getWaiting()).toHaveLength(1), {
        timeout: 20_000,
      })

      const [dead] = await queue.deadLetters.getWaiting()
      expect(dead?.data).toMatchObject({ event_id: 'evt_2' })
      await queue.close()
    }, 60_000)

    it(
      'the sender gets a 503 in seconds if Redis is silent',
      async () => {
        await rejectsSoon(redis, (await aWorker<Running>('BullMQ', { REDIS_URL: redis.url })).queue)
      },
      soon,
    )
  })

  describeWith('postgres', 'that events go through pg-boss', () => {
    let database: Service
    beforeAll(async () => {
      database = await startPostgres()
    })
    afterAll(() => database?.remove())

    it('a failed event is tried again, and its dead letters can be counted', async () => {
      interface Boss extends Running {
        countDeadLetters(): Promise<number>
      }
      const { work, queue } = await aWorker<Boss>('pg-boss', { DATABASE_URL: database.url })
      await retries({ work, queue })

      expect(await queue.countDeadLetters()).toBe(0)
      await queue.close()
    }, 60_000)

    it(
      'the sender gets a 503 in seconds if Postgres is silent',
      async () => {
        await rejectsSoon(database, (await aWorker<Running>('pg-boss', { DATABASE_URL: database.url })).queue)
      },
      soon,
    )
  })
})
