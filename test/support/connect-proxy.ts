import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Certificate } from './self-signed.ts'

/** A proxy that supports CONNECT and no other method. */
export interface ConnectProxy {
  readonly url: string
  /** Host and port of each requested tunnel. */
  readonly tunnels: readonly string[]
  /** The credentials of each requested tunnel. */
  readonly authorizations: readonly (string | undefined)[]
  close(): Promise<void>
}

export interface ConnectProxyOptions {
  /** The port of 127.0.0.1 to which tunnels to a host lead, by host and port. @default the host itself */
  readonly ports?: Readonly<Record<string, number>>
  /** Responds to a CONNECT in place of the tunnel. */
  readonly respond?: (socket: Socket, request: IncomingMessage) => void
  /** If clients have to use TLS to the proxy itself. */
  readonly tls?: Certificate
}

export async function connectProxy({ ports = {}, respond, tls }: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const tunnels: string[] = []
  const authorizations: (string | undefined)[] = []
  const sockets = new Set<Socket>()
  const server = tls ? createTlsServer(tls) : createServer()
  server.on('request', (_, response) => response.writeHead(405).end())
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const { url = '', headers } = request
    tunnels.push(url)
    authorizations.push(headers['proxy-authorization'])
    sockets.add(socket)
    socket.on('error', () => {})
    if (respond !== undefined) return respond(socket, request)
    const [host = '', port] = url.split(':')
    const target = ports[url] === undefined ? { host, port: Number(port) } : { port: ports[url] }
    const upstream = connect(target, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
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
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    authorizations,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
