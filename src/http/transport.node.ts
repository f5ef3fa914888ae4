import type { Transport } from './transport.ts'
import { defaultTransport as platformFetch } from './transport.web.ts'
import { type PoolOptions, UndiciTransport } from './undici-transport.ts'

/** On Node: undici, on a pool of our own or the caller's dispatcher. */
export const defaultTransport = (options: PoolOptions, dispatcher: object | undefined): Transport =>
  // Deno's `require` asks for Node's files, and undici for permissions that a call does not need.
  'deno' in process.versions ? platformFetch(options, dispatcher) : new UndiciTransport(options, dispatcher)
