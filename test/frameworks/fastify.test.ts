import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { fastifyWebhook } from '../../src/fastify.ts'
import type { WebhookHandlerOptions } from '../../src/webhooks.ts'
import { aDelivery, clockAt, secret, signedAt } from '../support/webhook.ts'

async function anApp(options: Partial<WebhookHandlerOptions> = {}) {
  const handled: string[] = []
  const errors: unknown[] = []
  const app = Fastify()
  app.post('/echo', async (request) => request.body)
  await app.register(fastifyWebhook, {
    path: '/webhooks',
    secret,
    now: clockAt(signedAt),
    on: { 'verification.approved': (event) => void handled.push(event.event_id) },
    onError: (error) => void errors.push(error),
    ...options,
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const post = (path: string, body: string, headers: Record<string, string>) =>
    fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  return { post, handled, errors }
}

it('a signed event is handled', async () => {
  const { post, handled } = await anApp()
  const { body, headers } = await aDelivery({ vendor_data: 'Zoë' })
  const response = await post('/webhooks', body, headers)
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ outcome: 'processed' })
  expect(handled).toEqual(['evt_1'])
})

it('the bytes are verified whatever the content type says', async () => {
  const { post } = await anApp()
  const { body, headers } = await aDelivery()
  for (const type of ['text/plain', 'application/octet-stream', 'application/json; charset=utf-8']) {
    expect((await post('/webhooks', body, { ...headers, 'content-type': type })).status).toBe(200)
  }
})

it('the other routes of the app keep their parsers', async () => {
  const { post } = await anApp()
  expect(await (await post('/echo', '{"a":1}', {})).json()).toEqual({ a: 1 })
})

it('a forged event is answered 400 with the reason alone', async () => {
  const { post, handled, errors } = await anApp()
  const { body, headers } = await aDelivery({}, { secret: 'forged' })
  const response = await post('/webhooks', body, headers)
  expect(response.status).toBe(400)
  expect(await response.text()).toBe('{"outcome":"rejected","reason":"signature_mismatch"}')
  expect(handled).toEqual([])
  expect(errors).toHaveLength(1)
})

it('a callback that throws is answered 500, and the sender is told nothing of it', async () => {
  const { post } = await anApp({
    on: { 'verification.approved': () => Promise.reject(new Error('secret detail')) },
  })
  const { body, headers } = await aDelivery()
  const response = await post('/webhooks', body, headers)
  expect(response.status).toBe(500)
  expect(await response.text()).toBe('{"outcome":"failed"}')
})

it('a body over the limit is answered 413, and onError hears of it', async () => {
  const { post, errors } = await anApp({ maxBodyBytes: 100 })
  const { body, headers } = await aDelivery()
  const response = await post('/webhooks', body, headers)
  expect(response.status).toBe(413)
  expect(await response.json()).toEqual({ outcome: 'rejected', reason: 'body_too_large' })
  expect(errors).toEqual([expect.objectContaining({ reason: 'body_too_large' })])
})

it('an empty delivery is refused', async () => {
  const { post } = await anApp()
  const { headers } = await aDelivery()
  expect((await post('/webhooks', '', headers)).status).toBe(400)
})

it('options that cannot work fail the registration', async () => {
  await expect(anApp({ secret: ' ' })).rejects.toMatchObject({ code: 'configuration' })
})
