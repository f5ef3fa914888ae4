import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { WebhookVerificationReason } from '../../src/errors/webhook-error.ts'
import {
  type createWebhookHandler,
  signWebhook,
  type WebhookHandler,
  type WebhookResult,
} from '../../src/webhooks.ts'
import { runCli } from '../cli/terminal.ts'
import { documentedCode } from '../support/documented-code.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Service } from '../support/service-process.ts'
import { anEvent } from '../support/webhook.ts'
import { blockOf, columnOf, forgeryMessage } from './reading.ts'

const page = 'docs/guides/webhooks.md'
const guide = documentedCode('docs/guides/webhooks.md')
const { emulator } = guide
const { secret } = emulator.webhooks

interface Options {
  readonly options: Parameters<typeof createWebhookHandler>[0]
}

/** The module of the first example, under the two names by which the other examples import it. */
let modules: Record<string, Readonly<Record<string, unknown>>>
let shared: Options
/** The same, but it prints nothing. */
let quiet: typeof modules

beforeAll(async () => {
  shared = await guide.load<Options>('Define the callbacks')
  modules = modulesOf(shared)
  quiet = modulesOf({
    options: { ...shared.options, onTestEvent: () => undefined, onError: () => undefined },
  })
})

const modulesOf = (exports: Options) => ({
  './webhook-options.js': { ...exports },
  '../../webhook-options.js': { ...exports },
})

beforeEach(() => emulator.reset())

/** Completes a session as in review, then as approved. The second event is delivered before the first. */
async function outOfOrder(callback: string) {
  const id = await guide.aSession(callback)
  emulator.webhooks.faults.add({ kind: 'out_of_order', type: 'verification.in_review' })
  await emulator.sessions.complete(id, 'IN_REVIEW')
  await emulator.sessions.complete(id, 'APPROVED')
}

it.each([
  ['Express', 'expressWebhook'],
  ['Fastify', 'fastifyWebhook'],
  ['Hono', 'createWebhookHandler'],
])(
  'the %s app handles each event once, in any order, and rejects forged events',
  async (framework, owner) => {
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

    const lines = [
      'user-42 APPROVED',
      'user-42 APPROVED',
      'user-42 DECLINED',
      `${await forgeryMessage(owner)} `,
      '',
    ]
    expect(printed.split('\n')).toEqual(lines)
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

it('the Next.js route accepts a signed event', async () => {
  const { POST } = await guide.load<Route>('Next.js', { modules: quiet })
  const { headers, body } = await testEvent()

  const response = await POST(new Request('https://app.example/webhooks', { method: 'POST', headers, body }))

  expect(response.status).toBe(200)
})

it('the Lambda function accepts a signed event, as text and as base64', async () => {
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

it('the NestJS app is tested with the runtimes', () => {
  guide.testedElsewhere('NestJS', 'test/runtimes/nestjs.test.ts')
})

interface Typed {
  receive(request: Request): Promise<string>
}

it('the TypeScript example compiles and describes an event', async () => {
  const { receive } = await guide.load<Typed>('TypeScript')
  const { headers, body } = await signWebhook({ event: anEvent(), secret })
  vi.stubEnv('SVC_WEBHOOK_SECRET', secret)

  const text = await receive(new Request('https://app.example/webhooks', { method: 'POST', headers, body }))

  expect(text).toBe('sess_1: APPROVED')
  const files = { 'typescript.mts': guide.code('TypeScript') }
  expect(await guide.installed.compile(files, { module: 'nodenext', lib: 'es2022' })).toBe('')
})

interface OtherFramework {
  receive(body: string, headers: object): Promise<{ status: number }>
}

it('verifyWebhook accepts a signed delivery and rejects a late one', async () => {
  const { receive } = await guide.load<OtherFramework>('Other frameworks')
  const { headers, body } = await testEvent()
  const late = await signWebhook({ event: anEvent(), secret, timestamp: 1 })
  process.env.SVC_WEBHOOK_SECRET = secret

  expect(await receive(body, headers)).toEqual({ status: 200, type: anEvent().type })
  expect(await receive(late.body, late.headers)).toEqual({
    status: 400,
    reason: 'timestamp_out_of_tolerance',
  })
})

it('the commands of the guide get the expected responses', async () => {
  const lines = blockOf(page, 'sh', 'Send test events').trim().split('\n')
  const printed = await guide.whileServing(
    'Express',
    async (port) => {
      for (const line of lines) {
        const [, , ...words] = line.replace('3000', String(port)).split(' ')
        expect(await runCli(words, { env: guide.environment() })).toMatchObject({ status: 0 })
      }
    },
    { modules },
  )

  expect(lines).toHaveLength(4)
  expect(printed.match(/^test event: /gm)).toHaveLength(2)
})

it('during a rotation both secrets are accepted', async () => {
  const { handler } = await guide.load<{ handler: WebhookHandler }>('Rotate the secret', {
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

  it('two processes that share a store handle one event once', async () => {
    const around = { modules: quiet, env: { REDIS_URL: redis.url } }
    const processes = [
      await guide.load<Shared>('Share a store', around),
      await guide.load<Shared>('Share a store', around),
    ]
    const delivery = await testEvent()

    const outcomes: string[] = []
    for (const { handler } of processes) outcomes.push((await handler.handle(delivery)).outcome)

    for (const { redis: connection } of processes) connection.destroy()

    expect(outcomes).toEqual(['test', 'duplicate'])
  })
})

it('the callback of a lost lease gets a signal that has not aborted while the lease lasts', async () => {
  const { handler } = await guide.load<{ handler: WebhookHandler }>('Lost leases')
  vi.stubEnv('ACCOUNTS_URL', 'https://accounts.example')
  vi.stubEnv('MAILS_URL', 'https://mails.example')
  const sent: string[] = []
  vi.stubGlobal('fetch', async (url: string, { signal }: RequestInit) => {
    signal?.throwIfAborted()
    sent.push(url)
  })
  const delivery = await signWebhook({ event: anEvent(), secret })

  expect(await handler.handle(delivery)).toMatchObject({ outcome: 'processed' })
  expect(sent).toEqual(['https://accounts.example/user-42', 'https://mails.example/user-42'])
})

interface Worker {
  receive(body: string, headers: object, queue: { add(job: string): Promise<void> }): Promise<void>
  work(job: string): Promise<void>
}

it('the worker processes each event of the queue once, and throws for one that must come again', async () => {
  const { receive, work } = await guide.load<Worker>('Process events in a worker', { modules: quiet })
  const jobs: string[] = []
  const queue = { add: async (job: string) => void jobs.push(job) }
  const { body, headers } = await testEvent()
  process.env.SVC_WEBHOOK_SECRET = secret

  await receive(body, headers, queue)
  await work(jobs[0] as string)
  await work(jobs[0] as string)

  const event = anEvent({ event_id: 'evt_unknown', session_id: 'sess_unknown' })
  await expect(work(JSON.stringify(event))).rejects.toThrow('the event is not handled yet: failed')
})

it('the consumer of the guide handles an event of any type', async () => {
  const { handler } = await guide.load<{ handler: WebhookHandler }>('Run code for every event', {
    modules: quiet,
  })
  const print = vi.spyOn(console, 'log').mockReturnValue()
  const delivery = await signWebhook({ event: anEvent({ type: 'verification.later' }), secret })

  expect(await handler.handle(delivery)).toMatchObject({ outcome: 'processed' })
  expect(print.mock.calls).toEqual([['received verification.later for sess_1']])
})

it('a callback that throws is passed to the logger, without values of the event', async () => {
  vi.stubEnv('SVC_ERROR_DETAIL', 'safe')
  const { handler } = await guide.load<{ handler: WebhookHandler }>('Log failures')
  const print = vi.spyOn(console, 'error').mockReturnValue()
  const event = anEvent({ vendor_data: 'ada@example.com' })

  expect(await handler.handle(await signWebhook({ event, secret }))).toMatchObject({ status: 500 })

  expect(print.mock.calls.join()).toContain('the callback for verification.approved failed: SyntaxError')
  expect(print.mock.calls.join()).not.toContain('ada@')
})

const reasons: Record<WebhookVerificationReason, true> = {
  missing_header: true,
  malformed_header: true,
  signature_mismatch: true,
  timestamp_out_of_tolerance: true,
  invalid_payload: true,
  body_not_raw: true,
  body_too_large: true,
  body_incomplete: true,
}

it('the table of rejections lists every reason', () => {
  expect(columnOf(page, 'Rejections').sort()).toEqual(Object.keys(reasons).sort())
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

it('the table of responses lists every outcome', () => {
  const named = columnOf(page, 'Responses', 1).flatMap((cell) => cell.split(', '))
  expect(new Set(named)).toEqual(new Set(Object.keys(outcomes)))
})
