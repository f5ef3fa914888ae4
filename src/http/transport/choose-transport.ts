import { takesDispatchers } from '#platform'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { environment } from '../../runtime/environment.ts'
import { Lazy } from '../../runtime/lazy.ts'
import type { ClientOptions } from '../params/options.ts'
import type { Transport } from './transport.ts'

/**
 * The transport of a client. Which one it is, is settled at once; its module is loaded at the first call.
 *
 * @throws {ConfigurationError} a dispatcher, where there is no undici
 */
export function chooseTransport(options: ClientOptions, origin: string): Lazy<Transport> {
  const { fetch, connections, http2 = false, dispatcher } = options
  if (dispatcher !== undefined && !takesDispatchers())
    throw new ConfigurationError('dispatcher needs the undici transport, which is on Node')
  const byFetch =
    fetch !== undefined || (dispatcher === undefined && environment('SVC_TRANSPORT') === 'fetch')
  return byFetch
    ? new Lazy(async () => new (await import('./fetch-transport.ts')).FetchTransport(fetch))
    : new Lazy(async () =>
        (await import('#transport')).defaultTransport({ origin, connections, http2 }, dispatcher),
      )
}
