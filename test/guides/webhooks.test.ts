import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { WebhookRefusal } from '../../src/errors/webhook-error.ts'
import {
  createWebhookHandler,
  signWebhook,
  type WebhookHandler,
  type WebhookResult,
} from '../../src/webhooks.ts'
import { type } from '../cli/terminal.ts'
import { documented } from '../support/documented.ts'
import { startRedis } from '../support/redis-server.ts'
import { describeWith, type Service } from '../support/services.ts'
import { anEvent } from '../support/webhook.ts'
import { blockOf, columnOf } from './reading.ts'

const page = 'docs/webhooks.md'
const guide = documented('docs/webhooks.md')
const { emulator } = guide
const { secret } = emulator.webhooks

interface Options {
  readonly options: Parameters<typeof createWebhookHandler>[0]
}

/** The reader's own module, under the two names by which the examples import it. */
let modules: Record<string, Readonly<Record<string, unknown>>>
let reader: Options
/** The same, where nobody looks at what is printed. */
let quiet: typeof modules

beforeAll(async () => {
  reader = await guide.load<Options>('What runs')
  modules = modulesOf(reader)
  quiet = modulesOf({
    options: { ...reader.options, onTestEvent: () => undefined, onError: () => undefined },
  })
})

const modulesOf = (exports: Options) => ({
  './webhook-options.js': { ...exports },
  '../../webhook-options.js': { ...exports },
})

beforeEach(() => emulator.reset())

/** A session that is reviewed, then approved; the first event arrives after the second. */
async function outOfOrder(callback: string) {
  const id = await guide.aSession(callback)
  emulator.webhooks.faults.add({ kind: 'out_of_order', type: 'verification.in_review' })
  await emulator.sessions.complete(id, 'IN_REVIEW')
  await emulator.sessions.complete(id, 'APPROVED')
}

it.each(['Express', 'Fastify', 'Hono'])(
  'the app with %s takes each event once, in any order, and refuses forgeries',
  async (framework) => {
    const printed = await guide.whileServing(
      framework,
      async (port) => {
        const callback = `http://127.0.0.1:${port}/webhooks`
        await outOfOrder(callback)
        emulator.webhooks.faults.add({ kind: 'duplicate' })
        await emulator.sessions.complete(await guide.aSession(callback), 'DECLINED')
        emulator.webhooks.faults.add({ kind: 'bad_signature' })
        await emulator.sessions.complete(await guide.aSession(callback), 'EXPIRED')
      },
      { modules },
    )

    expect(printed).toBe('user-42 APPROVED\nuser-42 APPROVED\nuser-42 DECLINED\nSignature fits no secret \n')
    const statuses = emulator.webhooks.deliveries.map(({ attempts }) => attempts.map(({ status }) => status))
    expect(statuses).toEqual([[200], [200], [200, 200], [400]])
  },
)

interface Route {
  POST(request: Request): Promise<Response>
}

interface LambdaFunction {
  handler(event: object): Promise<{ statusCode: number; body: string }>
}

let events = 0
const testEvent = (key = secret) =>
  signWebhook({ event: anEvent({ test: true, event_id: `evt_test_${++events}` }), secret: key })

it('the route of Next.js takes a signed event', async () => {
  const { POST } = await guide.load<Route>('Next.js', { modules: quiet })
  const { headers, body } = await testEvent()

  const answer = await POST(new Request('https://app.example/webhooks', { method: 'POST', headers, body }))

  expect(answer.status).toBe(200)
})

it('the function of Lambda takes a signed event, as text and as base64', async () => {
  const { handler } = await guide.load<LambdaFunction>('AWS Lambda', { modules: quiet })
  const { headers, body } = await testEvent()
  const encoded = Buffer.from(body).toString('base64')

  expect(await handler({ body, isBase64Encoded: false, headers })).toMatchObject({
    statusCode: 200,
    body: 'test',
  })
  expect(await handler({ body: encoded, isBase64Encoded: true, headers })).toMatchObject({
    statusCode: 200,
    body: 'duplicate',
  })
  expect(await handler({ body: `${body} `, headers })).toMatchObject({ statusCode: 400, body: 'rejected' })
  expect(await handler({ headers })).toMatchObject({ statusCode: 400 })
})

it('the app with NestJS is run among the runtimes', () => {
  guide.elsewhere('NestJS', 'test/runtimes/nestjs.test.ts')
})

interface Anywhere {
  receive(body: string, headers: object): Promise<{ status: number }>
}

it('a delivery is checked by hand', async () => {
  const { receive } = await guide.load<Anywhere>('Anywhere else')
  const { headers, body } = await testEvent()
  const late = await signWebhook({ event: anEvent(), secret, timestamp: 1 })
  process.env.SVC_WEBHOOK_SECRET = secret

  expect(await receive(body, headers)).toEqual({ status: 200, type: anEvent().type })
  expect(await receive(late.body, late.headers)).toEqual({
    status: 400,
    reason: 'timestamp_out_of_tolerance',
  })
})

it('the commands of the page are answered as they should be', async () => {
  const lines = blockOf(page, 'sh', 'On your machine').trim().split('\n')
  const printed = await guide.whileServing(
    'Express',
    async (port) => {
      for (const line of lines) {
        const [, , ...words] = line.replace('3000', String(port)).split(' ')
        expect(await type(words, { env: guide.environment() })).toMatchObject({ status: 0 })
      }
    },
    { modules },
  )

  expect(lines).toHaveLength(4)
  expect(printed.match(/^test: /gm)).toHaveLength(2)
})

it('while secrets are changed both count', async () => {
  const { handler } = await guide.load<{ handler: WebhookHandler }>('Change the secret', {
    modules: quiet,
    env: { NEW_WEBHOOK_SECRET: 'the new secret', OLD_WEBHOOK_SECRET: 'the old secret' },
  })
  const outcomeOf = async (key: string) => (await handler.handle(await testEvent(key))).outcome

  expect(await outcomeOf('the new secret')).toBe('test')
  expect(await outcomeOf('the old secret')).toBe('test')
  expect(await outcomeOf('another secret')).toBe('rejected')
})

interface Shared {
  readonly handler: WebhookHandler
  readonly redis: { destroy(): void }
}

describeWith('redis-server', 'that webhook handlers share a Redis', () => {
  let redis: Service
  beforeAll(async () => {
    redis = await startRedis()
  }, 30_000)
  afterAll(() => redis?.remove())

  it('two processes with one store run one event once', async () => {
    const around = { modules: quiet, env: { REDIS_URL: redis.url } }
    const processes = [
      await guide.load<Shared>('Several processes', around),
      await guide.load<Shared>('Several processes', around),
    ]
    const delivery = await testEvent()

    const outcomes: string[] = []
    for (const { handler } of processes) outcomes.push((await handler.handle(delivery)).outcome)

    for (const { redis: connection } of processes) connection.destroy()

    expect(outcomes).toEqual(['test', 'duplicate'])
  })
})

/** A delivery for each reason: the compiler sees that none is left out. */
const refusals: Record<WebhookRefusal, (handler: WebhookHandler) => Promise<unknown>> = {
  missing_header: async (handler) => handler.handle({ body: '{}', headers: {} }),
  malformed_header: async (handler) =>
    handler.handle({ body: '{}', headers: { ...(await testEvent()).headers, 'x-svc-timestamp': 'now' } }),
  signature_mismatch: async (handler) =>
    handler.handle(await signWebhook({ event: anEvent(), secret: 'not ours' })),
  timestamp_out_of_tolerance: async (handler) =>
    handler.handle(await signWebhook({ event: anEvent(), secret, timestamp: 1 })),
  event_id_mismatch: async (handler) => {
    const { headers, body } = await testEvent()
    return handler.handle({ body, headers: { ...headers, 'x-svc-event-id': 'evt_other' } })
  },
  invalid_payload: async (handler) => handler.handle(await signWebhook({ body: '{}', secret })),
  body_not_raw: async (handler) =>
    handler.handle({ body: { parsed: true } as unknown as string, headers: (await testEvent()).headers }),
  body_too_large: async (handler) => handler.handle({ body: new Uint8Array(1024 * 1024 + 1), headers: {} }),
  body_incomplete: async (handler) => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('broke off')) })
    const init = { method: 'POST', body, duplex: 'half' as const }
    return handler.fetch(new Request('https://app.example/', init))
  },
}

it('the table of refusals has every reason, and each can be met', async () => {
  expect(columnOf(page, 'Refusals').sort()).toEqual(Object.keys(refusals).sort())

  for (const [reason, deliver] of Object.entries(refusals)) {
    const heard: unknown[] = []
    await deliver(createWebhookHandler({ secret, on: {}, onError: (error) => heard.push(error) }))
    expect(heard, reason).toEqual([expect.objectContaining({ reason })])
  }
})

const outcomes: Record<WebhookResult['outcome'], true> = {
  processed: true,
  duplicate: true,
  test: true,
  unhandled: true,
  rejected: true,
  failed: true,
  in_progress: true,
}

it('the table of answers has every outcome', () => {
  const named = columnOf(page, 'Answers', 1).flatMap((cell) => cell.split(', '))
  expect(new Set(named)).toEqual(new Set(Object.keys(outcomes)))
})
