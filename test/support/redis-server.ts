import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { vi } from 'vitest'
import { freePort } from './free-port.ts'
import { patient } from './patience.ts'
import { requireBinary } from './programs.ts'
import { type Service, serviceFolder, startService } from './service-process.ts'

/**
 * Starts a Redis server without persistence: a restart deletes its data.
 *
 * @param more further settings of `redis.conf`, by name
 */
export async function startRedis(more: Record<string, string | number> = {}): Promise<Service> {
  const [port, folder] = await Promise.all([freePort(), serviceFolder('redis-server')])
  const defaults = { port, bind: '127.0.0.1', save: '', appendonly: 'no', dir: folder, loglevel: 'warning' }
  const settings = { ...defaults, ...more }
  return startService({
    command: requireBinary('redis-server'),
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    port,
    url: `redis://127.0.0.1:${port}`,
    folder,
    ready: () => ping(port),
  })
}

/** Starts a sentinel that monitors a server under the name `main`. */
export async function startSentinel(primary: Service): Promise<Service> {
  const [port, folder] = await Promise.all([freePort(), serviceFolder('redis-server')])
  const config = join(folder, 'sentinel.conf')
  // A sentinel rewrites its settings, so they are in a file.
  const monitor = `sentinel monitor main 127.0.0.1 ${primary.port} 1`
  await writeFile(config, `port ${port}\nbind 127.0.0.1\ndir ${folder}\nloglevel warning\n${monitor}\n`)
  return startService({
    command: requireBinary('redis-server'),
    args: [config, '--sentinel'],
    port,
    url: `redis://127.0.0.1:${port}`,
    folder,
    ready: () => ping(port),
  })
}

/** Starts a cluster of primaries that share the slots evenly, in order. */
export async function startRedisCluster(size: number): Promise<Service[]> {
  const start = async () =>
    startRedis({
      'cluster-enabled': 'yes',
      'cluster-port': await freePort(),
      'cluster-announce-ip': '127.0.0.1',
    })
  const nodes = await Promise.all(Array.from({ length: size }, start))
  const clients = nodes.map(({ port }) => new Redis(port, '127.0.0.1'))
  const slots = 16_384
  for (const [i, client] of clients.entries()) {
    const [from, to] = [Math.floor((i * slots) / size), Math.floor(((i + 1) * slots) / size) - 1]
    await client.call('CLUSTER', 'ADDSLOTSRANGE', from, to)
    // Without epochs of their own, nodes that claim the same epoch need seconds to settle it.
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', i + 1)
  }
  const busPort = async (client: Redis) => Number(/@(\d+)/.exec(String(await client.call('CLUSTER', 'NODES')))?.[1])
  const [first, ...others] = clients
  for (const client of others) {
    const { port } = client.options
    await first?.call('CLUSTER', 'MEET', '127.0.0.1', Number(port), await busPort(client))
  }
  const isReady = async (client: Redis) => {
    const info = String(await client.call('CLUSTER', 'INFO'))
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${size}`)
  }
  await vi.waitUntil(async () => (await Promise.all(clients.map(isReady))).every(Boolean), {
    ...patient,
    interval: 50,
  })
  for (const client of clients) client.disconnect()
  return nodes
}

function ping(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.once('data', (reply) => {
      socket.destroy()
      if (String(reply).startsWith('+PONG')) resolve()
      else reject(new Error(`unexpected reply: ${reply}`))
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('closed')))
  })
}
