import { ConfigurationError } from '../errors/sdk-error.ts'
import { FetchTransport } from './fetch-transport.ts'
import type { Transport } from './transport.ts'
import type { PoolOptions } from './undici-transport.ts'

/** Elsewhere: the platform's fetch, looked up at each call. */
export function defaultTransport(_: PoolOptions, dispatcher: object | undefined): Transport {
  if (dispatcher !== undefined)
    throw new ConfigurationError('dispatcher needs the undici transport, which is on Node')
  return new FetchTransport()
}
