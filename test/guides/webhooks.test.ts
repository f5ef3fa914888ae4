import { beforeAll, beforeEach, expect, it } from 'vitest'
import { type createWebhookHandler, signWebhook } from '../../src/webhooks.ts'
import { runCli } from '../cli/terminal.ts'
import { documentedCode } from '../support/documented-code.ts'
import { anEvent } from '../support/webhook.ts'
import { blockOf, forgeryMessage } from './reading.ts'

const page = 'docs/guides/webhooks.md'
const guide = documentedCode('docs/guides/webhooks.md')
const { emulator } = guide
const { secret, faults } = emulator.webhooks

type Modules = Record<string, Readonly<Record<string, unknown>>>

/** The module that defines the callbacks, as the samples import it, and with callbacks that print nothing. */
let modules: Modules
let quiet: Modules

beforeAll(async () => {
  const { options } = await guide.load<{ options: Parameters<typeof createWebhookHandler>[0] }>('Define the callbacks')
  const silent = { ...options, onTestEvent: () => undefined, onError: () => undefined }
  modules = { './webhook-options.ts': { options } }
  quiet = { './webhook-options.ts': { options: silent }, '../../webhook-options': { options: silent } }
})

beforeEach(() => emulator.reset())

it.each([
  ['Express', 'expressWebhook'],
  ['Fastify', 'fastifyWebhook'],
  ['Hono', 'createWebhookHandler'],
])('the %s app handles each event once, in any order, and rejects forged events', async (name, owner) => {
  const { sessions } = emulator
  const printed = await guide.whileServing(
    name,
    async (port) => {
      const callback = `http://127.0.0.1:${port}/webhooks`
      const inReview = await guide.aSession(callback)
      faults.add({ kind: 'out_of_order', type: 'verification.in_review' })
      await sessions.complete(inReview, 'IN_REVIEW')
      await sessions.complete(inReview, 'APPROVED')
      faults.add({ kind: 'duplicate' })
      await sessions.complete(await guide.aSession(callback), 'DECLINED')
      faults.add({ kind: 'bad_signature' })
      await sessions.complete(await guide.aSession(callback), 'EXPIRED')
    },
    { modules },
  )

  expect(printed.split('\n')).toEqual([
    'user-42 APPROVED',
    'user-42 APPROVED',
    'user-42 DECLINED',
    `${await forgeryMessage(owner)} `,
    '',
  ])
  const statuses = emulator.webhooks.deliveries.map(({ attempts }) => attempts.map(({ status }) => status))
  expect(statuses).toEqual([[200], [200], [200, 200], [400]])
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

let events = 0
const testEvent = () => signWebhook({ event: anEvent({ test: true, event_id: `evt_test_${++events}` }), secret })

it('the Next.js route accepts a signed event', async () => {
  const { POST } = await guide.load<{ POST(request: Request): Promise<Response> }>('Next.js', { modules: quiet })
  const { headers, body } = await testEvent()

  const response = await POST(new Request('https://app.example/webhooks', { method: 'POST', headers, body }))

  expect(response.status).toBe(200)
})

interface LambdaFunction {
  handler(event: object): Promise<{ statusCode: number; body: string }>
}

it('the Lambda function accepts a signed event, as text and as base64', async () => {
  const { handler } = await guide.load<LambdaFunction>('AWS Lambda', { modules: quiet })
  const { headers, body } = await testEvent()
  const encoded = Buffer.from(body).toString('base64')
  const ofTest = (outcome: string) => ({ statusCode: 200, body: outcome })

  expect(await handler({ body, isBase64Encoded: false, headers })).toMatchObject(ofTest('test'))
  expect(await handler({ body: encoded, isBase64Encoded: true, headers })).toMatchObject(ofTest('duplicate'))
  expect(await handler({ body: `${body} `, headers })).toMatchObject({ statusCode: 400, body: 'rejected' })
  expect(await handler({ headers })).toMatchObject({ statusCode: 400 })
})

it('the NestJS app is tested with the runtimes', () => {
  guide.testedElsewhere('NestJS', 'test/runtimes/nestjs.test.ts')
})
