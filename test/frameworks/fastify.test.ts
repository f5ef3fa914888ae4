import { connect } from 'node:net'
import Fastify from 'fastify'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type FastifyWebhookOptions, fastifyWebhook } from '../../src/fastify.ts'
import type { WebhookEvent, WebhookHandlerOptions } from '../../src/webhooks.ts'
import { patient } from '../support/patience.ts'
import { headOf, rawExchange } from '../support/raw-exchange.ts'
import { aDelivery, clockAt, plausibleHeaderLines, rejectedHeaders, secret, signedAt } from '../support/webhook.ts'

async function anApp(options: Partial<WebhookHandlerOptions> = {}) {
  const handled: string[] = []
  const errors: unknown[] = []
  const app = Fastify()
  app.post('/echo', async (request) => request.body)
  const settings = {
    path: '/webhooks',
    secret,
    now: clockAt(signedAt),
    on: { 'verification.approved': (event: WebhookEvent) => void handled.push(event.event_id) },
    onError: (error: unknown) => void errors.push(error),
    ...options,
  }
  await app.register(fastifyWebhook, settings as FastifyWebhookOptions)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const post = (path: string, body: string, headers: Record<string, string>) =>
    fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  return { post, port: Number(new URL(url).port), handled, errors }
}

it('handles a signed event', async () => {
  const { post, handled } = await anApp()
  const { body, headers } = await aDelivery({ vendor_data: 'Zoë' })
  const response = await post('/webhooks', body, headers)
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ outcome: 'processed' })
  expect(handled).toEqual(['evt_1'])
})

it('verifies the raw body for any content type', async () => {
  const { post } = await anApp()
  const { body, headers } = await aDelivery()
  for (const type of ['text/plain', 'application/octet-stream', 'application/json; charset=utf-8']) {
    expect((await post('/webhooks', body, { ...headers, 'content-type': type })).status).toBe(200)
  }
})

it('leaves the parsers of the other routes unchanged', async () => {
  const { post } = await anApp()
  expect(await (await post('/echo', '{"a":1}', {})).json()).toEqual({ a: 1 })
})

it('responds to a forged event with 400 and no more than the reason', async () => {
  const { post, handled, errors } = await anApp()
  const { body, headers } = await aDelivery({}, { secret: 'forged' })
  const response = await post('/webhooks', body, headers)
  expect(response.status).toBe(400)
  expect(await response.text()).toBe('{"outcome":"rejected","reason":"signature_mismatch"}')
  expect(handled).toEqual([])
  expect(errors).toHaveLength(1)
})

it('responds with 500 if the callback throws, and does not show the error', async () => {
  const { post } = await anApp({
    on: { 'verification.approved': () => Promise.reject(new Error('secret detail')) },
  })
  const { body, headers } = await aDelivery()
  const response = await post('/webhooks', body, headers)
  expect(response.status).toBe(500)
  expect(await response.text()).toBe('{"outcome":"failed"}')
})

it('responds with 413 to a body over the limit, and calls onError', async () => {
  const { post, errors } = await anApp({ maxBodyBytes: 100 })
  const { body, headers } = await aDelivery()
  const response = await post('/webhooks', body, headers)
  expect(response.status).toBe(413)
  expect(await response.json()).toEqual({ outcome: 'rejected', reason: 'body_too_large' })
  expect(errors).toEqual([expect.objectContaining({ reason: 'body_too_large' })])
})

it('closes the connection after a body over the limit, and keeps it open after others', async () => {
  const { post } = await anApp({ maxBodyBytes: 1024 })
  const large = await aDelivery({ vendor_data: 'x'.repeat(200_000) })
  const refused = await post('/webhooks', large.body, large.headers)
  expect([refused.status, refused.headers.get('connection')]).toEqual([413, 'close'])
  const { body, headers } = await aDelivery()
  const accepted = await post('/webhooks', body, headers)
  expect([accepted.status, accepted.headers.get('connection')]).toEqual([200, 'keep-alive'])
})

it('reports a delivery whose sender disconnects before the end of the body', async () => {
  const { port, errors } = await anApp()
  const socket = connect(port, '127.0.0.1')
  const head = `POST /webhooks HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${plausibleHeaderLines}`
  socket.write(`${head}content-length: 9\r\n\r\n{"a"`, () => socket.destroySoon())
  await vi.waitFor(() => expect(errors).toEqual([expect.objectContaining({ reason: 'body_incomplete' })]), patient)
})

it.each(rejectedHeaders)('responds to %s before the body arrives', async (_, headers, status, reason) => {
  const { port, errors } = await anApp({ maxBodyBytes: 4096 })

  const response = await rawExchange(port, headOf('/webhooks', { 'content-length': '10', ...headers }))

  expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*connection: close.*"${reason}"`, 'is'))
  expect(errors).toMatchObject([{ reason }])
})

it('rejects an empty delivery', async () => {
  const { post } = await anApp()
  const { headers } = await aDelivery()
  expect((await post('/webhooks', '', headers)).status).toBe(400)
})
