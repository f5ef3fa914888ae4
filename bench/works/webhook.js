import { createHmac, timingSafeEqual } from 'node:crypto'
import { builtEntry } from '../own.js'
import { peer } from '../peers.js'
import { webhookEvent } from '../webhook-event.js'

const { signWebhook, verifyWebhook, verifyWebhookSignature } =
  /** @type {typeof import('identity-service-sdk/webhooks')} */ (await import(builtEntry('webhooks').href))
const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'

/**
 * Verifies and parses a delivery: with node:crypto alone, with this package, and with others. Each gets a body with its
 * own signature, in the form that it documents: bytes if it accepts bytes, otherwise text or a parsed object.
 *
 * @param {string} kib the size of the body in KiB
 * @returns {Record<string, () => Promise<() => unknown>>}
 */
export function works(kib) {
  const text = JSON.stringify(webhookEvent(Number(kib) * 1024))
  const body = Buffer.from(text)
  const now = new Date()
  const seconds = Math.floor(now.getTime() / 1000)
  const hmac = (/** @type {string} */ signed) => createHmac('sha256', secret).update(signed).digest('hex')
  const delivered = () => signWebhook({ body, secret })
  const bare = async () => {
    const { headers } = await delivered()
    return () => {
      const mac = createHmac('sha256', secret).update(`${headers['x-svc-timestamp']}.`).update(body).digest()
      if (!timingSafeEqual(mac, Buffer.from(String(headers['x-svc-signature']), 'hex'))) throw new Error('not signed')
      return JSON.parse(body.toString())
    }
  }
  const standard = async (/** @type {string} */ prefix) => {
    const { Webhook } = await peer('standardwebhooks')
    return {
      [`${prefix}-id`]: 'msg_1',
      [`${prefix}-timestamp`]: String(seconds),
      [`${prefix}-signature`]: new Webhook(secret).sign('msg_1', now, text),
    }
  }
  return {
    'node:crypto + JSON.parse': bare,
    'node:crypto + JSON.parse (control)': bare,
    verifyWebhook: async () => {
      const { headers } = await delivered()
      return () => verifyWebhook({ body, headers, secret })
    },
    verifyWebhookSignature: async () => {
      const { headers } = await delivered()
      return () => verifyWebhookSignature({ body, headers, secret })
    },
    'octokit (text) + JSON.parse': async () => {
      const { sign, verify } = await peer('@octokit/webhooks-methods')
      const signature = await sign(secret, text)
      return async () => {
        if (!(await verify(secret, text, signature))) throw new Error('not signed')
        return JSON.parse(text)
      }
    },
    'stripe (bytes)': async () => {
      const { default: Stripe } = await peer('stripe')
      const { webhooks } = new Stripe('sk_test_bench')
      const header = `t=${seconds},v1=${hmac(`${seconds}.${text}`)}`
      return () => webhooks.constructEvent(body, header, secret)
    },
    'standardwebhooks (bytes)': async () => {
      const { Webhook } = await peer('standardwebhooks')
      const headers = await standard('webhook')
      const webhook = new Webhook(secret)
      return () => webhook.verify(body, headers)
    },
    'svix (bytes) + JSON.parse': async () => {
      const { Webhook } = await peer('svix')
      const headers = await standard('svix')
      const webhook = new Webhook(secret)
      return () => {
        webhook.verify(body, headers)
        return JSON.parse(body.toString())
      }
    },
    'openai (text)': async () => {
      const { default: OpenAI } = await peer('openai')
      const headers = await standard('webhook')
      const { webhooks } = new OpenAI({ apiKey: 'bench', webhookSecret: secret })
      return () => webhooks.unwrap(text, headers)
    },
    'clerk (Request)': async () => {
      const { verifyWebhook: verify } = await peer('@clerk/backend/webhooks')
      const headers = await standard('svix')
      const init = { method: 'POST', headers, body }
      return () => verify(new Request('http://localhost/', init), { signingSecret: secret })
    },
    'workos (parsed)': async () => {
      const { WorkOS } = await peer('@workos-inc/node')
      const { webhooks } = new WorkOS('sk_bench')
      const payload = JSON.parse(text)
      const sigHeader = `t=${now.getTime()}, v1=${hmac(`${now.getTime()}.${text}`)}`
      // The default of three minutes is shorter than a run with --full.
      const tolerance = 3_600_000
      return () => webhooks.constructEvent({ payload, sigHeader, secret, tolerance })
    },
  }
}
