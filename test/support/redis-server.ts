import { connect } from 'node:net'
import { freePort } from './free-port.ts'
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
