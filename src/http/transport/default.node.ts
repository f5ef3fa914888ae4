import { isNode } from '../../runtime/environment.ts'
import type { Transport } from './transport.ts'
import { type PoolOptions, UndiciTransport } from './undici-transport.ts'

/** Creates the default transport of Node: undici, with its own pool or the caller's dispatcher. */
export async function defaultTransport(
  options: PoolOptions,
  dispatcher: object | undefined,
): Promise<Transport> {
  if (isNode()) return new UndiciTransport(options, dispatcher)
  // Deno's `require` loads this file too, and undici would need permissions that a call does not need.
  return new (await import('./fetch-transport.ts')).FetchTransport()
}
