import express from 'express'
import { expect, it, vi } from 'vitest'
import { expressWebhook } from '../../src/express.ts'
import { createWebhookHandler, memoryStore, signWebhook } from '../../src/webhooks.ts'
import { documentedCode } from '../support/documented-code.ts'
import { serveListener } from '../support/serve-listener.ts'
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

it('a webhook that is forwarded as the guide shows is verified', async () => {
  const onTestEvent = vi.fn()
  const { url } = await serveListener(express().post('/webhooks', expressWebhook({ secret, onTestEvent })))
  const { headers, body } = await signWebhook({ event: anEvent({ test: true }), secret })
  const sent = { ...headers, host: 'worker.example', 'content-type': 'application/json; charset=utf-8' }
  const request = new Request('https://worker.example/webhooks', { method: 'POST', headers: sent, body })

  const response = await fetch(new Request(`${url}/webhooks`, request))

  expect(await response.json()).toEqual({ outcome: 'test' })
  expect(onTestEvent).toHaveBeenCalledOnce()
})

it('an event that a queue held for a day is signed again, and an event that the app did not handle throws', async () => {
  const { passOn } = await guide.load<{ passOn(event: object, secret: string): Promise<void> }>(
    'Workers and other edge runtimes 2',
  )
  const event = anEvent({ occurred_at: new Date(Date.now() - 86_400_000).toISOString() })
  const handle = vi.fn().mockRejectedValueOnce(new Error('the database is down'))
  const handler = createWebhookHandler({ secret, consumers: [{ handle }], onError: () => {} })
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => handler.fetch(new Request(url, init)))

  await expect(passOn(event, secret)).rejects.toThrow(`${event.event_id}: 500`)
  await passOn(event, secret)

  expect(handle).toHaveBeenLastCalledWith(expect.objectContaining(event), expect.anything())
})
