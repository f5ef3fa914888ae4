import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { signWebhook, type WebhookHandler } from '../../src/webhooks.ts'
import { runCli } from '../cli/terminal.ts'
import { documentedCode } from '../support/documented-code.ts'
import { anEvent } from '../support/webhook.ts'
import { expectEachEventOnce, loadCallbacks, type Modules } from './deliveries.ts'
import { blockOf } from './reading.ts'

const page = 'docs/guides/webhooks.md'
const guide = documentedCode('docs/guides/webhooks.md')
const { emulator } = guide
const { secret } = emulator.webhooks

let modules: Modules
let quiet: Modules

beforeAll(async () => {
  const loaded = await loadCallbacks(guide, ['./webhook-options.ts'])
  modules = loaded.modules
  quiet = loaded.quiet
})

beforeEach(() => emulator.reset())

it('the Express app handles each event once, in any order, and rejects forged events', async () => {
  await expectEachEventOnce(guide, { name: 'Mount the handler', owner: 'expressWebhook', modules })
})

it('the commands of the guide get the expected responses', async () => {
  const lines = blockOf(page, 'sh', 'Send test events').trim().split('\n')
  const printed = await guide.whileServing(
    'Mount the handler',
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
