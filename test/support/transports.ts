import { it, onTestFinished } from 'vitest'
import type { VerificationClientOptions } from '../../src/index.ts'
import { testClient } from './verification-client.ts'

/** The two transports of a client. A rule for one is a rule for the other. */
export const transports = [
  { name: 'undici', options: { fetch: undefined } },
  { name: 'fetch', options: { fetch: globalThis.fetch } },
] as const satisfies readonly { name: string; options: VerificationClientOptions }[]

export type Transport = (typeof transports)[number]

/** Tests a rule over each transport. Its title starts with `$name`. */
export const forEachTransport = it.each(transports)

/** A client over a transport, closed when the test ends. */
export function clientOver(transport: Transport, baseUrl: string, options: Parameters<typeof testClient>[0] = {}) {
  const created = testClient({ baseUrl, ...transport.options, ...options })
  onTestFinished(() => created.client.close())
  return created
}
