import { modules } from '#undici'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { environment, isDeno, isNode } from '../../runtime/environment.ts'
import type { ClientOptions } from '../params/options.ts'
import { FetchTransport } from './fetch-transport.ts'
import type { Transport } from './transport.ts'
import { UndiciTransport } from './undici-transport.ts'

/**
 * Chooses the transport of a client.
 *
 * @param owner what takes the options: a class or a function
 * @throws {ConfigurationError} a dispatcher was passed together with `fetch`, or on a runtime without undici, or the
 *   variable of a proxy is not a URL, or the proxy would read what is sent without TLS
 */
export function chooseTransport(owner: string, options: ClientOptions, origin: string): Transport {
  const { fetch, connections, http2 = false, dispatcher } = options
  // Deno's `require` selects the files for Node, and undici would need permissions that a call does not need.
  const own = isNode() ? modules : undefined
  if (dispatcher !== undefined && own === undefined)
    throw new ConfigurationError({
      message: `${owner}: dispatcher works only on Node, with the undici transport`,
    })
  if (dispatcher !== undefined && fetch !== undefined)
    throw new ConfigurationError({ message: `${owner}: pass fetch or dispatcher, not both` })
  const usesFetch = fetch !== undefined || (dispatcher === undefined && environment('SVC_TRANSPORT') === 'fetch')
  if (usesFetch || own === undefined) {
    if (fetch === undefined || fetch === globalThis.fetch) {
      if (own?.usesEnvProxy() ?? (isDeno() || 'Bun' in globalThis)) checkProxyOfFetch(owner, new URL(origin))
    }
    return new FetchTransport(fetch)
  }
  const proxy = dispatcher === undefined ? own.findEnvProxy(owner, new URL(origin)) : undefined
  return new UndiciTransport({ origin, connections, http2, proxy, modules: own }, dispatcher)
}

/**
 * Rejects a plain URL that the `fetch` of a runtime would send to a proxy. `http` is allowed for this machine only, because
 * the network must not read the key, and no runtime lets a request to this machine pass by the proxy by itself.
 */
function checkProxyOfFetch(owner: string, { protocol, hostname }: URL): void {
  const variable = ['http_proxy', 'HTTP_PROXY'].find((name) => environment(name))
  const direct = environment('no_proxy') ?? environment('NO_PROXY') ?? ''
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol === 'https:' || variable === undefined || direct === '*' || direct.includes(host)) return
  throw new ConfigurationError({
    message: `${owner}: fetch would send http requests to the proxy of ${variable}. List ${host} in NO_PROXY`,
  })
}
