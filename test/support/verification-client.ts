import { type Timing, timing } from '../../src/runtime/timing.ts'
import { VerificationClient, type VerificationClientOptions } from '../../src/verification.ts'
import { testTiming } from './timing.ts'

export const baseUrl = 'https://id.example.test'
export const apiKey = 'key_test_0123456789abcdef'

/** A client whose waits take no time: each is noted, and the clock moves on by it. */
export function testClient(options: VerificationClientOptions & Partial<Timing> = {}) {
  const { now, wallClock, sleep, random, ...rest } = options
  const { clock, waits, passTime } = testTiming({ now, wallClock, sleep, random })
  const settings = { baseUrl, apiKey, fetch: (...call: Parameters<typeof fetch>) => fetch(...call), ...rest }
  const client = new VerificationClient({ ...settings, [timing]: clock } as VerificationClientOptions)
  return { client, waits, passTime }
}
