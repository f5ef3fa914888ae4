import { ConfigurationError } from '../../errors/sdk-error.ts'
import { environment, isNode } from '../../runtime/environment.ts'
import type { ClientOptions } from '../params/options.ts'
import type { Transport } from './transport.ts'

/**
 * Chooses the transport of a client. Its module is loaded by the function that is returned.
 *
 * @throws {ConfigurationError} a dispatcher was passed on a runtime without undici
 */
export function transportLoader(options: ClientOptions, origin: string): () => Promise<Transport> {
  const { fetch, connections, http2 = false, dispatcher } = options
  if (dispatcher !== undefined && !isNode())
    throw new ConfigurationError({ message: 'dispatcher works only on Node, with the undici transport' })
  const usesFetch =
    fetch !== undefined || (dispatcher === undefined && environment('SVC_TRANSPORT') === 'fetch')
  return usesFetch
    ? async () => new (await import('./fetch-transport.ts')).FetchTransport(fetch)
    : async () => (await import('#transport')).defaultTransport({ origin, connections, http2 }, dispatcher)
}
