import type { Transport } from './transport.ts'
import { type PoolOptions, UndiciTransport } from './undici-transport.ts'

/** On Node: undici, on a pool of our own or the caller's dispatcher. */
export const defaultTransport = (options: PoolOptions, dispatcher: object | undefined): Transport =>
  new UndiciTransport(options, dispatcher)
