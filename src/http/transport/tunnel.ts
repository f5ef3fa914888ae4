import type { Duplex } from 'node:stream'
import type { buildConnector } from 'undici'
import type { EnvProxy } from './env-proxy.ts'

type Undici = Pick<typeof import('undici'), 'Client' | 'buildConnector'>

/**
 * Maximum time for the connection to the proxy, for its response, and for TLS to the host: undici's default for a
 * connection.
 */
const connectTimeoutMs = 10_000

/** A proxy that cannot be reached, or that did not open the tunnel. Nothing was sent to the host. */
export class ProxyFailure extends Error {
  /** The status of the proxy's response, if there is one. */
  readonly status: number | undefined

  constructor({ status, cause }: { readonly status?: number; readonly cause?: unknown }) {
    super(status === undefined ? 'the proxy failed' : `the proxy responded with ${status}`, { cause })
    this.status = status
  }
}

/**
 * Returns a connector for an undici pool that opens each connection through a proxy. undici's own `ProxyAgent` (7.30)
 * keeps the process busy without end, so that no timer fires, if the proxy misbehaves.
 */
export function tunnelConnector(
  undici: Undici,
  proxy: EnvProxy,
  { allowH2 = false }: { readonly allowH2?: boolean } = {},
): buildConnector.connector {
  const connect = undici.buildConnector({ allowH2, timeout: connectTimeoutMs })
  return (options, callback) => {
    openTunnel(undici, proxy, options.host ?? options.hostname).then(
      (socket) => connect({ ...options, httpSocket: socket as NonNullable<typeof options.httpSocket> }, callback),
      (failure) => callback(failure, null),
    )
  }
}

/**
 * Opens a tunnel to a host.
 *
 * @param host as `URL.host` spells it, without the port if that is 443
 * @throws {ProxyFailure}
 */
export async function openTunnel(
  { Client, buildConnector }: Undici,
  { origin, authorization }: EnvProxy,
  host: string,
): Promise<Duplex> {
  const path = /:\d+$/.test(host) ? host : `${host}:443`
  const headers = {
    host: path,
    ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
  }
  const toProxy = buildConnector({ timeout: connectTimeoutMs })
  const client = new Client(origin, {
    headersTimeout: connectTimeoutMs,
    // undici takes the name for TLS from the Host header, which is that of the host behind the proxy.
    connect: ({ servername: _, ...options }, callback) => toProxy(options, callback),
  })
  try {
    const { statusCode: status, socket } = await client.connect({ path, headers })
    if (status >= 200 && status < 300) return socket
    socket.on('error', () => {}).destroy()
    throw new ProxyFailure({ status })
  } catch (thrown) {
    throw thrown instanceof ProxyFailure ? thrown : new ProxyFailure({ cause: thrown })
  } finally {
    // The tunnel does not need the client.
    client.destroy().catch(() => {})
  }
}
