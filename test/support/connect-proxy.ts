import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** A proxy that supports CONNECT and no other method. */
export interface ConnectProxy {
  readonly url: string
  /** Host and port of each requested tunnel. */
  readonly tunnels: readonly string[]
  close(): Promise<void>
}

export async function connectProxy(): Promise<ConnectProxy> {
  const tunnels: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((_, response) => response.writeHead(405).end())
  server.on('connect', ({ url = '' }, socket: Socket) => {
    tunnels.push(url)
    const [host = '', port] = url.split(':')
    const upstream = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
