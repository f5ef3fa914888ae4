import { FetchTransport } from './fetch-transport.ts'
import type { Transport } from './transport.ts'

/** Creates the default transport of other runtimes: the global fetch, looked up at each call. */
export const defaultTransport = async (): Promise<Transport> => new FetchTransport()
