import { FetchTransport } from './fetch-transport.ts'
import type { Transport } from './transport.ts'

/** Elsewhere: the platform's fetch, looked up at each call. */
export const defaultTransport = async (): Promise<Transport> => new FetchTransport()
