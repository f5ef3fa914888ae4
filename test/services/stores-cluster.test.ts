import { Cluster, Redis } from 'ioredis'
import { createCluster } from 'redis'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { redisStore } from '../../src/stores-redis.ts'
import { testStore } from '../../src/stores-testing.ts'
import { type Store, StoreError } from '../../src/webhooks.ts'
import { collect } from '../support/collect.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis, startRedisCluster, startSentinel } from '../support/redis-server.ts'
import { responseLosingProxy } from '../support/response-losing-proxy.ts'
import type { Service } from '../support/service-process.ts'
import { testRules } from '../support/store-rules.ts'

const nodeRedisCluster = (url: string) => createCluster({ rootNodes: [{ url }] }).on('error', () => {})

const keysOf = async (store: Required<Pick<Store, 'scan'>>, prefix: string): Promise<string[]> =>
  [...new Set(await collect(store.scan(prefix)))].sort()

describeWith('redis-server', 'that redisStore follows the rules of stores in a cluster', () => {
  let nodes: Service[] = []
  let nodeRedis: Awaited<ReturnType<ReturnType<typeof nodeRedisCluster>['connect']>>
  let ioRedis: Cluster

  beforeAll(async () => {
    nodes = await startRedisCluster(3)
    nodeRedis = await nodeRedisCluster(String(nodes[0]?.url)).connect()
    ioRedis = new Cluster([{ host: '127.0.0.1', port: Number(nodes[0]?.port) }])
  }, 60_000)

  afterAll(async () => {
    nodeRedis?.destroy()
    ioRedis?.disconnect()
    for (const node of nodes) await node.remove()
  })

  testRules('the Redis store on a cluster of node-redis', () => redisStore(nodeRedis, { prefix: 'n:' }))
  testRules('the Redis store on a cluster of ioredis', () => redisStore(ioRedis, { prefix: 'i:' }))

  it.each([
    ['ioredis', Cluster],
    ['ioredis-5', undefined],
  ])('a cluster of %s with automatic pipelines follows every rule, also at the same time', async (name, loaded) => {
    const Clusters = loaded ?? ((await import(name)).Cluster as typeof Cluster)
    const port = Number(nodes[0]?.port)
    const cluster = new Clusters([{ host: '127.0.0.1', port }], { enableAutoPipelining: true })
    onTestFinished(() => cluster.disconnect())
    const store = redisStore(cluster, { prefix: `${name}:` })

    for (const rule of testStore(() => store)) await rule.run()
    const keys = Array.from({ length: 50 }, (_, i) => `at once ${i}`)
    await Promise.all(keys.map((key) => store.set(key, key)))

    expect(await Promise.all(keys.map((key) => store.get(key)))).toEqual(keys)
  })

  it('scan lists the keys of all primaries, with both clients', async () => {
    const keys = Array.from({ length: 30 }, (_, i) => `spread ${i}`).sort()
    const [a, b] = [redisStore(nodeRedis), redisStore(ioRedis)]
    for (const key of keys) await a.set(key, '1')
    const sizes = nodes.map(async ({ port }) => {
      const client = new Redis(port, '127.0.0.1')
      onTestFinished(() => client.disconnect())
      return (await client.keys('svc:{*}spread *')).length
    })
    expect(await Promise.all(sizes)).not.toContain(0)
    expect(await keysOf(a, 'spread ')).toEqual(keys)
    expect(await keysOf(b, 'spread ')).toEqual(keys)
  })

  it('a lost reply in a cluster of ioredis is a StoreError', async () => {
    const slot = await ioRedis.cluster('KEYSLOT', 'svc:{6c}key')
    const owner = Number(nodes[Math.floor((slot * nodes.length) / 16_384)]?.port)
    const proxy = await responseLosingProxy(owner)
    const near = { host: '127.0.0.1', port: proxy.port }
    // A refresh of the slots could lose its reply instead.
    const cluster = new Cluster([near], { natMap: { [`127.0.0.1:${owner}`]: near }, slotsRefreshInterval: 0 })
    cluster.on('error', () => {})
    onTestFinished(() => cluster.disconnect())
    const store = redisStore(cluster)
    await store.set('key', 'value')
    proxy.loseResponse()
    await expect(store.take('key')).rejects.toBeInstanceOf(StoreError)
    expect(await store.get('key')).toBeNull()
  })
})

describeWith('redis-server', 'that redisStore follows the rules of stores behind sentinels', () => {
  let server: Service
  let sentinel: Service
  let client: Redis

  const behindSentinel = (natMap = {}) => {
    const sentinels = [{ host: '127.0.0.1', port: sentinel.port }]
    return new Redis({ sentinels, name: 'main', natMap, lazyConnect: true }).on('error', () => {})
  }

  beforeAll(async () => {
    server = await startRedis()
    sentinel = await startSentinel(server)
    client = behindSentinel()
    await client.connect()
  })

  afterAll(async () => {
    client?.disconnect()
    await sentinel?.remove()
    await server?.remove()
  })

  testRules('the Redis store on a sentinel client of ioredis', () => redisStore(client))

  it.each(['take', 'compareAndSet', 'compareAndDelete', 'delete'] as const)(
    'a lost reply to %s behind a sentinel is a StoreError, not a wrong result',
    async (operation) => {
      const proxy = await responseLosingProxy(server.port)
      const near = behindSentinel({ [`127.0.0.1:${server.port}`]: { host: '127.0.0.1', port: proxy.port } })
      onTestFinished(() => near.disconnect())
      const [direct, store] = [redisStore(client), redisStore(near)]
      await store.get('key')
      await direct.set('key', '1')
      proxy.loseResponse()
      const error = await store[operation]('key', '1', '2').catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(StoreError)
      expect(error).toMatchObject({ mayHaveHappened: true })
      expect(await direct.get('key')).not.toBe('1')
    },
  )
})
