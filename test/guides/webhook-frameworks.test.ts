import { beforeAll, beforeEach, expect, it } from 'vitest'
import { signWebhook } from '../../src/webhooks.ts'
import { documentedCode } from '../support/documented-code.ts'
import { anEvent } from '../support/webhook.ts'
import { expectEachEventOnce, loadCallbacks, type Modules } from './deliveries.ts'

const guide = documentedCode('docs/guides/webhook-frameworks.md')
/** The page that defines the callbacks. */
const receiving = documentedCode('docs/guides/webhooks.md', { runsAllBlocks: false })
const { emulator } = guide
const { secret } = emulator.webhooks

let modules: Modules
let quiet: Modules

beforeAll(async () => {
  const loaded = await loadCallbacks(receiving, ['./webhook-options.ts', '../../webhook-options'], guide.environment())
  modules = loaded.modules
  quiet = loaded.quiet
})

beforeEach(() => emulator.reset())

it.each([
  ['Fastify', 'fastifyWebhook'],
  ['Hono', 'createWebhookHandler'],
])('the %s app handles each event once, in any order, and rejects forged events', async (name, owner) => {
  await expectEachEventOnce(guide, { name, owner, modules })
})

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

interface OtherFramework {
  receive(body: string, headers: object): Promise<{ status: number }>
}

it('verifyWebhook accepts a signed delivery and rejects a late one', async () => {
  const { receive } = await guide.load<OtherFramework>('Other frameworks')
  const { headers, body } = await testEvent()
  const late = await signWebhook({ event: anEvent(), secret, timestamp: 1 })
  process.env.SVC_WEBHOOK_SECRET = secret

  const real = await signWebhook({ event: anEvent(), secret })
  expect(await receive(body, headers)).toEqual({ status: 200, type: 'test' })
  expect(await receive(real.body, real.headers)).toEqual({ status: 200, type: anEvent().type })
  expect(await receive(late.body, late.headers)).toEqual({
    status: 400,
    reason: 'timestamp_out_of_tolerance',
  })
})
