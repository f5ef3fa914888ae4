import { createHmac, timingSafeEqual } from 'node:crypto'
import { builtEntry, ownDependency } from '../own.js'
import { webhookEvent } from '../webhook-event.js'

const { createWebhookHandler, signWebhook } = /** @type {typeof import('identity-service-sdk/webhooks')} */ (
  await import(builtEntry('webhooks').href)
)
const { redisStore } = /** @type {typeof import('identity-service-sdk/stores/redis')} */ (
  await import(builtEntry('stores/redis').href)
)
const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const dayMs = 86_400_000

/**
 * Deliveries of 1 KiB that a store of Redis runs once each: by hand, and with this package.
 *
 * @param {string} url of Redis
 * @returns {Record<string, () => Promise<() => Promise<unknown>>>}
 */
export function works(url) {
  const connected = async () => {
    const { createClient } = await ownDependency('redis')
    return createClient({ url })
      .on('error', () => {})
      .connect()
  }
  const event = webhookEvent(1024)
  // They are signed before they are measured. Each is delivered once, until all were and the database is emptied.
  const signed = async () =>
    Promise.all(
      Array.from({ length: 2000 }, (_, i) => signWebhook({ event: { ...event, event_id: `evt_bench_${i}` }, secret })),
    )
  /** @param {Awaited<ReturnType<typeof connected>>} redis */
  const deliveries = async (redis) => {
    const all = await signed()
    let next = 0
    return async () => {
      if (next === all.length) {
        await redis.flushAll()
        next = 0
      }
      return /** @type {(typeof all)[number]} */ (all[next++])
    }
  }
  const byHand = async () => {
    const redis = await connected()
    const next = await deliveries(redis)
    return async () => {
      const { headers, body } = await next()
      const mac = createHmac('sha256', secret).update(`${headers['x-svc-timestamp']}.`).update(body).digest()
      if (!timingSafeEqual(mac, Buffer.from(String(headers['x-svc-signature']), 'hex'))) return 400
      const { event_id } = JSON.parse(body.toString())
      const claimed = await redis.set(`by-hand:${event_id}`, 'running', { NX: true, PX: 60_000 })
      if (claimed === null) return 200
      await redis.set(`by-hand:${event_id}`, 'done', { PX: dayMs })
      return 200
    }
  }
  return {
    'by hand': byHand,
    'by hand (control)': byHand,
    createWebhookHandler: async () => {
      const redis = await connected()
      const on = { 'verification.approved': () => {} }
      const handler = createWebhookHandler({ secret, store: redisStore(redis), on })
      const next = await deliveries(redis)
      return async () => handler.handle(await next())
    },
  }
}
