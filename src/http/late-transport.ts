import { takesDispatchers } from '#platform'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { environment } from './environment.ts'
import type { ClientOptions } from './request-options.ts'
import type { Transport } from './transport.ts'

/** The transport of a client. Which one it is, is settled at once; its module is loaded at the first call. */
export class LateTransport {
  readonly #load: () => Promise<Transport>
  #loaded: Transport | Promise<Transport> | undefined

  /** @throws {ConfigurationError} a dispatcher, where there is no undici */
  constructor(options: ClientOptions, origin: string) {
    const { fetch, connections, http2 = false, dispatcher } = options
    if (dispatcher !== undefined && !takesDispatchers())
      throw new ConfigurationError('dispatcher needs the undici transport, which is on Node')
    const byFetch =
      fetch !== undefined || (dispatcher === undefined && environment('SVC_TRANSPORT') === 'fetch')
    this.#load = byFetch
      ? async () => new (await import('./fetch-transport.ts')).FetchTransport(fetch)
      : async () => (await import('#transport')).defaultTransport({ origin, connections, http2 }, dispatcher)
  }

  /** The transport, once it is there; a load that failed is tried again by the call after. */
  get(): Transport | Promise<Transport> {
    this.#loaded ??= this.#load().then(
      (transport) => {
        this.#loaded = transport
        return transport
      },
      (thrown) => {
        this.#loaded = undefined
        throw thrown
      },
    )
    return this.#loaded
  }

  async close(): Promise<void> {
    // One that could not be loaded has nothing to close, and its call has heard of it.
    const transport = await Promise.resolve(this.#loaded).catch(() => undefined)
    await transport?.close()
  }
}
