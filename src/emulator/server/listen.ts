import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requestIdHeader } from '../../contract/service.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { checkOptions, type OptionRules } from '../../options/rules.ts'
import type { AsyncClosable } from '../../runtime/public-class.ts'
import { isLoopback } from '../../runtime/secure-url.ts'
import type { EmulatorServer, ListenOptions } from '../controls/controls.ts'
import { consolePath } from '../model/addresses.ts'
import { ConnectionReset } from '../model/faults/faults.ts'
import { emulatorHeaders, errorResponse } from '../model/response.ts'
import { ServiceError } from '../model/service-error.ts'
import { readBaseUrl } from './base-url.ts'

/** What takes the options, for error messages. */
const owner = 'emulator.listen'

const optionRules = {
  port: true,
  host: true,
  allowRemote: true,
  allowRemoteControls: true,
  allowedHosts: true,
  publicUrl: true,
  tls: true,
} satisfies OptionRules<ListenOptions>

/** Describes why the server could not listen, with the option to change. */
function listenFailure(
  thrown: unknown,
  { port, host }: Required<Pick<ListenOptions, 'port' | 'host'>>,
): ConfigurationError {
  const { code = 'unknown' } = thrown as NodeJS.ErrnoException
  const faults: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} on ${host} is in use: choose another port, or 0 for a free one`,
    EACCES: `you have no permission to listen on port ${port}: choose another port above 1023, or 0 for a free one`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: choose another host`,
    ENOTFOUND: `${host} is not a known host: choose another host`,
    ERR_SOCKET_BAD_PORT: 'port must be a whole number from 0 to 65535',
  }
  const fault = faults[code] ?? `cannot listen on port ${port} of ${host} (${code})`
  return new ConfigurationError({ message: `${owner}: ${fault}`, cause: thrown })
}

/** Handles a request. */
export type Serve = (
  request: Request,
  from?: {
    /** Address of the service, without a trailing slash. @default the origin of the request */
    readonly baseUrl?: string | undefined
    /**
     * Who may use the console and the control API: requests to a loopback host that did not pass a proxy, all or none.
     *
     * @default 'loopback'
     */
    readonly controls?: 'loopback' | 'everyone' | 'no one'
  },
) => Promise<Response>

/** Another machine may name a loopback host, so the address of the peer decides. */
function controlsFor(address = '', { allowRemoteControls }: ListenOptions) {
  if (allowRemoteControls === true) return 'everyone'
  const ipv4 = address.replace(/^::ffff:(?=\d+\.)/, '')
  return isLoopback(ipv4.includes(':') ? `[${ipv4}]` : ipv4) ? 'loopback' : 'no one'
}

const rejection = (status: number, code: string, message: string) => {
  const { body, headers } = errorResponse(new ServiceError({ status, code, message }))
  const requestId = { [requestIdHeader]: `req_${crypto.randomUUID()}` }
  return new Response(body, { status, headers: { ...headers, ...emulatorHeaders, ...requestId } })
}

/** Normalizes a host as `URL` does: IPv6 in brackets, short forms of IPv4 written out. */
function hostnameOf(host: string): string {
  const text = `http://${host.includes(':') ? `[${host}]` : host}`
  if (!URL.canParse(text))
    throw new ConfigurationError({
      message: `${owner}: ${JSON.stringify(host)} is not a host name or an IP address`,
    })
  return new URL(text).hostname
}

/** How this machine calls a server that listens on all of its addresses. */
const loopbackOf: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }

const isAddress = (hostname: string) => hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname)

/** Reads where the server listens, and by which names it may be called. */
function readHosts({ host = '127.0.0.1', allowRemote = false, allowedHosts = [], ...options }: ListenOptions) {
  const publicUrl = options.publicUrl === undefined ? undefined : readBaseUrl(`${owner}: publicUrl`, options.publicUrl)
  const hostname = hostnameOf(host)
  if (!isLoopback(hostname) && !allowRemote)
    throw new ConfigurationError({
      message: `${owner}: host ${host} is reachable from other machines. Set allowRemote to true to allow that`,
    })
  const names = new Set([hostname, ...allowedHosts.map(hostnameOf)])
  if (publicUrl !== undefined) names.add(new URL(publicUrl).hostname)
  const isAllowed = (requested: string) =>
    names.has(requested) || isLoopback(requested) || (allowRemote && isAddress(requested))
  return { publicUrl, hostname, isAllowed }
}

/**
 * Whether Node's permission model forbids servers. Node throws that after `listen` has returned, so nothing can catch
 * it.
 */
function isForbidden(): boolean {
  const { permission, allowedNodeEnvironmentFlags: flags } = (globalThis.process ?? {}) as Partial<NodeJS.Process>
  // Before Node 25, the permission model has no permission for the network, and forbids nothing of it.
  return permission !== undefined && flags?.has('--allow-net') === true && !permission.has('net')
}

export async function listen(serve: Serve, options: ListenOptions): Promise<Omit<EmulatorServer, keyof AsyncClosable>> {
  checkOptions(owner, options, optionRules)
  // Loaded here, because the rest of the emulator also runs on runtimes without node:http.
  const { createServer, createTlsServer, getRequestListener, RequestError } = await import('#node-http')
  if (createServer === undefined || createTlsServer === undefined) {
    throw new ConfigurationError({
      message: `${owner}: this runtime has no node:http, as Node, Bun and Deno have. Pass requests to emulator.fetch()`,
    })
  }
  if (isForbidden()) {
    const message = `${owner}: Node's permission model forbids servers. Start node with --allow-net.`
    throw new ConfigurationError({ message })
  }
  const { port = 0, host = '127.0.0.1' } = options
  const { publicUrl, hostname, isAllowed } = readHosts(options)
  const listener = getRequestListener(
    async (request, { incoming }) => {
      // The service documents no 421, so this response cannot be mistaken for one of the service.
      if (!URL.canParse(request.url) || !isAllowed(new URL(request.url).hostname))
        return rejection(
          421,
          'foreign_host',
          'The emulator does not accept this host name. Add it to allowedHosts, or pass --allowed-host.',
        )
      const { socket } = incoming as IncomingMessage
      const controls = controlsFor(socket.remoteAddress, options)
      return await serve(request, { baseUrl: publicUrl, controls }).catch((error: unknown) => {
        if (error instanceof ConnectionReset) socket.destroy()
        throw error
      })
    },
    {
      // By default, the adapter replaces the Request and Response of the whole process.
      overrideGlobalObjects: false,
      // After any other error the connection is already gone, so no response is possible.
      errorHandler: (error) =>
        error instanceof RequestError ? rejection(400, 'validation_error', error.message) : undefined,
    },
  )
  const { tls } = options
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  }).catch((thrown: unknown) => {
    throw listenFailure(thrown, { port, host })
  })
  const { port: bound } = server.address() as AddressInfo
  const localUrl = `${tls === undefined ? 'http' : 'https'}://${loopbackOf[hostname] ?? hostname}:${bound}`
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
