// A client loads undici at its first call: here it is loaded before, since tests of timers measure time.
import 'undici'
import { it, onTestFinished } from 'vitest'
import type { VerificationClientOptions } from '../../src/verification.ts'
import { testClient } from './verification-client.ts'

/** Both ways out of a client. What holds for one must hold for the other. */
export const transports = [
  { name: 'undici', options: { fetch: undefined } },
  { name: 'fetch', options: { fetch: globalThis.fetch } },
] as const satisfies readonly { name: string; options: VerificationClientOptions }[]

export type Transport = (typeof transports)[number]

/** A rule that is tested over each transport; its title starts with `$name`. */
export const forEachTransport = it.each(transports)

/** A client over a transport, closed when the test ends. */
export function clientOver(
  transport: Transport,
  baseUrl: string,
  options: Parameters<typeof testClient>[0] = {},
) {
  const made = testClient({ baseUrl, ...transport.options, ...options })
  onTestFinished(() => made.client.close())
  return made
}
