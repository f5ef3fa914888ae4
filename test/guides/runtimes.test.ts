import { expect, it } from 'vitest'
import { memoryStore, signWebhook } from '../../src/webhooks.ts'
import { documentedCode } from '../support/documented-code.ts'
import { anEvent, secret } from '../support/webhook.ts'

const guide = documentedCode('docs/guides/runtimes.md')

it('the sample for Jest is tested with the projects of consumers', () => {
  guide.testedElsewhere('Jest', 'test/consumers/consumers.test.ts')
})

interface Worker {
  readonly default: { fetch(request: Request): Promise<Response> }
}

it('the Worker accepts a signed event', async () => {
  const { default: worker } = await guide.load<Worker>('Workers and other edge runtimes', {
    modules: {
      'cloudflare:workers': { env: { SVC_WEBHOOK_SECRET: secret } },
      './store.ts': { store: memoryStore() },
    },
  })
  const delivery = await signWebhook({ event: anEvent(), secret })

  const response = await worker.fetch(
    new Request('https://worker.example/', {
      method: 'POST',
      headers: delivery.headers,
      body: delivery.body,
    }),
  )

  expect(response.status).toBe(200)
})
