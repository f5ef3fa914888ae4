import { expect, it } from 'vitest'
import type { VerificationClient } from '../../src/index.ts'
import { signWebhook, type WebhookHandler } from '../../src/webhooks.ts'
import { documentedCode } from '../support/documented-code.ts'
import { anEvent } from '../support/webhook.ts'

const guide = documentedCode('docs/guides/rotate-secrets.md')
const { emulator } = guide

it('the client reads its key before each attempt', async () => {
  const secrets = new Map([['svc-api-key', 'an old key']])
  const { client } = await guide.load<{ client: VerificationClient }>('API key', {
    modules: { './secrets.ts': { secrets } },
  })

  await expect(client.sessions.list()).rejects.toMatchObject({ code: 'invalid_api_key' })
  secrets.set('svc-api-key', emulator.options.verification.apiKey)
  await expect(client.sessions.list()).resolves.toEqual([])
})

it('during a rotation both webhook secrets are accepted', async () => {
  const callbacks = { onTestEvent: () => undefined, onError: () => undefined }
  const { handler } = await guide.load<{ handler: WebhookHandler }>('Webhook secret', {
    modules: { './webhook-options.ts': { options: callbacks } },
    env: { NEW_WEBHOOK_SECRET: 'the new secret', OLD_WEBHOOK_SECRET: 'the old secret' },
  })
  let events = 0
  const outcomeOf = async (secret: string) => {
    const event = anEvent({ test: true, event_id: `evt_test_${++events}` })
    return (await handler.handle(await signWebhook({ event, secret }))).outcome
  }

  expect(await outcomeOf('the new secret')).toBe('test')
  expect(await outcomeOf('the old secret')).toBe('test')
  expect(await outcomeOf('another secret')).toBe('rejected')
})
