import { createHmac } from 'node:crypto'
import { peer } from './peers.js'

const { default: Stripe } = await peer('stripe')
const { default: OpenAI } = await peer('openai')
const { WorkOS } = await peer('@workos-inc/node')
const { Webhook: SvixWebhook } = await peer('svix')
const { Webhook } = await peer('standardwebhooks')
const { sign, verify } = await peer('@octokit/webhooks-methods')
const { verifyWebhook } = await peer('@clerk/backend/webhooks')

const stripe = new Stripe('sk_test_bench')
const workos = new WorkOS('sk_bench')
const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const openai = new OpenAI({ apiKey: 'bench', webhookSecret: secret })

/**
 * Other packages at the same body, each signed as it wants it, each in the form that it documents: bytes where it
 * takes bytes, else text or, where it takes no other, what a framework parsed.
 *
 * @param {string} text
 * @returns {Promise<Record<string, () => unknown>>}
 */
export async function webhookPeers(text) {
  const bytes = Buffer.from(text)
  const now = new Date()
  const seconds = Math.floor(now.getTime() / 1000)
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': new Webhook(secret).sign('msg_1', now, text),
  }
  const svixHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.replace('webhook-', 'svix-'), value]),
  )
  const hmac = (/** @type {string} */ signed) => createHmac('sha256', secret).update(signed).digest('hex')
  const stripeHeader = `t=${seconds},v1=${hmac(`${seconds}.${text}`)}`
  const parsed = JSON.parse(text)
  const workosHeader = `t=${now.getTime()}, v1=${hmac(`${now.getTime()}.${JSON.stringify(parsed)}`)}`
  const github = await sign(secret, text)
  const standard = new Webhook(secret)
  const svix = new SvixWebhook(secret)
  return {
    'stripe (bytes)': () => stripe.webhooks.constructEvent(bytes, stripeHeader, secret),
    'svix (bytes)': () => svix.verify(bytes, headers),
    'standardwebhooks (bytes)': () => standard.verify(bytes, headers),
    'openai (text)': () => openai.webhooks.unwrap(text, headers),
    'octokit (text) + JSON.parse': async () => {
      if (!(await verify(secret, text, github))) throw new Error('not signed')
      return JSON.parse(text)
    },
    'workos (parsed)': () =>
      workos.webhooks.constructEvent({ payload: parsed, sigHeader: workosHeader, secret }),
    'clerk (Request)': () =>
      verifyWebhook(new Request('http://localhost/', { method: 'POST', headers: svixHeaders, body: bytes }), {
        signingSecret: secret,
      }),
  }
}
