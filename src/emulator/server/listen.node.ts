import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import { randomUUID } from '#platform'
import { requestIdHeader } from '../../contract/service.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { isLoopback } from '../../runtime/loopback.ts'
import { consolePath } from '../console/layout.ts'
import { ConnectionReset } from '../state/faults/faults.ts'
import { readBaseUrl } from './base-url.ts'
import { emulatorHeaders, errorResponse } from './response.ts'
import { ServiceError } from './service-error.ts'

/** Where the emulator listens. */
export interface ListenOptions {
  /**
   * Where it listens; 0 is any port that is free.
   *
   * @default 0: a free one
   */
  readonly port?: number | undefined
  /**
   * On which address it listens.
   *
   * @default '127.0.0.1'
   * @throws {ConfigurationError} for a host beyond this machine, unless `allowRemote`
   */
  readonly host?: string | undefined
  /** Lets other machines in. The emulator guards nothing: use it within a network that you trust. @default false */
  readonly allowRemote?: boolean | undefined
  /**
   * Names by which the server may be called besides loopback names, `host` and, with `allowRemote`, any IP
   * address. Others are refused, so that a web page cannot reach it by a name of its own (DNS rebinding).
   *
   * @default none
   */
  readonly allowedHosts?: readonly string[] | undefined
  /**
   * Where browsers and clients reach the server, such as `https://identity.test` of a proxy that ends TLS. Sessions,
   * links and the issuer are given out under it, and its host is answered to. A path in it stands before the
   * service's own, and is expected in the requests.
   *
   * @default the address that a request names
   * @throws {ConfigurationError} unless http or https, without credentials, query and fragment
   */
  readonly publicUrl?: string | undefined
}

/** A listening emulator. */
export interface EmulatorServer {
  /** Such as `http://127.0.0.1:41234`, without a trailing slash. */
  readonly url: string
  /** Where a browser finds the console: what the emulator holds, and its switches. */
  readonly consoleUrl: string
  /**
   * Ends all connections. Resolves once the port is free.
   *
   * @example
   * const server = await emulator.listen()
   * await server.close()
   */
  close(): Promise<void>
}

type FetchHandler = (request: Request, baseUrl?: string) => Promise<Response>

const refusal = (status: number, code: string, message: string) => {
  const { body, headers } = errorResponse(new ServiceError({ status, code, message }))
  const requestId = { [requestIdHeader]: `req_${randomUUID()}` }
  return new Response(body, { status, headers: { ...headers, ...emulatorHeaders, ...requestId } })
}

/** Spelled as URLs spell it: IPv6 in brackets, short forms of IPv4 written out. */
function hostnameOf(host: string): string {
  const text = `http://${host.includes(':') ? `[${host}]` : host}`
  if (!URL.canParse(text)) throw new ConfigurationError(`host: ${host} is no host`)
  return new URL(text).hostname
}

const isAddress = (hostname: string) => hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname)

export async function listen(handle: FetchHandler, options: ListenOptions): Promise<EmulatorServer> {
  const { port = 0, host = '127.0.0.1', allowRemote = false, allowedHosts = [] } = options
  const publicUrl = options.publicUrl === undefined ? undefined : readBaseUrl('publicUrl', options.publicUrl)
  const hostname = hostnameOf(host)
  if (!isLoopback(hostname) && !allowRemote)
    throw new ConfigurationError(`host: ${host} is open to other machines; set allowRemote if that is meant`)
  const names = new Set([hostname, ...allowedHosts.map(hostnameOf)])
  if (publicUrl !== undefined) names.add(new URL(publicUrl).hostname)
  const isOurs = (called: string) =>
    names.has(called) || isLoopback(called) || (allowRemote && isAddress(called))

  const listener = getRequestListener(
    async (request, { incoming }) => {
      // Another site's name in the Host header: 421, which no documented answer of the service is.
      if (!isOurs(new URL(request.url).hostname))
        return refusal(421, 'foreign_host', 'The emulator does not answer to this host name.')
      return await handle(request, publicUrl).catch((error: unknown) => {
        if (error instanceof ConnectionReset) (incoming as IncomingMessage).socket.destroy()
        throw error
      })
    },
    {
      // The globals of the process are not ours to replace.
      overrideGlobalObjects: false,
      // What else is thrown here has nobody left to hear it: the connection is gone.
      errorHandler: (error) =>
        error instanceof RequestError ? refusal(400, 'validation_error', error.message) : undefined,
    },
  )
  const server = createServer(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  const localUrl = `http://${hostname}:${bound}`
  return {
    url: publicUrl ?? localUrl,
    consoleUrl: localUrl + consolePath,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
