import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Store } from '../../src/index.ts'
import { signWebhook, type WebhookHandler } from '../../src/webhooks.ts'
import { documentedCode } from '../support/documented-code.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Service } from '../support/service-process.ts'
import { anEvent } from '../support/webhook.ts'

const guide = documentedCode('docs/guides/webhook-stores.md')
const { secret } = guide.emulator.webhooks

/** The page that creates the store. */
const scaling = documentedCode('docs/guides/scaling.md', { runsAllBlocks: false })

/** The reader's module of callbacks. */
const callbacks = { './webhook-options.ts': { options: { onTestEvent: () => undefined } } }

let events = 0
const testEvent = (key = secret) =>
  signWebhook({ event: anEvent({ test: true, event_id: `evt_test_${++events}` }), secret: key })

interface Shared {
  readonly store: Store
  readonly client: { destroy(): void }
}

describeWith('redis-server', 'that webhook handlers share a Redis', () => {
  let redis: Service
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis?.remove())

  it('two processes that share a store handle one event once', async () => {
    const delivery = await testEvent()

    const outcomes: string[] = []
    for (let processes = 0; processes < 2; processes++) {
      const env = { REDIS_URL: redis.url }
      const { store, client } = await scaling.load<Shared>('Silent connections', { env })
      const modules = { ...callbacks, './store.ts': { store } }
      const { handler } = await guide.load<{ handler: WebhookHandler }>('Share a store', { modules })
      outcomes.push((await handler.handle(delivery)).outcome)
      client.destroy()
    }

    expect(outcomes).toEqual(['test', 'duplicate'])
  })
})

it('the callback of a lost lease gets a signal that has not aborted while the lease lasts', async () => {
  const { handler } = await guide.load<{ handler: WebhookHandler }>('Stop if the lease is lost')
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
