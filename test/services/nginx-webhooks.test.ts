import express from 'express'
import { Agent, fetch as undiciFetch } from 'undici'
import { expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import { expressWebhook } from '../../src/express.ts'
import { VerificationClient } from '../../src/index.ts'
import { Nginx } from '../support/nginx.ts'
import { describeWith } from '../support/programs.ts'
import { selfSigned } from '../support/self-signed.ts'
import { serveListener } from '../support/serve-listener.ts'
import { aDelivery, secret } from '../support/webhook.ts'

/** Starts an Express app that receives webhooks, behind nginx. */
async function receiverBehindNginx(directives: readonly string[] = []) {
  const events: unknown[] = []
  const app = express().post(
    '/webhooks',
    expressWebhook({ secret, onTestEvent: () => {}, onUnhandled: (event) => void events.push(event) }),
  )
  const { url } = await serveListener(app)
  const nginx = await Nginx.start({ upstream: url, directives })
  const dispatcher = new Agent({ connect: { ca: selfSigned.cert } })
  onTestFinished(() => dispatcher.destroy())
  const overTls = ((to: string, init: object) =>
    undiciFetch(to, { ...init, dispatcher })) as unknown as typeof globalThis.fetch
  return { events, overTls, callback: `${nginx.url}/webhooks` }
}

describeWith('nginx', 'that webhooks arrive through a proxy', () => {
  it.each([
    ['that buffers the body', 'proxy_request_buffering on'],
    ['that streams the body', 'proxy_request_buffering off'],
  ])('accepts a signed delivery behind a proxy %s', async (_, directive) => {
    const { events, overTls, callback } = await receiverBehindNginx([directive])
    const emulator = createEmulator({ webhooks: { secret, deliver: overTls } })
    const client = new VerificationClient(emulator.options.verification)
    const vendor_data = `Zoë 🦊 ${'é'.repeat(40_000)}`
    const { session_id } = await client.sessions.create({ callback, vendor_data })

    await emulator.sessions.complete(session_id, 'APPROVED')
    const [delivery] = emulator.webhooks.deliveries
    await emulator.webhooks.resend(delivery?.id ?? '')

    expect(delivery?.attempts).toMatchObject([{ status: 200 }, { status: 200 }])
    expect(events).toEqual([delivery?.event])
    expect(events).toMatchObject([{ session_id, vendor_data, decision: { decision: 'APPROVED' } }])
  })

  it('rejects a forged delivery behind a proxy', async () => {
    const { events, overTls, callback } = await receiverBehindNginx()
    const timestamp = Math.floor(Date.now() / 1000)

    const forged = await aDelivery({}, { secret: 'forged', timestamp })
    const response = await overTls(callback, { method: 'POST', ...forged })

    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ outcome: 'rejected', reason: 'signature_mismatch' })
    expect(events).toEqual([])
  })
})
