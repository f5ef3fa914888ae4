import express from 'express'
import { expect, it } from 'vitest'
import { expressWebhook } from '../../src/express.ts'
import type { WebhookHandlerOptions } from '../../src/webhooks.ts'
import { headOf, rawExchange } from '../support/raw-exchange.ts'
import { serveListener } from '../support/serve-listener.ts'
import { aDelivery, clockAt, plausibleHeaderLines, rejectedHeaders, secret, signedAt } from '../support/webhook.ts'

async function anApp(prepare: (app: express.Express) => void = () => {}, options: Partial<WebhookHandlerOptions> = {}) {
  const handled: string[] = []
  const errors: unknown[] = []
  const app = express()
  prepare(app)
  app.post(
    '/webhooks',
    expressWebhook({
      secret,
      now: clockAt(signedAt),
      on: { 'verification.approved': (event) => void handled.push(event.event_id) },
      onError: (error) => void errors.push(error),
      ...options,
    } as WebhookHandlerOptions),
  )
  const { url, port } = await serveListener(app)
  const post = (delivery: { body: string | Uint8Array; headers: Record<string, string> }) =>
    fetch(`${url}/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...delivery.headers },
      body: delivery.body as string,
    })
  return { post, port, handled, errors }
}

it.each([
  ['no body parser', () => {}],
  ['express.raw', (app: express.Express) => void app.use(express.raw({ type: '*/*' }))],
  ['express.text', (app: express.Express) => void app.use(express.text({ type: '*/*' }))],
  [
    'express.json that keeps rawBody',
    (app: express.Express) =>
      void app.use(express.json({ verify: (req, _, body) => void Object.assign(req, { rawBody: body }) })),
  ],
])('handles a signed event with %s in front', async (_, prepare) => {
  const { post, handled } = await anApp(prepare)
  const response = await post(await aDelivery({ vendor_data: 'Zoë' }))
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ outcome: 'processed' })
  expect(handled).toEqual(['evt_1'])
})

it('responds with 400 after express.json, and the message for onError says what is wrong and names the fix', async () => {
  const { post, handled, errors } = await anApp((app) => void app.use(express.json()))
  const response = await post(await aDelivery())
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ outcome: 'rejected', reason: 'body_not_raw' })
  const message =
    'expressWebhook: the raw body is missing: mount the handler before parsers, or pass request.text() or event.body.'
  expect(errors).toEqual([expect.objectContaining({ message })])
  expect(handled).toEqual([])
})

it('rejects a body that other middleware read and dropped as not raw', async () => {
  const { post, errors } = await anApp(
    (app) =>
      void app.use((req, _, next) => {
        req.on('end', next).resume()
      }),
  )
  expect((await post(await aDelivery())).status).toBe(400)
  expect(errors).toEqual([expect.objectContaining({ reason: 'body_not_raw' })])
})

it('responds to a forged event with 400 and no more than the reason', async () => {
  const { post, handled } = await anApp()
  const response = await post(await aDelivery({}, { secret: 'forged' }))
  expect(response.status).toBe(400)
  expect(await response.text()).toBe('{"outcome":"rejected","reason":"signature_mismatch"}')
  expect(handled).toEqual([])
})

it('responds with 500 if the callback throws', async () => {
  const { post } = await anApp(undefined, {
    on: { 'verification.approved': () => Promise.reject(new Error('boom')) },
  })
  const response = await post(await aDelivery())
  expect(response.status).toBe(500)
  expect(await response.text()).toBe('{"outcome":"failed"}')
})

it('responds with 413 to a body over the limit, and closes the connection', async () => {
  const { post, handled } = await anApp(undefined, { maxBodyBytes: 1024 })
  const response = await post(await aDelivery({ vendor_data: 'x'.repeat(200_000) }))
  expect(response.status).toBe(413)
  expect(response.headers.get('connection')).toBe('close')
  expect(handled).toEqual([])
})

it('rejects a delivery whose sender has disconnected, without waiting for more', async () => {
  const errors: unknown[] = []
  const handler = expressWebhook({
    secret,
    now: clockAt(signedAt),
    onTestEvent: () => {},
    onError: (error) => void errors.push(error),
  })
  const head = `POST /webhooks HTTP/1.1\r\nhost: localhost\r\n${plausibleHeaderLines}content-length: 9\r\n\r\n`
  const rejected = new Promise<void>((resolve) => {
    const app = express()
    app.post('/webhooks', (req, res) => {
      req.on('close', () => void handler(req, res).then(resolve))
      req.socket.destroy()
    })
    serveListener(app).then(({ port }) => rawExchange(port, head).catch(() => {}))
  })
  await rejected
  expect(errors).toEqual([expect.objectContaining({ reason: 'body_incomplete' })])
})

it.each(rejectedHeaders)('responds to %s before the body arrives', async (_, headers, status, reason) => {
  const { port, errors } = await anApp(undefined, { maxBodyBytes: 4096 })

  const response = await rawExchange(port, headOf('/webhooks', { 'content-length': '10', ...headers }))

  expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*connection: close.*"${reason}"`, 'is'))
  expect(errors).toMatchObject([{ reason }])
})

it('leaves the response unchanged if other middleware has responded', async () => {
  const handler = expressWebhook({ secret, onTestEvent: () => {}, onError: () => {} })
  let handled: Promise<void> | undefined
  const { url } = await serveListener((req, res) => {
    res.end('response of other middleware')
    handled = handler(req, res)
  })
  expect(await (await fetch(url, { method: 'POST', body: '{}' })).text()).toBe('response of other middleware')
  await expect(handled).resolves.toBeUndefined()
})

it('rejects a signature header that was sent twice', async () => {
  const { port, errors } = await anApp()
  const { body, headers } = await aDelivery()
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const response = await rawExchange(
    port,
    [
      'POST /webhooks HTTP/1.1',
      'host: localhost',
      'connection: close',
      `content-length: ${Buffer.byteLength(body)}`,
      ...lines,
      `X-Svc-Signature: ${headers['x-svc-signature']}`,
      '',
      body,
    ].join('\r\n'),
  )
  expect(response).toMatch(/^HTTP\/1\.1 400 /)
  expect(errors).toEqual([expect.objectContaining({ reason: 'malformed_header' })])
})
