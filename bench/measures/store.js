// Measures webhooks whose events run once each with a store of Redis, compared with code without this package.
import { compareCpu } from '../cpu.js'
import { report } from '../result.js'
import { isRedisInstalled, redisServer } from '../servers/engines.js'

if (!isRedisInstalled()) {
  console.log('Skipped, because redis-server is not installed.')
} else {
  const redis = await redisServer()
  const own = { createWebhookHandler: undefined }
  const how = { of: 'delivery', times: 100, settings: [redis.url], own }
  const tables = [
    await compareCpu('store', { ...how, title: '1 KiB, one at a time' }),
    await compareCpu('store', { ...how, title: '1 KiB, 16 at a time', atOnce: 16 }),
  ]
  await redis.stop()
  report('store', tables)
}
