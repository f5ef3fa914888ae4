import { type Timing, timing } from '../../src/http/timing.ts'
import { VerificationClient, type VerificationClientOptions } from '../../src/verification.ts'

export const baseUrl = 'https://id.example.test'
export const apiKey = 'key_test_0123456789abcdef'

/** A client whose waits take no time: each is noted, and the clock moves on by it. */
export function testClient(options: VerificationClientOptions & Partial<Timing> = {}) {
  const { now, wallClock, sleep, random, ...rest } = options
  const waits: number[] = []
  let elapsedMs = 0
  const clock: Timing = {
    now: now ?? (() => elapsedMs),
    wallClock: wallClock ?? (() => Date.UTC(2026, 0, 1) + elapsedMs),
    random: random ?? (() => 1),
    sleep:
      sleep ??
      (async (ms) => {
        waits.push(ms)
        elapsedMs += ms
      }),
  }
  const settings = { baseUrl, apiKey, fetch: (...call: Parameters<typeof fetch>) => fetch(...call), ...rest }
  const client = new VerificationClient({ ...settings, [timing]: clock } as VerificationClientOptions)
  const passTime = (ms: number) => {
    elapsedMs += ms
  }
  return { client, waits, passTime }
}
