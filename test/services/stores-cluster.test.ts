import { Cluster } from 'ioredis'
import { createCluster } from 'redis'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { redisStore } from '../../src/stores/redis.ts'
import { StoreError } from '../../src/webhooks.ts'
import { freePort } from '../support/free-port.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import { responseLosingProxy } from '../support/response-losing-proxy.ts'
import type { Service } from '../support/service-process.ts'
import { ioRedisClient } from '../support/store-clients.ts'
import { testRules } from '../support/store-rules.ts'

const nodeRedisCluster = (url: string) => createCluster({ rootNodes: [{ url }] }).on('error', () => {})

describeWith('redis-server', 'that redisStore follows the rules of stores in a cluster', () => {
  let server: Service
  let nodeRedis: Awaited<ReturnType<ReturnType<typeof nodeRedisCluster>['connect']>>
  let ioRedis: Cluster

  beforeAll(async () => {
    server = await startRedis({
      'cluster-enabled': 'yes',
      'cluster-port': await freePort(),
      'cluster-announce-ip': '127.0.0.1',
    })
    const node = await ioRedisClient(server.url)
    await node.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
    const isReady = async () => String(await node.call('CLUSTER', 'INFO')).includes('cluster_state:ok')
    await vi.waitUntil(isReady, { timeout: 10_000 })
    node.disconnect()
    nodeRedis = await nodeRedisCluster(server.url).connect()
    ioRedis = new Cluster([{ host: '127.0.0.1', port: server.port }])
  }, 30_000)

  afterAll(async () => {
    nodeRedis?.destroy()
    ioRedis?.disconnect()
    await server?.remove()
  })

  testRules('the Redis store on a cluster of node-redis', () => redisStore(nodeRedis, { prefix: 'n:' }))
  testRules('the Redis store on a cluster of ioredis', () => redisStore(ioRedis, { prefix: 'i:' }))

  it('a lost reply in a cluster of ioredis is a StoreError', async () => {
    const proxy = await responseLosingProxy(server.port)
    const near = { host: '127.0.0.1', port: proxy.port }
    const cluster = new Cluster([near], { natMap: { [`127.0.0.1:${server.port}`]: near } })
    cluster.on('error', () => {})
    onTestFinished(() => cluster.disconnect())
    const store = redisStore(cluster)
    await store.set('key', 'value')
    proxy.loseResponse()
    await expect(store.take('key')).rejects.toBeInstanceOf(StoreError)
    expect(await store.get('key')).toBeNull()
  })
})
