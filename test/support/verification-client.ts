import { type DispatcherLike, VerificationClient, type VerificationClientOptions } from '../../src/index.ts'
import { type Timing, timing } from '../../src/runtime/timing.ts'
import { testTiming } from './timing.ts'

export const baseUrl = 'https://id.example.test'
export const apiKey = 'key_test_0123456789abcdef'

/** The client's own type excludes a `fetch` next to a `dispatcher`, also if both are optional. */
type TestOptions = Omit<VerificationClientOptions, 'fetch' | 'dispatcher'> & FetchOf & DispatcherOf
type FetchOf = { readonly fetch?: typeof fetch | undefined }
type DispatcherOf = { readonly dispatcher?: DispatcherLike | 'global' | undefined }

/**
 * A client on a manual clock. Waits between attempts take no time and are recorded in `waits`. An attempt times out
 * only if the test calls `advance`.
 */
export function testClient(options: TestOptions & Partial<Timing> = {}) {
  const { now, wallClock, sleep, random, timer, ...rest } = options
  const { timing: clock, ...controls } = testTiming({ now, wallClock, sleep, random, timer })
  const ownFetch = (...call: Parameters<typeof fetch>) => fetch(...call)
  const settings: object = { baseUrl, apiKey, fetch: ownFetch, ...rest, [timing]: clock }
  const client = new VerificationClient(settings)
  return { client, ...controls }
}
