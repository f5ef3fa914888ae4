import { type Timing, timing } from '../../src/runtime/timing.ts'
import { VerificationClient, type VerificationClientOptions } from '../../src/verification.ts'
import { testTiming } from './timing.ts'

export const baseUrl = 'https://id.example.test'
export const apiKey = 'key_test_0123456789abcdef'

/**
 * A client on a manual clock. Waits between attempts take no time and are recorded in `waits`. An attempt times out
 * only if the test calls `advance`.
 */
export function testClient(options: VerificationClientOptions & Partial<Timing> = {}) {
  const { now, wallClock, sleep, random, timer, ...rest } = options
  const { timing: clock, ...controls } = testTiming({ now, wallClock, sleep, random, timer })
  const settings = { baseUrl, apiKey, fetch: (...call: Parameters<typeof fetch>) => fetch(...call), ...rest }
  const client = new VerificationClient({ ...settings, [timing]: clock } as VerificationClientOptions)
  return { client, ...controls }
}
