import { takesDispatchers } from '#platform'
import type { Transport } from './transport.ts'
import { type PoolOptions, UndiciTransport } from './undici-transport.ts'

/** On Node: undici, on a pool of our own or the caller's dispatcher. */
export async function defaultTransport(
  options: PoolOptions,
  dispatcher: object | undefined,
): Promise<Transport> {
  if (takesDispatchers()) return new UndiciTransport(options, dispatcher)
  // Deno's `require` asks for Node's files, and undici for permissions that a call does not need.
  return new (await import('./fetch-transport.ts')).FetchTransport()
}
